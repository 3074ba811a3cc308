# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make a skinned rig from our own definition: capsules and ellipsoids fused to one smooth skin.

Adds objects to the given scene only; the result is a source like any other, and is adopted like one.
"""

from __future__ import annotations

from itertools import pairwise

import bmesh
import bpy
import numpy as np
from mathutils import Euler, Matrix, Vector

from ...mocap.creature import BodyBone, Creature, Membrane
from ...mocap.errors import AnymoveError, BadInput
from .edit_bones import new_armature
from .source import Source

FACES = 9000
VOXELS = 190
"""Voxels along the creature's larger extent when its parts are fused."""


def build(scene: bpy.types.Scene, creature: Creature) -> Source:
    """Raises BadInput where the definition has no bones, AnymoveError where weights cannot be found."""
    if not creature.bones:
        raise BadInput(f"{creature.name}: its creature.json has no bones to build; adopt a rig instead")
    window = bpy.context.window
    shown, window.scene = window.scene, scene
    try:
        rig = _armature(scene, creature)
        skin = _skin(scene, creature)
        _bind(scene, rig, skin)
    finally:
        window.scene = shown
    return Source(rig, [skin], [])


def _armature(scene: bpy.types.Scene, creature: Creature) -> bpy.types.Object:
    with new_armature(scene, creature.name) as rig:
        for bone in creature.bones:
            edit = rig.data.edit_bones.new(bone.name)
            edit.head, edit.tail = Vector(bone.head) / 100, Vector(bone.tail) / 100
            edit.align_roll(_z_axis(bone))
            if bone.parent:
                edit.parent = rig.data.edit_bones[bone.parent]
    for bone in creature.bones:
        if bone.parent and bone.limits_deg:
            _limit(rig.pose.bones[bone.name], bone)
    return rig


def _z_axis(bone: BodyBone) -> Vector:
    if bone.up is not None:
        return Vector(bone.up)
    return Vector((1, 0, 0)).cross(Vector(bone.tail) - Vector(bone.head))


def _limit(pose_bone: bpy.types.PoseBone, bone: BodyBone) -> None:
    constraint = pose_bone.constraints.new("LIMIT_ROTATION")
    constraint.owner_space = "LOCAL"
    for axis, (low, high) in zip("xyz", bone.limits_deg):
        setattr(constraint, f"use_limit_{axis}", True)
        setattr(constraint, f"min_{axis}", np.radians(low))
        setattr(constraint, f"max_{axis}", np.radians(high))


def _skin(scene: bpy.types.Scene, creature: Creature) -> bpy.types.Object:
    """All parts fused by a voxel remesh, smoothed and thinned to a few thousand faces."""
    parts = bpy.data.meshes.new("parts")
    form = bmesh.new()
    for bone in creature.bones:
        _capsule(form, bone)
    for shape in creature.shapes:
        turn = Euler(np.radians(shape.turn_deg)).to_matrix().to_4x4()
        size = Matrix.Diagonal((*np.array(shape.radii) / 100, 1))
        matrix = Matrix.Translation(Vector(shape.centre) / 100) @ turn @ size
        bmesh.ops.create_icosphere(form, subdivisions=3, radius=1.0, matrix=matrix)
    for sheet in creature.membranes:
        _sheet(form, sheet)
    form.to_mesh(parts)
    form.free()
    raw = bpy.data.objects.new("parts", parts)
    scene.collection.objects.link(raw)
    points = np.array([v.co[:] for v in parts.vertices])
    remesh = raw.modifiers.new("Fuse", "REMESH")
    remesh.mode, remesh.voxel_size = "VOXEL", float(np.ptp(points, axis=0).max()) / VOXELS
    smooth = raw.modifiers.new("Smooth", "SMOOTH")
    smooth.factor, smooth.iterations = 0.5, 4
    fused = _evaluated_mesh(scene, raw)
    thin = raw.modifiers.new("Thin", "DECIMATE")
    thin.ratio = min(1.0, FACES / max(len(fused.polygons) * 2, 1))
    thin.use_symmetry = True
    skin_mesh = _evaluated_mesh(scene, raw)
    bpy.data.objects.remove(raw)
    skin = bpy.data.objects.new(f"{creature.name} skin", skin_mesh)
    skin_mesh.name = skin.name
    skin_mesh.polygons.foreach_set("use_smooth", np.ones(len(skin_mesh.polygons), bool))
    scene.collection.objects.link(skin)
    return skin


def _evaluated_mesh(scene: bpy.types.Scene, item: bpy.types.Object) -> bpy.types.Mesh:
    scene.view_layers[0].update()
    return bpy.data.meshes.new_from_object(item.evaluated_get(scene.view_layers[0].depsgraph))


def _capsule(form: bmesh.types.BMesh, bone: BodyBone) -> None:
    """Convex hull of a sphere at each end."""
    ends = [np.array(end) + radius * _SPHERE for end, radius in zip((bone.head, bone.tail), bone.radii)]
    made = [form.verts.new(point / 100) for point in np.concatenate(ends)]
    hull = bmesh.ops.convex_hull(form, input=made)
    inside = {v for v in (*hull["geom_interior"], *hull["geom_unused"]) if isinstance(v, bmesh.types.BMVert)}
    bmesh.ops.delete(form, geom=list(inside), context="VERTS")


def _sheet(form: bmesh.types.BMesh, sheet: Membrane) -> None:
    """Each triangle of the fan as a closed prism, so that the remesh finds an inside."""
    points = np.array(sheet.outline) / 100
    for second, third in pairwise(points[1:]):
        corners = np.array([points[0], second, third])
        normal = np.cross(second - points[0], third - points[0])
        offset = normal / max(np.linalg.norm(normal), 1e-12) * sheet.thickness / 200
        made = [form.verts.new(corner + side * offset) for side in (1, -1) for corner in corners]
        bmesh.ops.convex_hull(form, input=made)


def _sphere(count: int = 80) -> np.ndarray:
    """(count, 3) points spread evenly over the unit sphere (Fibonacci spiral)."""
    step = np.arange(count) + 0.5
    z, turn = 1 - 2 * step / count, np.pi * (1 + 5**0.5) * step
    flat = np.sqrt(1 - z * z)
    return np.stack([flat * np.cos(turn), flat * np.sin(turn), z], 1)


_SPHERE = _sphere()


def _bind(scene: bpy.types.Scene, rig: bpy.types.Object, skin: bpy.types.Object) -> None:
    """Weights by Blender's heat method. The skin is one closed surface, for which the method works; where
    it does not, that is an error of the definition, said in one line."""
    layer = scene.view_layers[0]
    for item in scene.objects:
        item.select_set(item in (rig, skin), view_layer=layer)
    layer.objects.active = rig
    bpy.ops.object.parent_set(type="ARMATURE_AUTO")
    empty = [v.index for v in skin.data.vertices if sum(g.weight for g in v.groups) < 1e-3]
    if len(empty) > 0.02 * len(skin.data.vertices):
        raise AnymoveError(
            f"{rig.name}: heat weights failed for {len(empty)} of {len(skin.data.vertices)} vertices; "
            "move the bones inside the flesh (radii) of creature.json"
        )
