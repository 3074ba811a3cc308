# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights for a body and an armature: three ways, the next one where the last one failed.

1. Blender's heat method on the welded body, where that is one piece;
2. heat on a voxel remesh of the body (one closed surface), carried over to the nearest real skin;
3. geodesic distances through the solid (mocap/fitting/weights.py), which need nothing of the surface.

All work on welded vertices, so vertices that coincide get the same weights and cannot part.
"""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from ....mocap.errors import BadInput
from ....mocap.fitting import voxels, weights
from ....mocap.fitting.fit import Fit
from ..weights import LEAST_WEIGHT
from .frame import SIZE, Framed

WAYS = ("heat", "heat on a remesh", "geodesic")
UNSOLVED = 0.02
"""Heat may leave this share of the vertices without weight; they take their neighbours'."""
FEW = 5
"""A bone that is the nearest to this many vertices and got none of them was not solved."""
ONE_PIECE = 0.9
"""A body is one piece where its largest part has this share of the surface."""
SMALL = 0.08 * SIZE
"""Loose parts up to this size ride on what they touch."""
REMESH = SIZE / 110


class Bound(NamedTuple):
    table: np.ndarray
    """(V, B) weights of the body's welded vertices, rows sum to one."""
    way: str
    """One of WAYS."""
    refused: tuple[str, ...]
    """Why the ways before it were not taken."""
    riding: int
    """Loose parts that follow what they touch."""


def bind(
    scene: bpy.types.Scene, rig: bpy.types.Object, fit: Fit, body: Framed, ways: tuple[str, ...] = WAYS
) -> Bound:
    """``ways``: those to try, in this order. Raises BadInput where a bone has no skin to move."""
    edges = _edges(body.triangles)
    refused = []
    for way in ways:
        table, problem = _WAYS[way](scene, rig, body, edges, fit)
        if problem is None:
            break
        refused.append(f"{way}: {problem}")
    else:
        raise BadInput(f"no weights can be found ({'; '.join(refused)}): move the bones inside the flesh")
    table = weights.filled(weights.normalised(table), body.points, edges)
    table, riding = weights.ride(table, body.points, edges, SMALL)
    for bone, total in zip(fit.bones, _with_what_hangs_on(fit, table.sum(0))):
        if total < LEAST_WEIGHT:
            raise BadInput(
                f"bone {bone.name} has no skin to move: place it inside the flesh with --landmark "
                f"{bone.name}=x,y,z"
            )
    return Bound(table, way, tuple(refused), riding)


def _heat(scene, rig, body: Framed, edges, fit) -> tuple[np.ndarray, str | None]:
    part = voxels.components(len(body.points), edges)
    area = _areas(body)
    _, share = np.unique(part[body.triangles[:, 0]], return_inverse=True)
    largest = np.bincount(share, area).max() / area.sum()
    if largest < ONE_PIECE:
        return np.empty(0), f"the body is in pieces, the largest is {100 * largest:.0f}% of it"
    skin = _object(scene, "skin", body.points, body.triangles)
    return _solve(scene, rig, skin, fit)


def _heat_on_remesh(scene, rig, body: Framed, edges, fit) -> tuple[np.ndarray, str | None]:
    skin = _object(scene, "skin", body.points, body.triangles)
    remesh = skin.modifiers.new("Fuse", "REMESH")
    remesh.mode, remesh.voxel_size = "VOXEL", REMESH
    scene.view_layers[0].update()
    fused = bpy.data.meshes.new_from_object(skin.evaluated_get(scene.view_layers[0].depsgraph))
    skin.modifiers.clear()
    raw, skin.data = skin.data, fused
    bpy.data.meshes.remove(raw)
    if not len(fused.polygons):
        return np.empty(0), "the remesh is empty"
    table, problem = _solve(scene, rig, skin, fit)
    if problem is not None:
        return table, problem
    points = np.array([v.co[:] for v in fused.vertices])
    fused.calc_loop_triangles()
    corners = np.array([t.vertices[:] for t in fused.loop_triangles])
    carried = _carried(weights.filled(table, points, corners[:, :2]), points, corners, body.points)
    return weights.smoothed(carried, body.points, edges, 4), None


def _geodesic(scene, rig, body: Framed, edges, fit) -> tuple[np.ndarray, str | None]:
    heads, tails = np.array([b.head for b in fit.bones]), np.array([b.tail for b in fit.bones])
    table = weights.geodesic(body.points, body.triangles, heads, tails)
    return weights.smoothed(table, body.points, edges, 4), None


_WAYS = {"heat": _heat, "heat on a remesh": _heat_on_remesh, "geodesic": _geodesic}


def _solve(scene, rig, skin, fit: Fit) -> tuple[np.ndarray, str | None]:
    """Blender's heat weights of ``skin`` (V, B), and what is wrong with them, if anything."""
    layer = scene.view_layers[0]
    window = bpy.context.window
    shown, window.scene = window.scene, scene
    try:
        for item in scene.objects:
            item.select_set(item in (rig, skin), view_layer=layer)
        layer.objects.active = rig
        bpy.ops.object.parent_set(type="ARMATURE_AUTO")
    except RuntimeError as error:
        return np.empty(0), str(error).strip().splitlines()[-1]
    finally:
        window.scene = shown
    column = {bone.name: i for i, bone in enumerate(fit.bones)}
    groups = [column[group.name] for group in skin.vertex_groups]
    table = np.zeros((len(skin.data.vertices), len(column)))
    for vertex in skin.data.vertices:
        for element in vertex.groups:
            table[vertex.index, groups[element.group]] += element.weight
    points = np.array([vertex.co[:] for vertex in skin.data.vertices])
    return table, _problem(table, points, fit)


def _problem(table: np.ndarray, points: np.ndarray, fit: Fit) -> str | None:
    unsolved = float((table.sum(1) < 1e-3).mean())
    if unsolved > UNSOLVED:
        return f"no solution for {100 * unsolved:.0f}% of the vertices"
    # A bone may be bare where the mesh has no vertex near it, as low-poly bodies have.
    near = np.bincount(_nearest_bone(points, fit), minlength=len(fit.bones))
    bare = [
        bone.name
        for bone, total, count in zip(fit.bones, table.sum(0), near)
        if total < LEAST_WEIGHT and count >= FEW
    ]
    return f"no solution for {', '.join(bare)}" if bare else None


def _nearest_bone(points: np.ndarray, fit: Fit) -> np.ndarray:
    """(V,) index of the bone nearest to each of the points (V, 3)."""
    away = np.empty((len(points), len(fit.bones)))
    for index, bone in enumerate(fit.bones):
        along = bone.tail - bone.head
        share = np.clip((points - bone.head) @ along / max(along @ along, 1e-12), 0, 1)
        away[:, index] = np.linalg.norm(points - bone.head - share[:, None] * along, axis=1)
    return away.argmin(1)


def _with_what_hangs_on(fit: Fit, totals: np.ndarray) -> np.ndarray:
    """(B,) each bone's total with those of all bones below it."""
    place = {bone.name: index for index, bone in enumerate(fit.bones)}
    out = totals.copy()
    for index in range(len(fit.bones) - 1, 0, -1):
        out[place[fit.bones[index].parent]] += out[index]
    return out


def _object(scene: bpy.types.Scene, name: str, points: np.ndarray, triangles: np.ndarray) -> bpy.types.Object:
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points.tolist(), [], triangles.tolist())
    item = bpy.data.objects.new(name, mesh)
    scene.collection.objects.link(item)
    return item


def _carried(table: np.ndarray, points: np.ndarray, corners: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Weights at ``wanted`` (K, 3): of the nearest place on the surface, between its corners."""
    tree = BVHTree.FromPolygons(points.tolist(), corners.tolist())
    out = np.empty((len(wanted), table.shape[1]))
    for row, place in enumerate(wanted):
        found, _, face, _ = tree.find_nearest(Vector(place))
        a, b, c = corners[face]
        out[row] = _barycentric(np.array(found), points[a], points[b], points[c]) @ table[[a, b, c]]
    return out


def _barycentric(place: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    share, *_ = np.linalg.lstsq(np.stack([b - a, c - a], 1), place - a, rcond=None)
    share = np.clip(np.array([1 - share.sum(), *share]), 0, None)
    return share / share.sum()


def _areas(body: Framed) -> np.ndarray:
    corners = body.points[body.triangles]
    return np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)


def _edges(triangles: np.ndarray) -> np.ndarray:
    """(E, 2) each edge once."""
    pairs = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    return np.unique(np.sort(pairs, 1), axis=0)
