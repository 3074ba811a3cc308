# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fitted skeleton as an armature. Adds one object to the given scene."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Vector

from ....mocap.fitting import templates
from ....mocap.fitting.fit import Fit, FitBone, FitLimb
from ..edit_bones import new_armature

NAME = "Anymove Fit"
BENT = 0.06
"""A limb lies in a plane of its own where it leaves the straight line by this share of its length."""


def build(scene: bpy.types.Scene, fit: Fit) -> bpy.types.Object:
    """Bones in the fitting frame; each bone's X axis is the one its limb bends about: the normal of the
    plane the limb lies in, across the body where the limb is straight."""
    hinges = {bone: axis for limb in fit.limbs for bone, axis in _hinges(fit, limb).items()}
    with new_armature(scene, NAME) as item:
        for bone in fit.bones:
            edit = item.data.edit_bones.new(bone.name)
            edit.head, edit.tail = Vector(bone.head), Vector(bone.tail)
            edit.align_roll(Vector(_z_axis(bone, hinges.get(bone.name))))
            if bone.parent:
                edit.parent = item.data.edit_bones[bone.parent]
    return item


def _hinges(fit: Fit, limb: FitLimb) -> dict[str, np.ndarray]:
    """The axis that a bent limb's bones turn about; nothing for limbs that are straight or in the middle.
    Both sides turn the same way for the same angle: the axes are mirrored as axes of rotation are."""
    chain = [bone for bone in fit.bones if bone.name in limb.bones and not _is_collar(bone, limb, fit)]
    if not limb.side or len(chain) < 2:
        return {}
    points = np.array([bone.head for bone in chain] + [chain[-1].tail])
    _, size, axes = np.linalg.svd(points - points.mean(0))
    if size[1] < BENT * size[0]:
        return {}
    axis = axes[2]
    side = 1.0 if limb.side == "L" else -1.0
    leading = axis[0] if abs(axis[0]) > 0.3 else side * (axis[1] if abs(axis[1]) > 0.3 else axis[2])
    return {bone.name: axis if leading > 0 else -axis for bone in chain}


def _is_collar(bone: FitBone, limb: FitLimb, fit: Fit) -> bool:
    """The first bone of a limb where it runs from the trunk's middle to the limb's root."""
    collars = {chain.collar for chain in templates.get(fit.template).limbs if chain.collar}
    return bone.name.removesuffix(f".{limb.side}") in collars


def _z_axis(bone: FitBone, hinge: np.ndarray | None) -> np.ndarray:
    """Such that X is the hinge; else across the body; for bones that run sideways X bends them fore and
    aft."""
    along = bone.tail - bone.head
    along = along / np.linalg.norm(along)
    if hinge is not None:
        return np.cross(hinge, along)
    if abs(along[0]) > 0.8:
        return np.array([0.0, 0.0, 1.0])
    return np.cross([1.0, 0.0, 0.0], along)
