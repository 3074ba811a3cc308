# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The skin of a rig at rest: which bones deform it, and where.

Makes new mesh data (removed again where nobody took it over); changes nothing of the user's.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import NamedTuple

import bpy
import numpy as np

from ...mocap.errors import BadInput
from . import rest_mesh
from .source import Source, bone_parent

LEAST_WEIGHT = 0.5
"""A bone deforms when its weights add up to at least this (in whole vertices) ..."""
LEAST_PEAK = 0.25
"""... and somewhere the skin follows it at least this much: less is what automatic weights bleed into
control bones."""


class Surface(NamedTuple):
    """All deformed meshes at rest, concatenated; V vertices, E edges, F triangles, N armature bones."""

    bone_names: list[str]
    points: np.ndarray
    """(V, 3) source world."""
    edges: np.ndarray
    """(E, 2) indices into points; coincident vertices are welded to one index."""
    triangles: np.ndarray
    """(F, 3) indices into points."""
    areas: np.ndarray
    """(V,) a third of the area of the triangles around each vertex."""
    weights: np.ndarray
    """(V, N), rows as stored (not normalised)."""
    slices: list[slice]
    """The vertices of each mesh, in the order of Source.meshes."""
    meshes: list[bpy.types.Mesh]
    """Each mesh's data at rest, in its object's space."""
    bound: list[str]
    """How each mesh is bound: "weights", "envelopes", "bone NAME", or "nothing" (it rides on the root)."""


@contextlib.contextmanager
def reading(source: Source) -> Iterator[Surface]:
    """Yield the surface; mesh data that no object uses afterwards is removed. Raises BadInput where nothing
    is bound."""
    made: list[bpy.types.Mesh] = []
    try:
        yield _read(source, made)
    finally:
        bpy.data.batch_remove([data for data in made if data.users == 0])


def _read(source: Source, made: list[bpy.types.Mesh]) -> Surface:
    names = [bone.name for bone in source.armature.data.bones]
    column = {name: i for i, name in enumerate(names)}
    points, edges, triangles, weights, slices, bound, start = [], [], [], [], [], [], 0
    for item in source.meshes:
        data = rest_mesh.make(item)
        made.append(data)
        own = _points(data, np.array(item.matrix_world))
        data.calc_loop_triangles()
        points.append(own)
        edges.append(_array(data.edges, "vertices", 2) + start)
        triangles.append(_array(data.loop_triangles, "vertices", 3) + start)
        table, how = _binding(item, data, own, source.armature, column)
        weights.append(table)
        bound.append(how)
        slices.append(slice(start, start + len(own)))
        start += len(own)
    everything = np.concatenate(points)
    if not len(everything) or not np.concatenate(weights).any():
        raise BadInput(
            f"{source.armature.name}: no vertex has a weight for any of its bones; bind the mesh first"
        )
    faces = np.concatenate(triangles)
    return Surface(
        names,
        everything,
        _welded(everything, np.concatenate(edges)),
        faces,
        _areas(everything, faces),
        np.concatenate(weights),
        slices,
        made,
        bound,
    )


def _points(data: bpy.types.Mesh, world: np.ndarray) -> np.ndarray:
    flat = np.empty(len(data.vertices) * 3)
    data.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]


def _array(items: bpy.types.bpy_prop_collection, name: str, width: int) -> np.ndarray:
    flat = np.empty(len(items) * width, np.int32)
    items.foreach_get(name, flat)
    return flat.reshape(-1, width)


def _areas(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    a, b, c = (points[triangles[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
    return np.bincount(triangles.ravel(), np.repeat(area / 3, 3), len(points))


def _binding(
    item: bpy.types.Object,
    data: bpy.types.Mesh,
    points: np.ndarray,
    armature: bpy.types.Object,
    column: dict[str, int],
) -> tuple[np.ndarray, str]:
    """(V, N) weights and how the mesh is bound."""
    table = np.zeros((len(points), len(column)))
    modifiers = [m for m in item.modifiers if m.type == "ARMATURE" and m.object == armature]
    if modifiers and any(m.use_vertex_groups for m in modifiers):
        _add_groups(table, item, data, column)
    if table.any():
        return table, "weights"
    if modifiers and any(m.use_bone_envelopes for m in modifiers):
        inverse = armature.matrix_world.inverted()
        local = points @ np.array(inverse)[:3, :3].T + np.array(inverse)[:3, 3]
        for bone in armature.data.bones:
            if bone.use_deform:
                table[:, column[bone.name]] = [bone.evaluate_envelope(place) for place in local]
        if table.any():
            return table, "envelopes"
    bone = bone_parent(item, armature)
    if bone in column:
        table[:, column[bone]] = 1.0
        return table, f"bone {bone}"
    return table, "nothing"


def _add_groups(
    table: np.ndarray, item: bpy.types.Object, data: bpy.types.Mesh, column: dict[str, int]
) -> None:
    groups = [column.get(group.name, -1) for group in item.vertex_groups]
    for vertex in data.vertices:
        for element in vertex.groups:
            if element.group < len(groups) and groups[element.group] >= 0:
                table[vertex.index, groups[element.group]] += element.weight


def _welded(points: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Edges with coincident vertices sharing one index: importers split meshes at seams."""
    size = np.ptp(points, axis=0).max()
    keys = np.round(points / (size * 1e-5)).astype(np.int64)
    _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return first[inverse.reshape(-1)][edges]


def deforms(surface: Surface) -> np.ndarray:
    """(N,) bool: which bones carry skin."""
    return (surface.weights.sum(0) >= LEAST_WEIGHT) & (surface.weights.max(0) >= LEAST_PEAK)


def share(surface: Surface) -> np.ndarray:
    """(N,) share of the skin's area that follows each bone."""
    table = normalised(surface.weights)
    total = (table * surface.areas[:, None]).sum(0)
    return total / max(total.sum(), 1e-30)


def normalised(table: np.ndarray) -> np.ndarray:
    """Rows sum to one; rows without weight stay empty."""
    total = table.sum(1, keepdims=True)
    return np.where(total > 1e-6, table / np.maximum(total, 1e-6), 0.0)


def adjacency(surface: Surface) -> np.ndarray:
    """(N, N) how strongly two bones' surfaces touch: products of weights over vertices and edges."""
    used = np.flatnonzero(surface.weights.any(0))
    own = surface.weights[:, used]
    ends = own[surface.edges[:, 0]].T @ own[surface.edges[:, 1]]
    part = own.T @ own + ends + ends.T
    np.fill_diagonal(part, 0)
    table = np.zeros((surface.weights.shape[1],) * 2)
    table[np.ix_(used, used)] = part
    return table
