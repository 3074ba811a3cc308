# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Joint limits as XYZ Euler ranges: from constraints, else from the rig's own clips, else by limb type."""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np

from ...mocap import rotations as rot
from . import limb_limits

MARGIN = np.radians(8.0)
"""Clips show what a joint did, not all it can: this is added on both ends."""
ROOT = np.radians(180.0)


class Limits(NamedTuple):
    ranges: np.ndarray
    """(B, 3, 2) radians."""
    sources: list[str]
    """"free" (the root), "constraint", "clips" or "limb type"."""


class ChainPlace(NamedTuple):
    """Where a bone stands: limb kind, place in its limb, bones in it, its direction and its parent's."""

    kind: str
    place: int
    count: int
    along: np.ndarray
    before: np.ndarray | None


def gather(
    pose_bones: list[bpy.types.PoseBone],
    clip_quats: list[np.ndarray],
    rest: np.ndarray,
    chain: list[ChainPlace],
) -> Limits:
    """pose_bones: the source's, in skeleton order. clip_quats: per clip (T, B, 4) local rotations. rest
    (B, 3, 3): rest orientations in the clean world. The rest pose is allowed always."""
    ranges, sources = np.empty((len(pose_bones), 3, 2)), []
    quats = np.concatenate(clip_quats) if clip_quats else None
    for bone, pose_bone in enumerate(pose_bones):
        constrained = None if bone == 0 else from_constraints(pose_bone)
        if bone == 0:
            # The whole creature turns with its root; where it may turn is the studio's business.
            ranges[bone], source = (-ROOT, ROOT), "free"
        elif constrained is not None:
            ranges[bone], source = _with_rest(constrained), "constraint"
        elif quats is not None:
            ranges[bone], source = _from_clips(quats[:, bone]), "clips"
        else:
            place = chain[bone]
            ranges[bone] = limb_limits.ranges(
                place.kind, place.place, place.count, rest[bone], place.along, place.before
            )
            source = "limb type"
        sources.append(source)
    return Limits(ranges, sources)


def from_constraints(bone: bpy.types.PoseBone) -> np.ndarray | None:
    """(3, 2) Limit Rotation in local space, else the bone's IK limits; None where neither limits all axes."""
    for constraint in bone.constraints:
        if constraint.type == "LIMIT_ROTATION" and constraint.owner_space == "LOCAL" and not constraint.mute:
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
    """(3, 2) range of one bone over all clips plus the margin."""
    eulers = rot.matrix_to_euler(rot.quat_to_matrix(quats))
    low, high = np.percentile(eulers, [0.5, 99.5], axis=0)
    return _with_rest(np.stack([low - MARGIN, high + MARGIN], -1))


def _with_rest(ranges: np.ndarray) -> np.ndarray:
    return np.stack([np.minimum(ranges[:, 0], 0), np.maximum(ranges[:, 1], 0)], -1)
