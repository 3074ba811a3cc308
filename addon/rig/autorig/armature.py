# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fitted skeleton as an armature. Adds one object to the given scene."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Vector

from ....mocap.fitting.fit import Fit, FitBone

NAME = "Anymove Fit"


def build(scene: bpy.types.Scene, fit: Fit) -> bpy.types.Object:
    """Bones in the fitting frame; each bone's X axis lies across the body, so that X bends it."""
    data = bpy.data.armatures.new(NAME)
    item = bpy.data.objects.new(NAME, data)
    scene.collection.objects.link(item)
    window = bpy.context.window
    shown, window.scene = window.scene, scene
    try:
        scene.view_layers[0].objects.active = item
        bpy.ops.object.mode_set(mode="EDIT")
        for bone in fit.bones:
            edit = data.edit_bones.new(bone.name)
            edit.head, edit.tail = Vector(bone.head), Vector(bone.tail)
            edit.align_roll(Vector(_z_axis(bone)))
            if bone.parent:
                edit.parent = data.edit_bones[bone.parent]
        bpy.ops.object.mode_set(mode="OBJECT")
    finally:
        window.scene = shown
    return item


def _z_axis(bone: FitBone) -> np.ndarray:
    """Across the bone in the sagittal plane; for bones that run sideways (arms, wings), upwards, so that X
    bends them fore and aft."""
    along = bone.tail - bone.head
    along = along / np.linalg.norm(along)
    if abs(along[0]) > 0.8:
        return np.array([0.0, 0.0, 1.0])
    return np.cross([1.0, 0.0, 0.0], along)
