# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Joint limits as XYZ Euler ranges: from constraints, else from the rig's own clips, else defaults."""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np

from ...mocap import rotations as rot

MARGIN = np.radians(8.0)
"""Clips show what a joint did, not all it can: this is added on both ends."""
DEFAULT = np.radians(40.0)
ROOT = np.radians(180.0)


class Limits(NamedTuple):
    ranges: np.ndarray
    """(B, 3, 2) radians."""
    sources: list[str]


def gather(pose_bones: list[bpy.types.PoseBone], parents: list[int], clip_quats: list[np.ndarray]) -> Limits:
    """pose_bones: the source's, in skeleton order. clip_quats: per clip (T, B, 4) local rotations."""
    chain = _chain_lengths(parents)
    ranges, sources = np.empty((len(parents), 3, 2)), []
    quats = np.concatenate(clip_quats) if clip_quats else None
    for bone, pose_bone in enumerate(pose_bones):
        constrained = None if bone == 0 else _from_constraints(pose_bone)
        if bone == 0:
            # The whole creature turns with its root; where it may turn is the studio's business.
            ranges[bone], source = (-ROOT, ROOT), "default"
        elif constrained is not None:
            ranges[bone], source = constrained, "constraint"
        elif quats is not None:
            ranges[bone], source = _from_clips(quats[:, bone]), "clips"
        else:
            reach = DEFAULT * min(1.0, 4 / chain[bone])
            ranges[bone], source = (-reach, reach), "default"
        sources.append(source)
    return Limits(ranges, sources)


def _from_constraints(bone: bpy.types.PoseBone) -> np.ndarray | None:
    """Limit Rotation in local space, else the bone's IK limits; None where neither limits all axes."""
    for constraint in bone.constraints:
        if constraint.type == "LIMIT_ROTATION" and constraint.owner_space == "LOCAL":
            used = [getattr(constraint, f"use_limit_{axis}") for axis in "xyz"]
            if any(used):
                return np.array(
                    [
                        [getattr(constraint, f"min_{axis}"), getattr(constraint, f"max_{axis}")]
                        if use
                        else [-ROOT, ROOT]
                        for axis, use in zip("xyz", used)
                    ]
                )
    if all(getattr(bone, f"use_ik_limit_{axis}") for axis in "xyz"):
        return np.array([[getattr(bone, f"ik_min_{a}"), getattr(bone, f"ik_max_{a}")] for a in "xyz"])
    return None


def _from_clips(quats: np.ndarray) -> np.ndarray:
    """(3, 2) range of one bone over all clips plus the margin; the rest pose is always allowed."""
    eulers = rot.matrix_to_euler(rot.quat_to_matrix(quats))
    low, high = np.percentile(eulers, [0.5, 99.5], axis=0)
    return np.stack([np.minimum(low - MARGIN, 0), np.maximum(high + MARGIN, 0)], -1)


def _chain_lengths(parents: list[int]) -> list[int]:
    """How many bones each bone's unbranched chain has: long chains share the bend."""
    children = [parents.count(bone) for bone in range(len(parents))]
    start = list(range(len(parents)))
    for bone, parent in enumerate(parents):
        if parent > 0 and children[parent] == 1:
            start[bone] = start[parent]
    return [start.count(start[bone]) for bone in range(len(parents))]
