# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion on rigs as users have them: followed to 1e-4 of the height, and nothing of theirs lost."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from anymove.addon.motion import apply, verify
from anymove.mocap import poses
from anymove.mocap.motion import Motion

pytestmark = [pytest.mark.bpy, pytest.mark.rigs]

EXACT = 1e-4
MODES = ("XYZ", "ZXY", "YZX", "AXIS_ANGLE", "QUATERNION")


@pytest.fixture
def wolf(adopt):
    return adopt("Wolf")


@pytest.fixture
def rig(wolf, creatures):
    """The wolf as its file has it: scaled by 100, feet outside the leg chain, controls, actions."""
    bpy.ops.import_scene.gltf(filepath=str(creatures / "Wolf.glb"))
    found = next(o for o in bpy.context.scene.objects if o.type == "ARMATURE")
    bpy.context.view_layer.objects.active = found
    found.location, found.rotation_mode = (3, -2, 1), "XYZ"
    found.rotation_euler.z += 0.7
    bpy.context.scene.render.fps = 24
    return found


@pytest.fixture
def motion(wolf):
    return poses.random_motion(wolf.info.skeleton, 4, 12, 24, wolf.info.digest)


def put(wolf, motion, tmp_path, **options) -> str:
    from anymove.addon import report

    path = tmp_path / "take.json"
    motion.save(path)
    bpy.ops.anymove.apply_to_rig(rig_info=str(wolf.info_path), motion=str(path), **options)
    return report.last.message


def worst(rig, wolf, motion, first=1) -> float:
    return verify.off(
        bpy.context.scene, rig, wolf.info.skeleton, motion, first, list(range(motion.frames))
    ).worst


def test_every_rotation_mode_follows_without_jumps(rig, wolf, motion, tmp_path):
    for index, bone in enumerate(rig.pose.bones):
        bone.rotation_mode = MODES[index % len(MODES)]
    modes = [bone.rotation_mode for bone in rig.pose.bones]
    put(wolf, motion, tmp_path)
    assert [bone.rotation_mode for bone in rig.pose.bones] == modes
    assert worst(rig, wolf, motion) < EXACT
    # Between keys, too: a flip or a jump would throw the bone round.
    bpy.context.scene.frame_set(5, subframe=0.5)
    steps = [
        np.abs(np.diff([p.co[1] for p in curve.keyframe_points])).max()
        for curve in bag(rig).fcurves
        if "rotation" in curve.data_path and len(curve.keyframe_points) > 1
    ]
    assert max(steps) < 1.6


def test_euler_goes_on_past_half_a_turn(rig, wolf, tmp_path):
    skeleton = wolf.info.skeleton
    turns = np.radians(np.linspace(0, 400, 41))
    quats = np.tile([1.0, 0, 0, 0], (41, len(skeleton.bones), 1))
    quats[:, 0] = np.stack([np.cos(turns / 2), np.sin(turns / 2), 0 * turns, 0 * turns], 1)
    motion = Motion(24, skeleton.bone_names, np.tile(skeleton.heads[0], (41, 1)), quats, wolf.info.digest)
    for mode in ("XYZ", "AXIS_ANGLE"):
        rig.pose.bones[skeleton.bone_names[0]].rotation_mode = mode
        put(wolf, motion, tmp_path)
        assert worst(rig, wolf, motion) < EXACT
        values = [
            [p.co[1] for p in c.keyframe_points]
            for c in bag(rig).fcurves
            if c.data_path.startswith(f'pose.bones["{skeleton.bone_names[0]}"].rotation')
        ]
        assert max(np.ptp(v) for v in values) == pytest.approx(np.radians(400), abs=1e-3)


def test_own_action_pose_and_constraints_come_back(rig, wolf, motion, tmp_path):
    own, slot = rig.animation_data.action, rig.animation_data.action_slot.identifier
    foot = rig.pose.bones["BackLowerLeg.L"]
    reach = foot.constraints.new("IK")
    reach.target, reach.subtarget, reach.chain_count, reach.influence = rig, "PoleTarget.L", 2, 0.75
    held = rig.pose.bones["Head"].constraints.new("LIMIT_ROTATION")
    drive(held, "influence", "0.5")
    drive(rig.pose.bones["Neck2"], "location", "0.3", 0)
    bpy.context.scene.frame_set(7)
    before = [bone.matrix.copy() for bone in rig.pose.bones]

    said = put(wolf, motion, tmp_path)
    assert "2 constraints off meanwhile; 1 drivers muted" in said
    assert worst(rig, wolf, motion) < EXACT
    bpy.context.scene.frame_set(motion.frames + 1)
    assert reach.influence == 0.75
    assert not held.mute
    assert own.use_fake_user
    put(wolf, motion, tmp_path, name="second")
    assert worst(rig, wolf, motion) < EXACT

    for name in ("second", "take"):
        bpy.ops.anymove.remove_motion()
        assert name in bpy.data.actions
    assert rig.animation_data.action == own
    assert rig.animation_data.action_slot.identifier == slot
    assert reach.influence == 0.75
    bpy.context.scene.frame_set(7)
    assert np.array([bone.matrix for bone in rig.pose.bones]) == pytest.approx(np.array(before), abs=1e-6)


def drive(item, channel: str, expression: str, *index: int) -> None:
    item.driver_add(channel, *index).driver.expression = expression


def bag(rig):
    from anymove.addon.motion import curves

    return curves.channelbag(rig.animation_data.action, rig.animation_data.action_slot)


def test_strip_plays_as_the_action_does(rig, wolf, motion, tmp_path):
    own = rig.animation_data.action
    reach = rig.pose.bones["BackLowerLeg.L"].constraints.new("IK")
    reach.target, reach.subtarget, reach.chain_count, reach.influence = rig, "PoleTarget.L", 2, 0.75
    put(wolf, motion, tmp_path, nla=True, start=40)
    assert rig.animation_data.action is None
    assert rig.animation_data.nla_tracks[-1].strips[0].action.name == "take"
    assert worst(rig, wolf, motion, first=40) < EXACT
    bpy.context.scene.frame_set(39)
    assert reach.influence == 0.75
    bpy.ops.anymove.remove_motion()
    assert rig.animation_data.action == own


def test_rate_is_converted_or_taken_over_exactly(rig, wolf, motion, tmp_path):
    scene = bpy.context.scene
    film = Motion(24000 / 1001, motion.bone_names, motion.root, motion.quats, motion.rig_digest)
    scene.render.fps, scene.render.fps_base = 60, 1.0
    said = put(wolf, film, tmp_path)
    assert "converted from 23.976" in said
    at_60 = film.resample(60)
    assert (scene.render.fps, scene.render.fps_base) == (60, 1.0)
    assert worst(rig, wolf, at_60) < EXACT
    assert tuple(rig.animation_data.action.frame_range) == (1, at_60.frames)

    put(wolf, film, tmp_path, rate="MOTION", start=101, scene_range=True)
    assert scene.render.fps == 24
    assert scene.render.fps_base == pytest.approx(1.001, abs=1e-6)
    assert (scene.frame_start, scene.frame_end) == (101, 112)
    assert worst(rig, wolf, film, first=101) < EXACT


def test_in_place_keeps_all_but_the_travel(rig, wolf, motion, tmp_path):
    put(wolf, motion, tmp_path, in_place=True)
    held = motion.in_place(wolf.info.skeleton)
    assert np.ptp(held.root[:, :2], axis=0).max() == 0
    assert (held.root[:, 2] == motion.root[:, 2]).all()
    assert worst(rig, wolf, held) < EXACT


@pytest.mark.parametrize("shown_as", ["object", "collection"])
def test_linked_rig_is_refused_or_overridden(rig, wolf, motion, tmp_path, outcome, shown_as):
    library = tmp_path / "library.blend"
    rig.pose.bones["BackLowerLeg.L"].constraints.new("LIMIT_ROTATION").influence = 0.5
    made = bpy.data.collections.new("wolf")
    for item in list(bpy.context.scene.objects):
        made.objects.link(item)
    bpy.data.libraries.write(str(library), {made}, fake_user=True)
    linked = link(library, shown_as)
    with pytest.raises(RuntimeError, match="is linked and cannot be animated; make a library override"):
        put(wolf, motion, tmp_path)
    assert outcome().code == 2
    put(wolf, motion, tmp_path, make_override=True)
    over = next(o for o in bpy.context.scene.objects if o.override_library and o.type == "ARMATURE")
    assert over.override_library.reference == linked
    assert linked not in set(bpy.context.scene.objects)
    assert worst(over, wolf, motion) < EXACT
    # It lasts: saved, closed, opened again.
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    over = next(o for o in bpy.context.scene.objects if o.override_library and o.type == "ARMATURE")
    assert worst(over, wolf, motion) < EXACT
    bpy.context.view_layer.objects.active = over
    bpy.ops.anymove.remove_motion()
    assert over.pose.bones["BackLowerLeg.L"].constraints[0].influence == 0.5


def link(library: Path, shown_as: str):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = 24
    with bpy.data.libraries.load(str(library), link=True) as (stored, wanted):
        wanted.collections = stored.collections
    collection = wanted.collections[0]
    rig = next(o for o in collection.all_objects if o.type == "ARMATURE")
    if shown_as == "object":
        bpy.context.scene.collection.children.link(collection)
        bpy.context.view_layer.update()
        bpy.context.view_layer.objects.active = rig
    else:
        empty = bpy.data.objects.new("wolf", None)
        empty.instance_type, empty.instance_collection = "COLLECTION", collection
        bpy.context.scene.collection.objects.link(empty)
        bpy.context.view_layer.objects.active = empty
    return rig


def test_one_undo_takes_it_all_back(rig, wolf, motion, tmp_path):
    own = rig.animation_data.action.name
    bpy.ops.ed.undo_push(message="before")
    put(wolf, motion, tmp_path, scene_range=True)
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    found = next(o for o in bpy.context.scene.objects if o.type == "ARMATURE")
    assert found.animation_data.action.name == own
    assert "take" not in bpy.data.actions
    assert bpy.context.scene.frame_end == 250


def test_wrong_rig_is_one_line(rig, wolf, motion, tmp_path, outcome):
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["Head"].head.x += 0.002
    bpy.ops.object.mode_set(mode="OBJECT")
    with pytest.raises(RuntimeError, match=r"at rest bone Head stands .*% of the height from where"):
        put(wolf, motion, tmp_path)
    assert outcome().code == 2
    rig.data.bones["Head"].name = "Skull"
    with pytest.raises(RuntimeError, match=r"has no bone Head .* copy the motion to this rig"):
        put(wolf, motion, tmp_path)
    assert "take" not in bpy.data.actions


def test_nothing_to_remove_is_one_line(rig, outcome):
    with pytest.raises(RuntimeError, match="there is no motion of Anymove's on it"):
        bpy.ops.anymove.remove_motion()
    assert outcome().code == 2


def test_a_copy_is_saved_and_the_open_file_stays(rig, wolf, motion, tmp_path):
    put(wolf, motion, tmp_path, save_copy=str(tmp_path / "shot.blend"))
    assert not bpy.data.filepath
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    found = next(o for o in bpy.context.scene.objects if o.type == "ARMATURE")
    assert found.animation_data.action.name == "take"
    assert apply.RECORD in found.animation_data.action
    assert worst(found, wolf, motion) < EXACT
