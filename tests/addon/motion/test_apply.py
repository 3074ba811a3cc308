# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion on the rig: one slotted Action, the same joints, nothing else touched."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from anymove.addon.motion import action
from anymove.addon.studio import stage
from anymove.mocap import poses
from anymove.mocap.motion import JointTrack, Motion

pytestmark = [pytest.mark.bpy, pytest.mark.rigs]


@pytest.fixture
def fox(adopt):
    return adopt("KhronosFox")


@pytest.fixture
def motion(fox):
    return poses.random_motion(fox.info.skeleton, 4, 9, 23.976, fox.info.digest)


def apply(fox, motion, tmp_path, **options):
    path = tmp_path / "motion.json"
    motion.save(path)
    return bpy.ops.anymove.apply_motion(
        rigged=str(fox.blend),
        rig_info=str(fox.info_path),
        motion=str(path),
        output=str(tmp_path / "out"),
        **options,
    )


def test_action_holds_the_motion(fox, motion):
    with stage.opened(fox.blend, fox.info) as opened:
        made = action.write(opened.rig, fox.info, motion, "take")
        assert len(made.slots) == 1
        assert opened.rig.animation_data.action_slot == made.slots[0]
        track = action.read_joints(opened.scene, opened.rig, fox.info, motion.frames, motion.fps)
    height = fox.info.skeleton.height
    assert np.abs(track.positions - motion.joints(fox.info.skeleton)).max() < 1e-4 * height
    assert np.abs((track.quats * motion.quats).sum(-1)).min() > 1 - 1e-5


def test_operator_writes_joints_action_and_pictures(fox, motion, tmp_path):
    apply(fox, motion, tmp_path, views="front,side", paint=True, blur=True, engine="workbench")
    out = tmp_path / "out"
    track = JointTrack.load(out / "joints.json")
    assert np.abs(track.positions - motion.joints(fox.info.skeleton)).max() < 1e-4 * fox.info.skeleton.height
    assert [len(list((out / view).glob("*.png"))) for view in ("front", "side")] == [9, 9]
    bpy.ops.wm.open_mainfile(filepath=str(out / "animated.blend"))
    scene = bpy.context.scene
    assert (scene.frame_start, scene.frame_end) == (1, 9)
    assert scene.render.fps / scene.render.fps_base == pytest.approx(23.976, abs=1e-5)
    rig = next(o for o in scene.objects if o.type == "ARMATURE")
    assert rig.animation_data.action.name == "motion"
    assert rig.animation_data.action_slot is not None
    assert {"Run", "Survey", "Walk"} <= {a.name for a in bpy.data.actions}


def test_motion_of_another_rig_is_refused(fox, motion, tmp_path, outcome):
    other = Motion(motion.fps, motion.bone_names, motion.root, motion.quats, "0" * 32)
    with pytest.raises(RuntimeError, match="made for another rig"):
        apply(fox, other, tmp_path)
    assert outcome().code == 2
    assert not (tmp_path / "out").exists()


def test_unknown_view_is_refused(fox, motion, tmp_path, outcome):
    with pytest.raises(RuntimeError, match="no view 'top'; the layout has front, side"):
        apply(fox, motion, tmp_path, views="top")
    assert outcome().code == 2
    assert not (tmp_path / "out").exists()


def test_a_film_goes_on_and_leaves_nothing_of_an_earlier_one(fox, motion, tmp_path):
    options = {"views": "front", "engine": "workbench"}
    apply(fox, motion, tmp_path, **options)
    pictures = sorted((tmp_path / "out" / "front").glob("*.png"))
    whole = [path.read_bytes() for path in pictures]
    pictures[4].unlink()
    kept = pictures[0].stat().st_mtime_ns
    apply(fox, motion, tmp_path, **options)
    assert [path.read_bytes() for path in pictures] == whole
    assert pictures[0].stat().st_mtime_ns == kept

    shorter = Motion(motion.fps, motion.bone_names, motion.root[:5], motion.quats[:5], motion.rig_digest)
    apply(fox, shorter, tmp_path, **options)
    assert len(list((tmp_path / "out" / "front").glob("*.png"))) == 5
