# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons' operators without a window: they wait, end like the commands, and say in one line what was wrong."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
from anymove.addon import session, toolkit
from anymove.addon.jobs import now
from anymove.addon.jobs.job import Order
from anymove.addon.operators import hand_over
from anymove.mocap.errors import AnymoveError, BadInput
from anymove.mocap.rig_info import RigInfo

pytestmark = pytest.mark.bpy


def order(program: str) -> Order:
    return Order("Test", "test", [sys.executable, "-c", program], os.getcwd())


def test_an_order_run_now_ends_like_its_command(capfd):
    assert now.run(order("print('JOB {\"progress\": 1}'); print('all done')")) == "all done"
    assert capfd.readouterr().out == "all done\n"
    with pytest.raises(BadInput, match="Test: no such reader"):
        now.run(order("import sys; print('anymove: no such reader'); sys.exit(2)"))
    with pytest.raises(AnymoveError) as failed:
        now.run(order("import sys; sys.exit(7)"))
    assert failed.value.exit_code == 1
    with pytest.raises(AnymoveError, match="cannot be started"):
        now.run(Order("Test", "test", ["/no/such/program"], os.getcwd()))


@pytest.mark.parametrize(
    ("operator", "values", "words"),
    [
        ("train_reader", {}, "no creature given"),
        ("sit_exam", {"creature": "/nowhere/cat"}, "no such creature folder"),
        ("capture_clip", {}, "no creature given"),
        ("render_dataset", {"creature": "/nowhere/cat"}, "no such creature folder"),
        ("bring_in", {"creature": "/nowhere/cat"}, "no such creature folder"),
        ("show_picture", {"filepath": "/nowhere.png"}, "no such file"),
        ("resume_job", {"job": "none"}, "not there any more"),
    ],
)
def test_bad_input_is_one_line_and_code_two(operator, values, words, outcome):
    with pytest.raises(RuntimeError, match=words):
        getattr(bpy.ops.anymove, operator)(**values)
    assert outcome().code == 2
    assert "\n" not in outcome().message


def test_no_clip_is_told_before_anything_starts(tmp_path, outcome):
    (tmp_path / "cat").mkdir()
    with pytest.raises(RuntimeError, match="no clip given"):
        bpy.ops.anymove.capture_clip(creature=str(tmp_path / "cat"))
    with pytest.raises(RuntimeError, match="no such clip"):
        bpy.ops.anymove.capture_clip(creature=str(tmp_path / "cat"), clip="/no/clip.mp4")


def test_set_up_asks_for_leave_to_go_online():
    """Blender's own preference decides, and it is off in an untouched Blender."""
    assert not bpy.app.online_access
    with pytest.raises(RuntimeError, match="not allowed to go online"):
        bpy.ops.anymove.set_up_toolkit()


def test_set_up_runs_in_a_python_that_it_does_not_replace(tmp_path, monkeypatch):
    monkeypatch.setenv("ANYMOVE_VENV", str(tmp_path / "toolkit"))
    wanted = session.order("Set up toolkit", "setup", ["setup"])
    assert wanted.command[0] == sys.executable
    assert wanted.environment["ANYMOVE_VENV"] == str(tmp_path / "toolkit")
    assert not session.toolkit_ready()
    with pytest.raises(BadInput, match="set up the toolkit first"):
        toolkit.require(tmp_path / "toolkit")
    assert session.order("Train", "reader", ["train"]).command[0].startswith(str(tmp_path / "toolkit"))


def test_what_is_open_is_handed_over_as_a_file(tmp_path):
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    bpy.ops.mesh.primitive_uv_sphere_add()
    only = hand_over.meshes_copy("cube", [cube])
    whole = hand_over.scene_copy("scene")
    assert bpy.data.filepath == ""
    assert [scene.name for scene in bpy.data.scenes] == ["Scene"]
    for path, names in ((only, {"Cube"}), (whole, {"Cube", "Sphere"})):
        with bpy.data.libraries.load(str(path)) as (stored, _):
            assert set(stored.objects) == names
    with pytest.raises(BadInput, match="no armature is active"):
        hand_over.active_armature(bpy.context)


@pytest.mark.rigs
def test_the_open_scenes_rig_is_adopted_by_the_job_as_by_the_operator(creatures, tmp_path):
    """The job's command, run here: the same rig as executing the operator makes of the same scene."""
    bpy.ops.import_scene.gltf(filepath=str(creatures / "KhronosFox.glb"))
    rig = next(item for item in bpy.data.objects if item.type == "ARMATURE")
    bpy.context.view_layer.objects.active = rig
    homes = [tmp_path / "assets" / name / "fox" for name in ("here", "job")]
    bpy.ops.anymove.adopt_rig(creature=str(homes[0]), armature=rig.name)
    path = hand_over.scene_copy("fox")
    words = [homes[1], path, "--armature", rig.name]
    now.run(session.blender_order("Adopt rig", "creature", "rig_creature", words, str(homes[1])))
    here, there = (RigInfo.load(home / "rigged" / "rig_info.json") for home in homes)
    assert here.skeleton.joint_names == there.skeleton.joint_names
    assert [limb.colour for limb in here.skeleton.limbs] == [limb.colour for limb in there.skeleton.limbs]
    # A saved and opened scene may round its last digits otherwise.
    assert np.allclose(here.skeleton.joint_points, there.skeleton.joint_points, atol=1e-5)
    assert np.allclose(here.skeleton.limits, there.skeleton.limits, atol=1e-3)


def test_a_shipped_creature_is_built_into_a_folder_of_the_users(tmp_path):
    home = tmp_path / "assets" / "spider"
    bpy.ops.anymove.build_creature(creature=str(home))
    assert (home / "creature.json").is_file()
    assert (home / "rigged" / "rigged.blend").is_file()


@pytest.mark.rigs
@pytest.mark.e2e
def test_reader_exam_and_capture_by_operators(adopt, tmp_path, outcome, monkeypatch):
    monkeypatch.setenv("ANYMOVE_VENV", os.environ.get("ANYMOVE_VENV", str(Path(sys.prefix))))
    home = tmp_path / "assets" / "fox"
    shutil.copytree(adopt("KhronosFox").home, home)
    runs = tmp_path / "runs" / "fox"
    with pytest.raises(RuntimeError, match="no samples here"):
        bpy.ops.anymove.train_reader(creature=str(home), epochs=1)
    assert outcome().code == 2
    bpy.ops.anymove.render_dataset(creature=str(home), count=32, engine="workbench")
    bpy.ops.anymove.train_reader(creature=str(home), epochs=1, batch=8, pairs=240, backbone="compact")
    assert len(json.loads((runs / "reader_figures.json").read_text())["history"]) == 1
    bpy.ops.anymove.sit_exam(creature=str(home), frames=5, pictures=False)
    exam = runs / "exam" / "random1"
    assert json.loads((exam / "score.json").read_text())["frames"] == 5
    assert (exam / "overlay.mp4").stat().st_size > 1000
    bpy.ops.anymove.capture_clip(
        creature=str(home), clip=str(exam / "clip.mp4"), calibrate=False, pictures=False
    )
    assert (runs / "capture" / "clip" / "solved" / "joints.json").is_file()
    bpy.ops.anymove.bring_in(creature=str(home))
    bpy.ops.anymove.apply_to_rig(
        rig_info=str(home / "rigged" / "rig_info.json"),
        motion=str(runs / "capture" / "clip" / "solved.json"),
    )
    assert bpy.context.object.animation_data.action_slot is not None
