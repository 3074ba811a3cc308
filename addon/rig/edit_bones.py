# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make an armature: bones exist only in edit mode, which wants the scene shown and the object active."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import bpy


@contextlib.contextmanager
def new_armature(scene: bpy.types.Scene, name: str) -> Iterator[bpy.types.Object]:
    """Yield a new armature object of ``scene`` in edit mode; it is back in object mode afterwards, and the
    scene that was shown is shown again."""
    item = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    scene.collection.objects.link(item)
    with editing(scene, item):
        yield item


@contextlib.contextmanager
def editing(scene: bpy.types.Scene, item: bpy.types.Object) -> Iterator[bpy.types.ArmatureEditBones]:
    """The edit bones of an armature object of ``scene``; as ``new_armature``."""
    window = bpy.context.window
    shown, window.scene = window.scene, scene
    try:
        scene.view_layers[0].objects.active = item
        bpy.ops.object.mode_set(mode="EDIT")
        yield item.data.edit_bones
        bpy.ops.object.mode_set(mode="OBJECT")
    finally:
        window.scene = shown
