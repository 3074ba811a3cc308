# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones deform the mesh, and where."""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np

from ...mocap.errors import BadInput
from .source import Source

LEAST_WEIGHT = 0.5
"""A bone deforms when its weights add up to at least this (in whole vertices)."""


class Surface(NamedTuple):
    """All deformed meshes at rest, concatenated; V vertices, E edges, F triangles, N armature bones."""

    bone_names: list[str]
    points: np.ndarray
    """(V, 3) source world."""
    edges: np.ndarray
    """(E, 2) indices into points; coincident vertices are welded to one index."""
    weights: np.ndarray
    """(V, N), rows as stored (not normalised)."""
    slices: list[slice]
    """The vertices of each mesh, in the order of Source.meshes."""


def read(source: Source) -> Surface:
    names = [bone.name for bone in source.armature.data.bones]
    column = {name: i for i, name in enumerate(names)}
    points, edges, weights, slices, start = [], [], [], [], 0
    for item in source.meshes:
        mesh = item.data
        count = len(mesh.vertices)
        flat = np.empty(count * 3)
        mesh.vertices.foreach_get("co", flat)
        matrix = np.array(item.matrix_world)
        points.append(flat.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3])
        pairs = np.empty(len(mesh.edges) * 2, np.int32)
        mesh.edges.foreach_get("vertices", pairs)
        edges.append(pairs.reshape(-1, 2) + start)
        weights.append(_mesh_weights(item, column))
        slices.append(slice(start, start + count))
        start += count
    everything = np.concatenate(points)
    if not len(everything) or not np.concatenate(weights).any():
        raise BadInput(
            f"{source.armature.name}: no vertex has a weight for any of its bones; bind the mesh first"
        )
    return Surface(
        names, everything, _welded(everything, np.concatenate(edges)), np.concatenate(weights), slices
    )


def _mesh_weights(item: bpy.types.Object, column: dict[str, int]) -> np.ndarray:
    groups = [column.get(group.name, -1) for group in item.vertex_groups]
    weights = np.zeros((len(item.data.vertices), len(column)))
    for vertex in item.data.vertices:
        for element in vertex.groups:
            if element.group < len(groups) and groups[element.group] >= 0:
                weights[vertex.index, groups[element.group]] += element.weight
    return weights


def _welded(points: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Edges with coincident vertices sharing one index: importers split meshes at seams."""
    size = np.ptp(points, axis=0).max()
    keys = np.round(points / (size * 1e-5)).astype(np.int64)
    _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return first[inverse.reshape(-1)][edges]


def bone_totals(surface: Surface) -> np.ndarray:
    """(N,) sum of weights of each bone."""
    return surface.weights.sum(0)


def adjacency(surface: Surface) -> np.ndarray:
    """(N, N) how strongly two bones' surfaces touch: products of weights over vertices and edges."""
    table = surface.weights.T @ surface.weights
    for a, b in ((0, 1), (1, 0)):
        table = table + surface.weights[surface.edges[:, a]].T @ surface.weights[surface.edges[:, b]]
    np.fill_diagonal(table, 0)
    return table
