# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs as Rigify generates them from its own metarigs, each bound to a simple skin around its bones."""

from __future__ import annotations

import contextlib
import importlib
import io
from pathlib import Path

import bmesh
import bpy
import numpy as np
from mathutils import Matrix, Vector

METARIGS = {
    "human": "human",
    "wolf": "Animals.wolf",
    "horse": "Animals.horse",
    "bird": "Animals.bird",
    "cat": "Animals.cat",
    "shark": "Animals.shark",
}


def generate(name: str, path: Path) -> Path:
    """Write ``path``, a .blend with the generated rig and its skin; the open file is emptied."""
    import addon_utils  # found only once bpy has been imported

    bpy.ops.wm.read_factory_settings(use_empty=True)
    addon_utils.enable("rigify", default_set=True)
    rig = _generated(METARIGS[name])
    skin = _skin(rig, name)
    _bind(rig, skin)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    return path


def _generated(module: str) -> bpy.types.Object:
    data = bpy.data.armatures.new("metarig")
    meta = bpy.data.objects.new("metarig", data)
    bpy.context.scene.collection.objects.link(meta)
    bpy.context.view_layer.objects.active = meta
    with contextlib.redirect_stdout(io.StringIO()):
        importlib.import_module(f"rigify.metarigs.{module}").create(meta)
        bpy.ops.object.mode_set(mode="OBJECT")
        meta.select_set(True)
        bpy.ops.pose.rigify_generate()
    rig = next(o for o in bpy.data.objects if o.type == "ARMATURE" and o != meta)
    bpy.data.objects.remove(meta)
    return rig


def _skin(rig: bpy.types.Object, name: str) -> bpy.types.Object:
    """A closed surface around the deform bones: a ball chain for each, fused."""
    bones = [b for b in rig.data.bones if b.use_deform]
    ends = np.array([end for b in bones for end in (b.head_local, b.tail_local)])
    height, voxel = float(np.ptp(ends[:, 2])), 0.006 * float(np.ptp(ends, axis=0).max())
    form = bmesh.new()
    for bone in bones:
        radius = float(np.clip(0.22 * bone.length, 1.3 * voxel, 0.06 * height))
        steps = max(2, int(bone.length / radius))
        for step in range(steps + 1):
            place = bone.head_local.lerp(bone.tail_local, step / steps)
            bmesh.ops.create_icosphere(form, subdivisions=1, radius=radius, matrix=Matrix.Translation(place))
    raw = bpy.data.meshes.new(name)
    form.to_mesh(raw)
    form.free()
    item = bpy.data.objects.new(f"{name} skin", raw)
    bpy.context.scene.collection.objects.link(item)
    fuse = item.modifiers.new("Fuse", "REMESH")
    fuse.mode, fuse.voxel_size = "VOXEL", voxel
    bpy.context.view_layer.update()
    fused = bpy.data.meshes.new_from_object(item.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    item.modifiers.clear()
    item.data = fused
    return item


def _bind(rig: bpy.types.Object, skin: bpy.types.Object) -> None:
    """Each vertex to its two nearest deform bones."""
    bones = [b for b in rig.data.bones if b.use_deform]
    heads = np.array([b.head_local for b in bones])
    along = np.array([b.tail_local for b in bones]) - heads
    points = np.array([v.co for v in skin.data.vertices])
    share = np.einsum("vbi,bi->vb", points[:, None] - heads, along) / (along**2).sum(1)
    nearest = heads + np.clip(share, 0, 1)[..., None] * along
    distance = np.linalg.norm(points[:, None] - nearest, axis=-1)
    groups = [skin.vertex_groups.new(name=b.name) for b in bones]
    for vertex, two in enumerate(np.argsort(distance, axis=1)[:, :2]):
        pull = 1 / np.maximum(distance[vertex, two], 1e-6) ** 4
        for bone, weight in zip(two, pull / pull.sum()):
            groups[bone].add([vertex], float(weight), "REPLACE")
    skin.parent = rig
    skin.matrix_parent_inverse = Matrix(rig.matrix_world).inverted()
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    assert Vector(rig.scale) == Vector((1, 1, 1))
