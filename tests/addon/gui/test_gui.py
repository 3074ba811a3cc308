# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The road by clicking in a real Blender on a screen. ANYMOVE_PICTURES=DIR keeps the pictures."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.addon.gui.outside import Installed

HERE = Path(__file__).resolve().parent
pytestmark = [pytest.mark.rigs, pytest.mark.e2e]


@pytest.fixture
def pictures(tmp_path):
    kept = os.environ.get("ANYMOVE_PICTURES")
    folder = Path(kept) if kept else tmp_path / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def test_the_whole_road_by_clicking(tmp_path, creatures, pictures):
    installed = Installed(tmp_path)
    installed.install()
    said = installed.show(
        HERE / "steps_road.py",
        pictures,
        2500,
        ANYMOVE_PROJECT=str(tmp_path / "project"),
        ANYMOVE_RIG=str(creatures / "Wolf.glb"),
        ANYMOVE_VENV=os.environ.get("ANYMOVE_VENV", str(Path(sys.prefix))),
    )
    assert "passed" in said
    assert "Traceback" not in said
