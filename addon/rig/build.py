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

from .edit_bones import new_armature
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
    with new_armature(scene, ARMATURE) as item:
        made = []
        for bone in bones:
            edit = item.data.edit_bones.new(bone.name)
            edit.head = Vector(bone.head)
            edit.tail = Vector(bone.head + bone.turn[:, 1] * bone.length)
            edit.align_roll(Vector(bone.turn[:, 2]))
            if bone.parent >= 0:
                edit.parent = made[bone.parent]
            made.append(edit)
    for pose_bone in item.pose.bones:
        pose_bone.rotation_mode = "QUATERNION"
    return item


def meshes(
    scene: bpy.types.Scene,
    source: Source,
    data: list[bpy.types.Mesh],
    rig: bpy.types.Object,
    to_clean: np.ndarray,
    weights: list[np.ndarray],
) -> list[bpy.types.Object]:
    """Bring each mesh into the clean world, with new weights for the clean rig's bones.

    data: the meshes at rest, in their objects' spaces; they become the clean rig's. to_clean (4, 4):
    similarity from the source's world. weights: per mesh (V, B), rows sum to one.
    """
    return [
        _mesh(scene, original, mesh, rig, to_clean, table)
        for original, mesh, table in zip(source.meshes, data, weights)
    ]


def _mesh(
    scene: bpy.types.Scene,
    original: bpy.types.Object,
    data: bpy.types.Mesh,
    rig: bpy.types.Object,
    to_clean: np.ndarray,
    weights: np.ndarray,
) -> bpy.types.Object:
    data.name = original.data.name
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
    groups = [item.vertex_groups.new(name=bone.name) for bone in rig.data.bones]
    for vertex, bone in zip(*np.nonzero(weights > 1e-4)):
        groups[bone].add([int(vertex)], float(weights[vertex, bone]), "REPLACE")
    item.parent = rig
    modifier = item.modifiers.new("Armature", "ARMATURE")
    modifier.object = rig
    return item
