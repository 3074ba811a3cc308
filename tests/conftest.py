# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Shared by all tests: where the real rigs are, and an untouched Blender for each test that uses it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

# Before anything imports bpy: the user's own Blender settings must not reach the tests.
os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp(prefix="anymove-tests-")

# What tools/anymove.py tells its children is not for the commands under test.
for name in ("ANYMOVE_CHILD", "ANYMOVE_PROGRESS", "MOCAP_CREATURE"):
    os.environ.pop(name, None)

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def creatures() -> Path:
    """The folder with the real rigs; skips where there is none."""
    for candidate in (os.environ.get("ANYMOVE_CREATURES"), ROOT.parent / "shared" / "creatures"):
        if candidate and (Path(candidate) / "Wolf.glb").is_file():
            return Path(candidate)
    pytest.skip("the real rigs are not here: set ANYMOVE_CREATURES to a folder with Wolf.glb")
