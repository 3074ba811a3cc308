# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pose a clean rig (rigged.blend's armature) from a Motion's values, one frame at a time."""

from __future__ import annotations

import bpy
import numpy as np

from ...mocap.skeleton import Skeleton


def set_pose(rig: bpy.types.Object, skeleton: Skeleton, root: np.ndarray, quats: np.ndarray) -> None:
    """root (3,) world metres, quats (B, 4). Does not update the depsgraph."""
    pose_bones = rig.pose.bones
    for name, quat in zip(skeleton.bone_names, quats):
        pose_bones[name].rotation_quaternion = quat
    pose_bones[skeleton.bone_names[0]].location = root_location(skeleton, root)


def root_location(skeleton: Skeleton, root: np.ndarray) -> np.ndarray:
    """World positions (..., 3) of the root's head to the root pose bone's location channel."""
    return (root - skeleton.heads[0]) @ skeleton.rest[0]


def bone_matrices(rig: bpy.types.Object, skeleton: Skeleton) -> np.ndarray:
    """(B, 4, 4) evaluated pose matrices in the world."""
    world = np.array(rig.matrix_world)
    return np.array([world @ np.array(rig.pose.bones[name].matrix) for name in skeleton.bone_names])


def joints(rig: bpy.types.Object, skeleton: Skeleton) -> np.ndarray:
    """(J, 3) joints of the evaluated pose in the world."""
    matrices = bone_matrices(rig, skeleton)[skeleton.joint_bones]
    offsets = skeleton.joint_points - skeleton.heads[skeleton.joint_bones]
    local = np.einsum("jki,jk->ji", skeleton.rest[skeleton.joint_bones], offsets)
    return matrices[:, :3, 3] + np.einsum("jik,jk->ji", matrices[:, :3, :3], local)
