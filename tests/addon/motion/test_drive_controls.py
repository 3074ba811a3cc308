# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The controls of a rig are keyed, its deform bones are not, and yet they go where the motion says."""

from __future__ import annotations

import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
from anymove.addon.motion import apply, binding, curves, drive, survey, verify
from anymove.mocap import poses
from anymove.mocap import rotations as rot
from anymove.mocap.errors import BadInput
from anymove.mocap.motion import Motion
from anymove.mocap.rig_info import RigInfo
from anymove.mocap.skeleton import Bone, Joint, Skeleton

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rig"))
import rigify_rigs

pytestmark = pytest.mark.bpy

DEFORM = ("hips", "thigh.L", "shin.L", "foot.L", "thigh.R", "shin.R", "foot.R")
FREE = ((-np.pi, np.pi),) * 3


@pytest.fixture
def rig():
    """Hips on a master; IK legs with a foot control and a pole each."""
    item = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
    bpy.context.scene.collection.objects.link(item)
    bpy.context.view_layer.objects.active = item
    bpy.ops.object.mode_set(mode="EDIT")

    def bone(name, parent, head, tail):
        made = item.data.edit_bones.new(name)
        made.head, made.tail = head, tail
        made.parent = item.data.edit_bones[parent] if parent else None

    bone("master", None, (0, 0, 0), (0, 0.5, 0))
    bone("hips", "master", (0, 0, 1), (0, 0, 1.3))
    for side, x in (("L", 0.2), ("R", -0.2)):
        bone(f"thigh.{side}", "hips", (x, 0, 1), (x, -0.08, 0.55))
        bone(f"shin.{side}", f"thigh.{side}", (x, -0.08, 0.55), (x, 0, 0.1))
        bone(f"foot.{side}", f"shin.{side}", (x, 0, 0.1), (x, -0.2, 0.0))
        bone(f"foot_ik.{side}", "master", (x, 0, 0.1), (x, 0.2, 0.1))
        bone(f"pole.{side}", "master", (x, -0.9, 0.55), (x, -1.0, 0.55))
    bpy.ops.object.mode_set(mode="OBJECT")
    for side in "LR":
        reach = item.pose.bones[f"shin.{side}"].constraints.new("IK")
        reach.target, reach.subtarget, reach.chain_count = item, f"foot_ik.{side}", 2
        reach.pole_target, reach.pole_subtarget = item, f"pole.{side}"
        reach.pole_angle = -np.pi / 2
        held = item.pose.bones[f"foot.{side}"].constraints.new("COPY_ROTATION")
        held.target, held.subtarget = item, f"foot_ik.{side}"
    _settle(item)
    return item


def _settle(item) -> None:
    """The foot controls lie as the feet, so that the feet stay where they are at rest."""
    bpy.ops.object.mode_set(mode="EDIT")
    for side in "LR":
        foot, control = (item.data.edit_bones[f"{name}.{side}"] for name in ("foot", "foot_ik"))
        control.tail, control.roll = foot.tail, foot.roll
    bpy.ops.object.mode_set(mode="OBJECT")


def skeleton_of(rig) -> Skeleton:
    bones, joints = [], []
    for index, name in enumerate(DEFORM):
        bone = rig.data.bones[name]
        rest = tuple(map(tuple, np.array(bone.matrix_local)[:3, :3]))
        parent = DEFORM.index(bone.parent.name) if bone.parent.name in DEFORM else -1
        bones.append(Bone(name, parent, tuple(bone.head_local), tuple(bone.tail_local), rest, FREE, "free"))
        joints.append(Joint(name, index, tuple(bone.head_local), "head"))
        if name.startswith("foot"):
            joints.append(Joint(f"{name}_tip", index, tuple(bone.tail_local), "tip"))
    return Skeleton("walker", 1.3, tuple(bones), tuple(joints))


@pytest.fixture
def motion(rig):
    """Legs swing and bend, feet tilt, the hips sway: all that such a rig can do."""
    skeleton = skeleton_of(rig)
    at = np.linspace(0, 2 * np.pi, 13)
    away = np.zeros((len(at), len(DEFORM), 3))
    for side, phase in (("L", 0), ("R", np.pi)):
        swing = np.sin(at + phase)
        away[:, DEFORM.index(f"thigh.{side}")] = np.stack([0.4 * swing, 0.2 * swing, 0.25 * swing], 1)
        away[:, DEFORM.index(f"shin.{side}"), 0] = 0.5 + 0.4 * np.cos(at + phase)
        away[:, DEFORM.index(f"foot.{side}")] = 0.3 * np.stack([swing, np.cos(at), swing], 1)
    away[:, 0] = 0.2 * np.stack([np.sin(at), np.cos(at), np.sin(2 * at)], 1)
    # Turns about the world's axes at rest, whatever the bones' own.
    local = np.swapaxes(skeleton.rest, -1, -2) @ rot.exp_so3(away) @ skeleton.rest
    root = skeleton.heads[0] + 0.1 * np.stack([np.sin(at), at / 6, np.cos(at) - 1], 1)
    return Motion(24, skeleton.bone_names, root, rot.quat_continuous(rot.matrix_to_quat(local)), "walker")


def silent(items, what, total):
    return items


def test_controls_are_found_by_what_they_do(rig):
    bound = binding.bind(rig, skeleton_of(rig))
    plan = survey.plan(bound, survey.controls(rig, bound))
    brought = {control.name: DEFORM[anchor] for level in plan.levels for control, anchor in level}
    assert brought == {"hips": "hips", "foot_ik.L": "foot.L", "foot_ik.R": "foot.R"}
    assert {control.name: [DEFORM[b] for b in bones] for control, bones in plan.swivels} == {
        "pole.L": ["thigh.L", "shin.L"],
        "pole.R": ["thigh.R", "shin.R"],
    }
    assert plan.others == ["master"]


def test_joints_follow_and_constraints_stay(rig, motion):
    skeleton = skeleton_of(rig)
    done = drive.put(rig, skeleton, motion, apply.Placing("walk"), silent)
    assert sorted(done.controls) == ["foot_ik.L", "foot_ik.R", "hips", "pole.L", "pole.R"]
    assert (done.applied.switched, done.applied.drivers) == (0, 0)
    off = verify.off(bpy.context.scene, rig, skeleton, motion, 1, list(range(motion.frames)))
    assert off.worst < 1e-3
    data = rig.animation_data
    paths = {curve.data_path for curve in curves.channelbag(data.action, data.action_slot).fcurves}
    assert not any("thigh" in path or "shin" in path or '"foot.' in path for path in paths)
    assert all(c.influence == 1 and not c.mute for bone in rig.pose.bones for c in bone.constraints)


def test_state_before_comes_back(rig, motion):
    rig.pose.bones["master"].location = (1, 2, 0)
    rig.pose.bones["pole.L"].location = (0.1, 0, 0)
    drive.put(rig, skeleton_of(rig), motion, apply.Placing("walk"), silent)
    off = verify.off(bpy.context.scene, rig, skeleton_of(rig), motion, 1, list(range(motion.frames)))
    assert off.worst < 1e-3
    apply.remove(rig)
    assert tuple(rig.pose.bones["master"].location) == (1, 2, 0)
    assert tuple(rig.pose.bones["pole.L"].location) == pytest.approx((0.1, 0, 0))
    assert rig.animation_data.action is None


def test_without_controls_one_line(rig, motion):
    for bone in rig.data.bones:
        bone.hide = True
    with pytest.raises(BadInput, match="no control that can be seen moves its bones"):
        drive.put(rig, skeleton_of(rig), motion, apply.Placing("walk"), silent)
    assert not bpy.data.actions


def test_rigify_human_by_its_controls(tmp_path, outcome):
    path = rigify_rigs.generate("human", tmp_path / "human.blend")
    home = tmp_path / "human"
    bpy.ops.anymove.adopt_rig(filepath=str(path), creature=str(home))
    info = RigInfo.load(home / "rigged" / "rig_info.json")
    motion = poses.random_motion(info.skeleton, 4, 6, 24, info.digest)
    motion.save(tmp_path / "take.json")
    bpy.ops.wm.open_mainfile(filepath=str(path))
    rig = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    bpy.ops.anymove.apply_to_rig(
        rig_info=str(home / "rigged" / "rig_info.json"),
        motion=str(tmp_path / "take.json"),
        armature=rig.name,
        controls=True,
    )
    assert "controls keyed" in outcome().message
    data = rig.animation_data
    bag = curves.channelbag(data.action, data.action_slot)
    moving = {c.data_path.split('"')[1] for c in bag.fcurves if len(c.keyframe_points) > 1}
    assert moving >= {"torso", "chest", "head", "hand_ik.L", "foot_ik.R", "thigh_ik.L", "upper_arm_ik.R"}
    assert not any(name.startswith(("DEF-", "ORG-", "MCH-")) for name in moving)
    off = verify.off(bpy.context.scene, rig, info.skeleton, motion, 1, list(range(motion.frames)))
    assert off.mean < 1e-3
    assert off.worst < 1e-2
