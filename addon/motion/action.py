# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a Motion as one slotted Action, in bulk; read back what the rig does with it."""

from __future__ import annotations

import bpy
import numpy as np
from bpy_extras import anim_utils

from ...mocap.motion import JointTrack, Motion
from ...mocap.rig_info import RigInfo
from . import pose


def write(
    rig: bpy.types.Object, info: RigInfo, motion: Motion, name: str, first_frame: int = 1
) -> bpy.types.Action:
    """One keyframe per frame and channel, linear between. Replaces no action: a new one is made and
    assigned with its slot. Sixty bones over a thousand frames take a tenth of a second."""
    data = rig.animation_data_create()
    action = bpy.data.actions.new(name)
    slot = action.slots.new(id_type=rig.id_type, name=rig.name)
    bag = _channelbag(action, slot)
    frames = np.arange(motion.frames, dtype=np.float32) + first_frame
    for index, bone in enumerate(motion.bone_names):
        path = rig.pose.bones[bone].path_from_id("rotation_quaternion")
        for axis in range(4):
            _curve(bag, path, axis, bone, frames, motion.quats[:, index, axis])
    root = motion.bone_names[0]
    location = pose.root_location(info.skeleton, motion.root)
    for axis in range(3):
        _curve(bag, rig.pose.bones[root].path_from_id("location"), axis, root, frames, location[:, axis])
    data.action = action
    data.action_slot = slot
    return action


def _channelbag(action: bpy.types.Action, slot: bpy.types.ActionSlot) -> bpy.types.ActionChannelbag:
    if hasattr(anim_utils, "action_ensure_channelbag_for_slot"):
        return anim_utils.action_ensure_channelbag_for_slot(action, slot)
    # Blender 4.5 has the layered action but not the helper.
    layer = action.layers[0] if action.layers else action.layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True)


def _curve(
    bag: bpy.types.ActionChannelbag, path: str, axis: int, group: str, frames: np.ndarray, values: np.ndarray
) -> None:
    curve = bag.fcurves.new(path, index=axis)
    curve.group = bag.groups.get(group) or bag.groups.new(group)
    points = curve.keyframe_points
    points.add(len(frames))
    points.foreach_set("co", np.stack([frames, values.astype(np.float32)], 1).ravel())
    linear = bpy.types.Keyframe.bl_rna.properties["interpolation"].enum_items["LINEAR"].value
    points.foreach_set("interpolation", np.full(len(frames), linear, np.int32))
    curve.update()


def read_joints(
    scene: bpy.types.Scene,
    rig: bpy.types.Object,
    info: RigInfo,
    frames: int,
    fps: float,
    first_frame: int = 1,
) -> JointTrack:
    """Play the rig's action and record where its joints really are, and each bone's local rotation."""
    positions, quats = [], []
    for frame in range(first_frame, first_frame + frames):
        scene.frame_set(frame)
        positions.append(pose.joints(rig, info.skeleton))
        quats.append([rig.pose.bones[b].matrix_basis.to_quaternion()[:] for b in info.skeleton.bone_names])
    return JointTrack(fps, info.skeleton.joint_names, np.array(positions), info.digest, np.array(quats))
