# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn about a creature that was brought in; edits of its limits and colours; its cameras."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from anymove.addon.overlay import draw, lines
from anymove.addon.overlay.ghost import Ghost
from anymove.mocap import poses
from anymove.mocap.rig_info import RigInfo

pytestmark = [pytest.mark.bpy, pytest.mark.rigs]


@pytest.fixture
def wolf(adopt, tmp_path):
    """A copy of the adopted wolf that tests may change, brought in."""
    import shutil

    adopted = adopt("Wolf")
    home = tmp_path / "assets" / "wolf"
    shutil.copytree(adopted.home, home)
    bpy.ops.anymove.bring_in(creature=str(home))
    return home


def info_of(home):
    return RigInfo.load(home / "rigged" / "rig_info.json")


def test_it_is_brought_in_with_its_limits_and_colours(wolf):
    rig, info = bpy.context.object, info_of(wolf)
    assert rig.type == "ARMATURE"
    assert any(item.type == "MESH" for item in rig.users_collection[0].objects)
    bone = info.skeleton.bones[5]
    shown = rig.pose.bones[bone.name].anymove
    assert np.allclose(np.stack([shown.low, shown.high], 1), bone.limits, atol=1e-5)
    assert [limb.name for limb in rig.anymove_limbs] == [limb.name for limb in info.skeleton.limbs]


def test_joints_ghost_and_arrow_are_where_they_belong(wolf, tmp_path):
    rig, info = bpy.context.object, info_of(wolf)
    rig.location.x = 3.0
    bpy.context.view_layer.update()
    skeleton = info.skeleton
    shown = lines.joints(rig, skeleton)
    assert np.allclose(
        shown.places[:, 0], skeleton.bare.joint_points + np.array([3, 0, 0]), atol=1e-3 * skeleton.height
    )
    motion = poses.random_motion(skeleton, 1, 6, 24, info.digest)
    motion.save(tmp_path / "solved.json")
    ghost = Ghost()
    ghost.lines(tmp_path / "solved.json", skeleton, info.digest, 0.0)
    ghost.wait()
    bones = ghost.lines(tmp_path / "solved.json", skeleton, info.digest, 3 / 24)
    assert np.allclose(bones[0, 0], motion.pose(skeleton).heads[3, skeleton.parents[1]], atol=1e-5)
    # Past its end it stands still; a motion of another rig is not shown.
    assert ghost.lines(tmp_path / "solved.json", skeleton, info.digest, 99.0) is not None
    ghost.lines(tmp_path / "solved.json", skeleton, "other", 0.0)
    ghost.wait()
    assert ghost.lines(tmp_path / "solved.json", skeleton, "other", 0.0) is None
    arrow = lines.facing(rig, skeleton).places
    assert arrow[0, 1, 1] < arrow[0, 0, 1] - 0.5 * skeleton.height


def test_cones_ride_on_the_parent_and_end_where_the_bone_may_go(wolf):
    rig, info = bpy.context.object, info_of(wolf)
    name = "Head"
    bone = rig.pose.bones[name]
    bone.anymove.low, bone.anymove.high = (-0.5, -0.1, -0.2), (0.5, 0.1, 0.2)
    before = lines.limits(rig, info.skeleton, [name])[0].places
    bone.rotation_quaternion = (0.9, 0.3, 0, 0)
    bpy.context.view_layer.update()
    assert np.allclose(lines.limits(rig, info.skeleton, [name])[0].places, before, atol=1e-4)
    bone.parent.rotation_quaternion = (0.9, 0.0, 0, 0.4)
    bpy.context.view_layer.update()
    assert np.abs(lines.limits(rig, info.skeleton, [name])[0].places - before).max() > 0.05


def test_nothing_is_shown_of_what_was_not_brought_in(wolf):
    settings = bpy.context.scene.anymove
    settings.show_joints = settings.show_facing = True
    draw.session.watcher.road(wolf)
    draw.session.watcher.wait()
    assert len(draw.shown(bpy.context)) == 2
    del bpy.context.object["anymove_home"]
    assert draw.shown(bpy.context) == []


def test_edited_limits_and_colours_are_kept(wolf, outcome):
    rig, before = bpy.context.object, info_of(wolf)
    bpy.ops.anymove.save_rig_edits()
    assert "nothing was changed" in outcome().message
    rig.pose.bones["Head"].anymove.high = (0.7, 0.1, 0.2)
    rig.anymove_limbs[0].colour = (0.1, 0.2, 0.3)
    bpy.ops.anymove.save_rig_edits()
    after = info_of(wolf)
    bone = after.skeleton.bones[after.skeleton.bone_index("Head")]
    assert bone.limits[0][1] == pytest.approx(0.7, abs=1e-5)
    assert bone.limits_from == "edited"
    assert after.skeleton.limbs[0].colour == pytest.approx((0.1, 0.2, 0.3), abs=1e-5)
    assert after.digest != before.digest
    changed = [
        a.name for a, b in zip(after.skeleton.bones, before.skeleton.bones) if a.limits_from != b.limits_from
    ]
    assert changed == ["Head"]
    assert RigInfo.load(wolf / "rigged" / "rig_info.1.json").digest == before.digest


def test_limits_are_mirrored_to_the_other_side(wolf):
    rig, info = bpy.context.object, info_of(wolf)
    bpy.ops.object.mode_set(mode="POSE")
    left, right = "FrontUpperLeg.L", "FrontUpperLeg.R"
    assert left in info.skeleton.bone_names
    for bone in rig.pose.bones:
        # Before Blender 5.0, selection belonged to the armature's bone.
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name == left
    rig.pose.bones[left].anymove.low = (-0.4, -0.1, -0.3)
    rig.pose.bones[left].anymove.high = (0.2, 0.05, 0.6)
    bpy.ops.anymove.mirror_limits()
    shown = rig.pose.bones[right].anymove
    assert np.ptp(np.stack([shown.low, shown.high]), axis=0) == pytest.approx([0.6, 0.15, 0.9], abs=1e-5)
    # What the left may do, mirrored, is what the right may do: the cones are each other's picture.
    cones = [lines.limits(rig, info.skeleton, [name])[0].places for name in (left, right)]
    distance = np.linalg.norm((cones[0] * [-1, 1, 1])[:, None, 1] - cones[1][None, :, 1], axis=-1).min(1)
    assert distance.max() < 0.05 * info.skeleton.height


def test_layout_cameras_are_added_once_and_put_back(wolf):
    for _ in range(2):
        bpy.ops.anymove.look_through(creature=str(wolf), view="side")
    scene = bpy.context.scene
    assert sum(item.type == "CAMERA" for item in scene.objects) == 2
    assert scene.camera.name == "Anymove side"
    view = info_of(wolf).layout.views[1]
    assert np.allclose(scene.camera.matrix_world.translation, view.position, atol=1e-4)
    assert (scene.render.resolution_x, scene.render.resolution_y) == tuple(view.size)
    with pytest.raises(RuntimeError, match="no view 'top'"):
        bpy.ops.anymove.look_through(creature=str(wolf), view="top")
