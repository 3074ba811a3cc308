# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an artist changes about an adopted rig: joint limits and limb colours. Shown on the armature, kept in
rig_info.json."""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np

from ...mocap.rig_info import RigInfo
from ...mocap.skeleton import Bone, Skeleton

EDITED = "edited"
"""Where a bone's limits come from, once changed by hand."""
_SAME_RAD = 1e-4
_SAME_COLOUR = 2e-3
_LIKE = 0.7
"""Cosine between a bone's mirrored axis and its partner's, at least."""


def show(rig: bpy.types.Object, info: RigInfo) -> None:
    """Put limits and colours of rig_info.json on the armature, to be seen and changed there."""
    for bone in info.skeleton.bones:
        shown = rig.pose.bones[bone.name].anymove
        low, high = zip(*bone.limits)
        shown.low, shown.high = low, high
    rig.anymove_limbs.clear()
    for limb in info.skeleton.limbs:
        shown = rig.anymove_limbs.add()
        shown.name, shown.colour = limb.name, limb.colour


def applied(rig: bpy.types.Object, info: RigInfo) -> tuple[RigInfo, int, int]:
    """``info`` with the limits and colours that the armature shows, and how many of each are new."""
    skeleton = info.skeleton
    bones = tuple(_edited(rig.pose.bones[bone.name], bone) for bone in skeleton.bones)
    colours = {shown.name: tuple(shown.colour) for shown in rig.anymove_limbs}
    limbs = tuple(
        replace(limb, colour=colours[limb.name])
        if limb.name in colours and np.abs(np.subtract(colours[limb.name], limb.colour)).max() > _SAME_COLOUR
        else limb
        for limb in skeleton.limbs
    )
    turned = sum(new is not old for new, old in zip(bones, skeleton.bones))
    painted = sum(new is not old for new, old in zip(limbs, skeleton.limbs))
    made = Skeleton(skeleton.name, skeleton.height, bones, skeleton.joints, limbs)
    return RigInfo(made, info.layout, info.height_cm, info.clips, info.source), turned, painted


def _edited(shown: bpy.types.PoseBone, bone: Bone) -> Bone:
    limits = tuple(zip(map(float, shown.anymove.low), map(float, shown.anymove.high)))
    if np.abs(np.subtract(limits, bone.limits)).max() < _SAME_RAD:
        return bone
    return replace(bone, limits=limits, limits_from=EDITED)


def mirror(rig: bpy.types.Object, skeleton: Skeleton, names: list[str]) -> int:
    """Give the partners of these bones the mirrored limits; how many have one with mirrored axes."""
    done = 0
    for name in names:
        place = skeleton.bone_index(name)
        partner = partners(skeleton).get(place)
        if partner is None:
            continue
        likeness = _likeness(skeleton.rest[place], skeleton.rest[partner])
        if np.abs(likeness).min() < _LIKE:
            continue
        ranges = np.stack([rig.pose.bones[name].anymove.low[:], rig.pose.bones[name].anymove.high[:]], 1)
        turned = np.sort(ranges * np.sign(likeness)[:, None], axis=1)
        shown = rig.pose.bones[skeleton.bones[partner].name].anymove
        shown.low, shown.high = turned[:, 0], turned[:, 1]
        done += 1
    return done


def partners(skeleton: Skeleton) -> dict[int, int]:
    """Bone index to that of its mirror, by their joints and limbs."""
    found: dict[int, int] = {}
    for joint in skeleton.joints:
        if joint.mirror >= 0 and joint.kind == "head":
            found[joint.bone] = skeleton.joints[joint.mirror].bone
    for limb in skeleton.limbs:
        if limb.mirror >= 0:
            found.update(zip(limb.bones, skeleton.limbs[limb.mirror].bones))
    return {bone: other for bone, other in found.items() if bone != other}


def _likeness(rest: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(3,) near +1 or -1 where an angle about an axis of the bone is the same or the opposite about its partner's;
    small where their rolls differ otherwise.

    A rotation vector is a pseudo-vector: mirrored in the plane x = 0 it keeps x and turns y and z round.
    """
    mirrored = np.diag([1.0, -1.0, -1.0]) @ rest
    return (mirrored * other).sum(0)
