# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the clean rig: deform bones only, unit transforms, real size, standing on the origin facing -Y.

Adds objects to the given scene only.
"""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Vector

from .source import Source

ARMATURE = "Anymove Rig"


class CleanBone(NamedTuple):
    """A bone to make, in the clean rig's world (metres)."""

    name: str
    parent: int
    head: np.ndarray
    turn: np.ndarray
    """(3, 3) rest orientation."""
    length: float


def armature(scene: bpy.types.Scene, bones: list[CleanBone]) -> bpy.types.Object:
    """Make the armature; bone matrices match ``turn`` and ``head`` to single precision."""
    data = bpy.data.armatures.new(ARMATURE)
    item = bpy.data.objects.new(ARMATURE, data)
    scene.collection.objects.link(item)
    window = bpy.context.window
    shown, window.scene = window.scene, scene
    try:
        scene.view_layers[0].objects.active = item
        bpy.ops.object.mode_set(mode="EDIT")
        made = []
        for bone in bones:
            edit = data.edit_bones.new(bone.name)
            edit.head = Vector(bone.head)
            edit.tail = Vector(bone.head + bone.turn[:, 1] * bone.length)
            edit.align_roll(Vector(bone.turn[:, 2]))
            if bone.parent >= 0:
                edit.parent = made[bone.parent]
            made.append(edit)
        bpy.ops.object.mode_set(mode="OBJECT")
    finally:
        window.scene = shown
    for pose_bone in item.pose.bones:
        pose_bone.rotation_mode = "QUATERNION"
    return item


def meshes(
    scene: bpy.types.Scene,
    source: Source,
    rig: bpy.types.Object,
    to_clean: np.ndarray,
    weights: list[np.ndarray],
) -> list[bpy.types.Object]:
    """Copy each mesh at rest into the clean world, with new weights for the clean rig's bones.

    to_clean (4, 4): similarity from the source's world. weights: per mesh (V, B), rows sum to one.
    """
    names = [bone.name for bone in rig.data.bones]
    return [
        _mesh(scene, original, rig, to_clean, names, table) for original, table in zip(source.meshes, weights)
    ]


def _mesh(
    scene: bpy.types.Scene,
    original: bpy.types.Object,
    rig: bpy.types.Object,
    to_clean: np.ndarray,
    names: list[str],
    weights: np.ndarray,
) -> bpy.types.Object:
    data = original.data.copy()
    data.name = original.data.name
    if data.shape_keys:
        _clear_shape_keys(data)
    matrix = to_clean @ np.array(original.matrix_world)
    flat = np.empty(len(data.vertices) * 3)
    data.vertices.foreach_get("co", flat)
    flat = flat.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    data.vertices.foreach_set("co", flat.ravel())
    if np.linalg.det(matrix[:3, :3]) < 0:
        data.flip_normals()
    data.update()
    item = bpy.data.objects.new(original.name, data)
    scene.collection.objects.link(item)
    item.vertex_groups.clear()
    groups = [item.vertex_groups.new(name=name) for name in names]
    for vertex, bone in zip(*np.nonzero(weights > 1e-4)):
        groups[bone].add([int(vertex)], float(weights[vertex, bone]), "REPLACE")
    item.parent = rig
    modifier = item.modifiers.new("Armature", "ARMATURE")
    modifier.object = rig
    return item


def _clear_shape_keys(data: bpy.types.Mesh) -> None:
    """Keep the basis: faces are not part of the motion, and keys would override the moved vertices."""
    holder = bpy.data.objects.new("shape keys", data)
    holder.shape_key_clear()
    bpy.data.objects.remove(holder)


def triangles(meshes: list[bpy.types.Object]) -> np.ndarray:
    """(F, 3) corners of all meshes' triangles, vertices counted on from mesh to mesh."""
    out, start = [], 0
    for item in meshes:
        item.data.calc_loop_triangles()
        flat = np.empty(3 * len(item.data.loop_triangles), np.int32)
        item.data.loop_triangles.foreach_get("vertices", flat)
        out.append(flat.reshape(-1, 3) + start)
        start += len(item.data.vertices)
    return np.concatenate(out)
