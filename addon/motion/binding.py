# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a skeleton's bones are on an armature of the user's, and what its pose channels must be for them to
move as a motion says: whatever the armature's scale, extra bones and parents."""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np

from ...mocap import rotations as rot
from ...mocap.errors import BadInput
from ...mocap.skeleton import Skeleton

FIT = 1e-3
"""A bone may stand this far, in heights, from where the skeleton has it at rest."""


class Binding(NamedTuple):
    """The similarity from the skeleton's world to armature space, and the bones that take part."""

    skeleton: Skeleton
    scale: float
    turn: np.ndarray
    """(3, 3)"""
    shift: np.ndarray
    """(3,) armature space"""
    bones: list[str]
    """The skeleton's bones and everything above them in the armature, parents first."""
    rest: np.ndarray
    """(N, 4, 4) rest matrices of ``bones``, armature space."""

    def points(self, world: np.ndarray) -> np.ndarray:
        """Points (..., 3) of the skeleton's world in armature space."""
        return self.scale * world @ self.turn.T + self.shift


class BoneChannels(NamedTuple):
    """What one pose bone must have over T frames: ``matrix_basis`` without scale."""

    location: np.ndarray
    """(T, 3)"""
    quats: np.ndarray
    """(T, 4) wxyz, continuous in sign."""


def bind(rig: bpy.types.Object, skeleton: Skeleton) -> Binding:
    """Raises BadInput where a bone is missing or stands elsewhere than in the skeleton."""
    there = rig.data.bones
    missing = [name for name in skeleton.bone_names if name not in there]
    if missing:
        raise BadInput(
            f"armature {rig.name}: has no bone {missing[0]} ({len(missing)} of {len(skeleton.bones)} are "
            "missing); select the rig that was adopted, or copy the motion to this rig (retarget)"
        )
    own = np.array([np.array(there[name].matrix_local) for name in skeleton.bone_names])
    turn = _mean_turn(own[:, :3, :3], skeleton.rest)
    scale = _scale(own[:, :3, 3], skeleton)
    middle = skeleton.heads.mean(0)
    shift = own[:, :3, 3].mean(0) - scale * turn @ middle
    bones = _with_ancestors(rig, skeleton)
    rest = np.array([np.array(there[name].matrix_local) for name in bones])
    found = Binding(skeleton, scale, turn, shift, bones, rest)
    gap = np.linalg.norm(found.points(skeleton.heads) - own[:, :3, 3], axis=1) / (scale * skeleton.height)
    if gap.max() > FIT:
        worst = int(gap.argmax())
        raise BadInput(
            f"armature {rig.name}: at rest bone {skeleton.bone_names[worst]} stands {100 * gap[worst]:.1f}% of "
            "the height from where rig_info.json has it; adopt this rig anew, or copy the motion to it (retarget)"
        )
    return found


def _mean_turn(own: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """The rotation G that best gives ``own = G rest`` over all bones (B, 3, 3)."""
    u, _, vt = np.linalg.svd((own @ np.swapaxes(rest, -1, -2)).sum(0))
    return u @ np.diag([1, 1, np.sign(np.linalg.det(u @ vt))]) @ vt


def _scale(heads: np.ndarray, skeleton: Skeleton) -> float:
    """Armature units per metre of the skeleton's world."""
    spread = np.linalg.norm(skeleton.heads - skeleton.heads.mean(0))
    if spread < 1e-6 * skeleton.height:
        return 1.0
    return float(np.linalg.norm(heads - heads.mean(0)) / spread)


def _with_ancestors(rig: bpy.types.Object, skeleton: Skeleton) -> list[str]:
    wanted = set(skeleton.bone_names)
    for name in skeleton.bone_names:
        wanted.update(bone.name for bone in rig.data.bones[name].parent_recursive)
    depth = {bone.name: len(bone.parent_recursive) for bone in rig.data.bones if bone.name in wanted}
    return sorted(depth, key=depth.get)


def matrices(bound: Binding, root: np.ndarray, quats: np.ndarray) -> np.ndarray:
    """(T, B, 4, 4) pose matrices of the skeleton's bones in armature space.

    root (T, 3) world metres and quats (T, B, 4), as in a Motion.
    """
    skeleton, turn = bound.skeleton, bound.turn
    posed = skeleton.pose(root, quats)
    place = [bound.bones.index(name) for name in skeleton.bone_names]
    away = turn @ posed.turns @ turn.T
    out = np.zeros((*posed.heads.shape[:2], 4, 4))
    out[..., 3, 3] = 1
    out[..., :3, :3] = away @ bound.rest[place, :3, :3]
    # What little the armature's rest differs rides on the bone.
    rider = bound.rest[place, :3, 3] - bound.points(skeleton.heads)
    out[..., :3, 3] = bound.points(posed.heads) + (away @ rider[..., None])[..., 0]
    return out


def channels(rig: bpy.types.Object, bound: Binding, target: np.ndarray) -> dict[str, BoneChannels]:
    """Channels of every bone of ``bound`` that put the skeleton's bones at ``target`` (T, B, 4, 4), with the
    bones above them at rest and no constraint at work. Follows each bone's inheritance flags."""
    frames = len(target)
    wanted = {name: index for index, name in enumerate(bound.skeleton.bone_names)}
    pose: dict[str, np.ndarray] = {}
    out = {}
    for name, rest in zip(bound.bones, bound.rest):
        bone = rig.data.bones[name]
        stands, along = _unposed(bone, rest, pose, bound, frames)
        if name not in wanted:
            pose[name] = stands
            out[name] = BoneChannels(np.zeros((1, 3)), np.array([[1.0, 0, 0, 0]]))
            continue
        goal = target[:, wanted[name]].copy()
        offset = goal[:, :3, 3] - stands[:, :3, 3]
        location = (np.swapaxes(along, -1, -2) @ offset[..., None])[..., 0]
        if bone.use_connect and bone.parent:
            goal[:, :3, 3], location = stands[:, :3, 3], np.zeros((frames, 3))
        pose[name] = goal
        local = np.swapaxes(stands[:, :3, :3], -1, -2) @ goal[:, :3, :3]
        out[name] = BoneChannels(location, rot.quat_continuous(rot.matrix_to_quat(local)))
    return out


def _unposed(
    bone: bpy.types.Bone, rest: np.ndarray, pose: dict[str, np.ndarray], bound: Binding, frames: int
) -> tuple[np.ndarray, np.ndarray]:
    """(T, 4, 4) where the bone stands without a pose of its own, and (T, 3, 3) the axes of its location."""
    if bone.parent is None:
        stands = np.broadcast_to(rest, (frames, 4, 4))
    else:
        above = bone.parent.name
        stands = pose[above] @ np.linalg.inv(bound.rest[bound.bones.index(above)]) @ rest
    along = stands[:, :3, :3] if bone.use_local_location else np.broadcast_to(np.eye(3), (frames, 3, 3))
    if not bone.use_inherit_rotation:
        stands = stands.copy()
        stands[:, :3, :3] = rest[:3, :3]
    return stands, along
