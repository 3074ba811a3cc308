# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on comes and goes cleanly and imports nothing heavy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import bpy
import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.bpy


def test_register_twice_leaves_nothing_behind():
    import anymove

    for _ in range(2):
        anymove.unregister()
        assert not hasattr(bpy.types, "ANYMOVE_OT_adopt_rig")
        anymove.register()
        assert hasattr(bpy.types, "ANYMOVE_OT_adopt_rig")


def test_nothing_heavy_is_imported_inside_blender():
    code = (
        "import sys; sys.path.insert(0, 'blender_scripts'); import bpy, anymove_package as p; p.load().register();"
        "heavy = ('torch', 'transformers', 'cv2', 'av', 'scipy', 'pydantic');"
        "print([m for m in heavy if m in sys.modules], flush=True);"
        # The bpy module of 4.5 may hang while Python ends.
        "import os; os._exit(0)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip().splitlines()[-1] == "[]"


def test_mocap_never_imports_bpy():
    for path in (Path(ROOT) / "mocap").rglob("*.py"):
        assert "import bpy" not in path.read_text(), path
