# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension's life in a real Blender: installed, disabled, enabled, upgraded, removed, in any repository."""

from __future__ import annotations

import pytest

from tests.addon.gui.outside import Installed

LIFE = """
import bpy, addon_utils, sys
name = "{module}"
def known(): return hasattr(bpy.types, "ANYMOVE_OT_adopt_rig"), hasattr(bpy.types.Scene, "anymove")
assert known() == (True, True), "not enabled"
for _ in range(2):
    addon_utils.disable(name, default_set=True)
    assert known() == (False, False), "left something behind"
    addon_utils.enable(name, default_set=True)
    assert known() == (True, True), "not enabled again"
assert bpy.ops.anymove.render_poses.poll()
preferences = bpy.context.preferences.addons[name].preferences
assert preferences.on_quit == "END"
heavy = [m for m in ("torch", "cv2", "scipy", "av") if m in sys.modules]
assert not heavy, heavy
print("LIVED")
"""


@pytest.fixture
def installed(tmp_path):
    made = Installed(tmp_path)
    made.install()
    return made


def test_it_lives_and_goes_cleanly(installed):
    assert "LIVED" in installed.python(LIFE.format(module=installed.module))
    # Again over itself: what an upgrade does.
    installed.install()
    assert "LIVED" in installed.python(LIFE.format(module=installed.module))
    installed.extension("remove", "anymove")
    gone = "import bpy; assert not hasattr(bpy.types, 'ANYMOVE_OT_adopt_rig'); print('GONE')"
    assert "GONE" in installed.python(gone)
    assert not list((installed.folder / "user").rglob("anymove/__init__.py"))


def test_it_works_from_a_repository_of_any_name(tmp_path):
    made = Installed(tmp_path, "studio_tools")
    made.extension("repo-add", "--name", "Studio Tools", "studio_tools")
    made.install()
    assert "LIVED" in made.python(LIFE.format(module=made.module))


def test_scripts_work_in_it(installed, creatures, tmp_path):
    home = tmp_path / "assets" / "fox"
    script = f"""
import bpy
bpy.ops.anymove.adopt_rig(filepath={str(creatures / "KhronosFox.glb")!r}, creature={str(home)!r})
try:
    bpy.ops.anymove.train_reader(creature={str(home)!r}, epochs=1)
except RuntimeError as error:
    print("REFUSED", error)
"""
    said = installed.python(script)
    assert (home / "rigged" / "rig_info.json").is_file()
    assert "REFUSED" in said
    assert "no samples" in said or "not set up" in said or "set-up" in said
