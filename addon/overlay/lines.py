# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to be drawn about a rig of the scene, as coloured lines and points in the world."""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np

from ...mocap.skeleton import Skeleton
from ..motion import pose
from . import shapes

SWING = (1.0, 0.72, 0.2, 0.9)
TWIST = (0.35, 0.75, 1.0, 0.9)
NOW = (1.0, 1.0, 1.0, 0.9)
GHOST = (0.45, 0.9, 0.55, 0.8)
FACING = (0.95, 0.85, 0.35, 0.9)
_REACH = 0.6
"""Length of a cone, of the bone's."""
_SHORTEST = 0.04
"""... but at least so much of the creature's height."""


class Shape(NamedTuple):
    """lines (M, 2, 3) or points (M, 1, 3) in the world, colours (M, 4)."""

    places: np.ndarray
    colours: np.ndarray


def of_one_colour(places: np.ndarray, colour: tuple) -> Shape:
    return Shape(places, np.tile(np.array(colour), (len(places), 1)))


def limits(rig: bpy.types.Object, skeleton: Skeleton, bones: list[str]) -> list[Shape]:
    """Cone and arc of each bone, as edited in the scene, riding on the bone's parent; and where the bone is now."""
    found: list[Shape] = []
    for name in bones:
        bone, index = rig.pose.bones[name], skeleton.bone_index(name)
        axis = skeleton.axes[index]
        length = max(_REACH * bone.length, _SHORTEST * skeleton.height)
        frame = _rest_frame(rig, bone)
        ranges = np.stack([bone.anymove.low[:], bone.anymove.high[:]], 1)
        loop = length * shapes.cone(ranges, axis)
        from_head = np.stack([np.zeros_like(shapes.spokes(loop)), shapes.spokes(loop)], 1)
        swing = np.concatenate([shapes.segments(loop, closed=True), from_head])
        found.append(of_one_colour(_placed(frame, swing), SWING))
        twist = 0.5 * length * shapes.arc(ranges, axis)
        ends = np.stack([np.zeros((2, 3)), twist[[0, -1]]], 1)
        found.append(of_one_colour(_placed(frame, np.concatenate([shapes.segments(twist), ends])), TWIST))
        now = np.array(rig.matrix_world @ bone.matrix)
        found.append(of_one_colour(_placed(now, np.array([[np.zeros(3), length * axis]])), NOW))
    return found


def _rest_frame(rig: bpy.types.Object, bone: bpy.types.PoseBone) -> np.ndarray:
    """(4, 4) where the bone would be in the world without a rotation of its own."""
    rest = bone.bone.matrix_local
    if bone.parent:
        rest = bone.parent.matrix @ bone.parent.bone.matrix_local.inverted() @ rest
    frame = np.array(rig.matrix_world @ rest)
    # A bone that moved takes its limits along.
    frame[:3, 3] = np.array(rig.matrix_world @ bone.matrix)[:3, 3]
    return frame


def _placed(frame: np.ndarray, places: np.ndarray) -> np.ndarray:
    return places @ frame[:3, :3].T + frame[:3, 3]


def joints(rig: bpy.types.Object, skeleton: Skeleton) -> Shape:
    """The points that are read, in their limbs' colours."""
    colours = np.ones((len(skeleton.bones), 4))
    for limb in skeleton.limbs:
        colours[list(limb.bones), :3] = limb.colour
    kept = skeleton.bare
    return Shape(pose.joints(rig, kept)[:, None], colours[kept.joint_bones])


def ghost(rig: bpy.types.Object, bones: np.ndarray) -> Shape:
    return of_one_colour(_placed(np.array(rig.matrix_world), bones), GHOST)


def facing(rig: bpy.types.Object, skeleton: Skeleton) -> Shape:
    """An arrow on the ground, from under the creature to where it looks: -Y in its own world."""
    heads, height = skeleton.heads, skeleton.height
    start = np.array([0.0, float(heads[:, 1].min()), 0.0])
    tip = start + np.array([0.0, -0.6 * height, 0.0])
    barbs = tip + height * np.array([[0.1, 0.15, 0], [-0.1, 0.15, 0]])
    arrow = np.stack([np.stack([start, tip]), np.stack([tip, barbs[0]]), np.stack([tip, barbs[1]])])
    return of_one_colour(_placed(np.array(rig.matrix_world), arrow), FACING)
