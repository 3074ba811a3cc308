# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The skin as it is rendered: where it is in a pose, and a digest that tells it from another."""

from __future__ import annotations

import bpy
import numpy as np

from ...mocap import files, paint
from .stage import Stage

_GRID = 1e-6
"""Metres, and shares of weight: differences below are not differences."""


def points(stage: Stage) -> np.ndarray:
    """(V, 3) every vertex of the stage's meshes as posed, world metres. Needs an updated stage."""
    depsgraph = stage.scene.view_layers[0].depsgraph
    return np.concatenate([_world(mesh.evaluated_get(depsgraph)) for mesh in stage.meshes])


def _world(mesh: bpy.types.Object) -> np.ndarray:
    matrix = np.array(mesh.matrix_world)
    return _coordinates(mesh.data) @ matrix[:3, :3].T + matrix[:3, 3]


def _coordinates(data: bpy.types.Mesh) -> np.ndarray:
    flat = np.empty(3 * len(data.vertices), np.float32)
    data.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3)


def digest(stage: Stage) -> str:
    """Of the rest vertices, faces, weights and the paint's colours: two samples with different ones were
    rendered from different skins, though the skeleton may be the same."""
    parts = [
        np.rint(paint.bone_colours(stage.info.skeleton) * 255).astype(np.uint8),
        *(array for mesh in sorted(stage.meshes, key=lambda m: m.name) for array in _arrays(mesh)),
    ]
    return files.digest_bytes(b"".join(np.ascontiguousarray(part).tobytes() for part in parts))


def _arrays(mesh: bpy.types.Object) -> tuple[np.ndarray, ...]:
    data = mesh.data
    starts = np.empty(len(data.polygons), np.int32)
    data.polygons.foreach_get("loop_start", starts)
    corners = np.empty(len(data.loops), np.int32)
    data.loops.foreach_get("vertex_index", corners)
    weights = [
        (vertex.index, entry.group, round(entry.weight / _GRID))
        for vertex in data.vertices
        for entry in vertex.groups
    ]
    placed = np.array(mesh.matrix_world)
    names = np.frombuffer("\n".join(group.name for group in mesh.vertex_groups).encode(), np.uint8)
    rest = np.rint(_coordinates(data).astype(float) / _GRID).astype(np.int64)
    return rest, np.rint(placed / _GRID).astype(np.int64), starts, corners, np.array(weights, np.int64), names
