# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh as it is at rest: shape keys at their basis, modifiers applied, no armature.

Adds new mesh data only; the object and its data stay as they are.
"""

from __future__ import annotations

import bpy

FOLLOWING = {"MIRROR", "SUBSURF", "SOLIDIFY", "TRIANGULATE", "EDGE_SPLIT", "WELD", "WEIGHTED_NORMAL"}
"""Modifiers after the armature that can as well be applied at rest; others there are left out."""


def make(item: bpy.types.Object) -> bpy.types.Mesh:
    """New mesh data in the object's own space; its vertices keep their groups."""
    if any(m.type != "ARMATURE" and m.show_viewport for m in item.modifiers):
        return _evaluated(item)
    data = item.data.copy()
    if data.shape_keys:
        _clear_shape_keys(data)
    return data


def ignored(item: bpy.types.Object) -> list[str]:
    """Names of modifiers that ``make`` leaves out."""
    return [m.name for m in _after_armature(item) if m.type not in FOLLOWING and m.show_viewport]


def _after_armature(item: bpy.types.Object) -> list[bpy.types.Modifier]:
    found = [i for i, m in enumerate(item.modifiers) if m.type == "ARMATURE"]
    return list(item.modifiers[found[-1] + 1 :]) if found else []


def _evaluated(item: bpy.types.Object) -> bpy.types.Mesh:
    """Through a copy of the object in a scene of its own, where modifiers may be taken away."""
    scene = bpy.data.scenes.new("Anymove Rest")
    copy = item.copy()
    try:
        scene.collection.objects.link(copy)
        copy.show_only_shape_key, copy.active_shape_key_index = True, 0
        gone = set(ignored(item)) | {m.name for m in item.modifiers if m.type == "ARMATURE"}
        for name in gone:
            copy.modifiers.remove(copy.modifiers[name])
        for modifier in copy.modifiers:
            if modifier.type == "SUBSURF":
                # Two levels make sixteen faces of one: nothing that a reader would see.
                modifier.levels = min(modifier.levels, 1)
        layer = scene.view_layers[0]
        layer.update()
        graph = layer.depsgraph
        return bpy.data.meshes.new_from_object(
            copy.evaluated_get(graph), preserve_all_data_layers=True, depsgraph=graph
        )
    finally:
        bpy.data.objects.remove(copy)
        bpy.data.scenes.remove(scene)


def _clear_shape_keys(data: bpy.types.Mesh) -> None:
    """Keep the basis: faces are not part of the motion, and keys would override moved vertices."""
    holder = bpy.data.objects.new("shape keys", data)
    holder.shape_key_clear()
    bpy.data.objects.remove(holder)
