# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a Motion onto the clean rig as one slotted Action, in bulk; read back what a rig does."""

from __future__ import annotations

import bpy
import numpy as np

from ...mocap.motion import JointTrack, Motion
from ...mocap.rig_info import RigInfo
from . import curves, pose


def write(
    rig: bpy.types.Object, info: RigInfo, motion: Motion, name: str, first_frame: int = 1
) -> bpy.types.Action:
    """One keyframe per frame and channel, linear between. Replaces no action: a new one is made and
    assigned with its slot. For any rig of the user's, see ``apply``."""
    action, slot, bag = curves.new_action(rig, name)
    frames = np.arange(motion.frames) + first_frame
    for index, bone in enumerate(motion.bone_names):
        path = rig.pose.bones[bone].path_from_id("rotation_quaternion")
        curves.vector(bag, path, bone, frames, motion.quats[:, index])
    root = motion.bone_names[0]
    location = pose.root_location(info.skeleton, motion.root)
    curves.vector(bag, rig.pose.bones[root].path_from_id("location"), root, frames, location)
    curves.assign(rig.animation_data_create(), action, slot)
    return action


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
    # Blender 4.5 writes poses back to the rig only once the scene's depsgraph has been used.
    scene.view_layers[0].update()
    for frame in range(first_frame, first_frame + frames):
        scene.frame_set(frame)
        positions.append(pose.joints(rig, info.skeleton))
        quats.append([rig.pose.bones[b].matrix_basis.to_quaternion()[:] for b in info.skeleton.bone_names])
    return JointTrack(fps, info.skeleton.joint_names, np.array(positions), info.digest, np.array(quats))
