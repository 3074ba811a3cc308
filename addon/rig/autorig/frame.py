# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's meshes as one body in the frame in which skeletons are fitted."""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np

from ....mocap import rotations as rot
from ....mocap.errors import BadInput
from ....mocap.fitting import facing as facings

SIZE = 4.0
"""Longest extent in the fitting frame. Blender's heat weights fail on very small and very large meshes."""
WELD = 1e-5
"""Vertices closer than this (in longest extents) are one."""


class Framed(NamedTuple):
    """All meshes as one welded body of V vertices; the creature faces -Y, Z up."""

    points: np.ndarray
    """(V, 3) fitting frame."""
    triangles: np.ndarray
    """(F, 3) indices into points."""
    welded: np.ndarray
    """(sum of the meshes' vertices,) the point of each of the meshes' own vertices, mesh after mesh."""
    to_world: np.ndarray
    """(4, 4) similarity from the fitting frame to the world of the user's file."""
    facing: str

    def into(self, world: np.ndarray) -> np.ndarray:
        """(3,) a place of the user's world in the fitting frame."""
        return (np.linalg.inv(self.to_world) @ [*world, 1.0])[:3]


def body_meshes(scene: bpy.types.Scene, where: str) -> list[bpy.types.Object]:
    """The meshes with faces that a render would show. Raises BadInput where there is none."""
    found = [
        item
        for item in scene.objects
        if item.type == "MESH" and len(item.data.polygons) and not item.hide_render
    ]
    if not found:
        raise BadInput(f"{where}: there is no mesh with faces in it")
    return found


def copies(scene: bpy.types.Scene, originals: list[bpy.types.Object]) -> list[bpy.types.Object]:
    """The meshes with their modifiers applied, as new objects in ``scene``; the originals stay as they
    are."""
    out = []
    for original in originals:
        layer = original.users_scene[0].view_layers[0]
        layer.update()
        data = bpy.data.meshes.new_from_object(original.evaluated_get(layer.depsgraph))
        data.name = original.data.name
        item = bpy.data.objects.new(original.name, data)
        item.matrix_world = original.matrix_world
        item.vertex_groups.clear()
        scene.collection.objects.link(item)
        out.append(item)
    # matrix_world of objects without parents is their own, but only once the scene knows them.
    scene.view_layers[0].update()
    return out


def read(meshes: list[bpy.types.Object], facing: str) -> Framed:
    points, triangles, start = [], [], 0
    for item in meshes:
        world, corners = _arrays(item)
        points.append(world)
        triangles.append(corners + start)
        start += len(world)
    world, corners = np.concatenate(points), np.concatenate(triangles)
    extent = float(np.ptp(world, axis=0).max())
    if not np.isfinite(world).all() or not extent > 0:
        raise BadInput("the mesh has no size, or points that are not numbers")
    chosen = facings.choose(world, corners) if facing == "auto" else facing
    turn = rot.euler_to_matrix(np.radians([0.0, 0.0, facings.TURNS[chosen]]))
    scale = SIZE / extent
    centre = (world.min(0) + world.max(0)) / 2
    to_world = np.eye(4)
    to_world[:3, :3], to_world[:3, 3] = turn.T / scale, centre
    framed = (world - centre) @ turn.T * scale
    first, welded = _weld(framed)
    corners = welded[corners]
    whole = (corners != np.roll(corners, 1, axis=1)).all(1)
    return Framed(framed[first], corners[whole], welded, to_world, chosen)


def _arrays(item: bpy.types.Object) -> tuple[np.ndarray, np.ndarray]:
    """World points (V, 3) and triangles (F, 3) of a mesh."""
    mesh = item.data
    flat = np.empty(len(mesh.vertices) * 3)
    mesh.vertices.foreach_get("co", flat)
    matrix = np.array(item.matrix_world)
    mesh.calc_loop_triangles()
    corners = np.empty(len(mesh.loop_triangles) * 3, np.int32)
    mesh.loop_triangles.foreach_get("vertices", corners)
    corners = corners.reshape(-1, 3)
    if np.linalg.det(matrix[:3, :3]) < 0:
        corners = corners[:, ::-1]
    return flat.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3], corners


def _weld(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First vertex of each group of coincident ones, and the group of each vertex."""
    keys = np.round(points / (SIZE * WELD)).astype(np.int64)
    _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return first, inverse.reshape(-1)
