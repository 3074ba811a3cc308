# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clean rig's meshes as one Skin, for everything that draws the creature without Blender. Only reads."""

from __future__ import annotations

import bpy
import numpy as np

from ...mocap.skeleton import Skeleton
from ...mocap.skin import Skin

_PLAIN = (0.8, 0.8, 0.8)
_FLAT = float(np.cos(np.radians(2)))
"""Corner normals within 2 degrees of the face's are those of a flat face."""


def read(meshes: list[bpy.types.Object], skeleton: Skeleton) -> Skin:
    """The meshes in their objects' world, with the weights for ``skeleton``'s bones."""
    points, triangles, tables, smooth, albedo, count = [], [], [], [], [], 0
    for item in sorted(meshes, key=lambda mesh: mesh.name):
        data = item.data
        matrix = np.array(item.matrix_world)
        local = _flat(data.vertices, "co", 3)
        points.append(local @ matrix[:3, :3].T + matrix[:3, 3])
        data.calc_loop_triangles()
        triangles.append(_flat(data.loop_triangles, "vertices", 3, np.int32) + count)
        smooth.append(_smooth(data))
        tables.append(_weights(item, skeleton))
        albedo.append(_albedo(item))
        count += len(data.vertices)
    joined = (np.concatenate(part) for part in (points, triangles, tables, smooth, albedo))
    return Skin.build(*joined)


def split(meshes: list[bpy.types.Object], values: np.ndarray) -> dict[str, np.ndarray]:
    """The rows of ``values`` (V, ...), one for each vertex of what read() returned, by the meshes' names."""
    ordered = sorted(meshes, key=lambda mesh: mesh.name)
    ends = np.cumsum([len(mesh.data.vertices) for mesh in ordered])
    return {mesh.name: rows for mesh, rows in zip(ordered, np.split(values, ends[:-1]))}


def _flat(collection, name: str, width: int, dtype=np.float64) -> np.ndarray:
    values = np.empty(len(collection) * width, dtype)
    collection.foreach_get(name, values)
    return values.reshape(-1, width)


def _smooth(data: bpy.types.Mesh) -> np.ndarray:
    """(F,) whether a triangle's corners have normals of their own: files may store flat ones for smooth faces."""
    corners = _flat(data.loop_triangles, "loops", 3, np.int32)
    corner_normals = _flat(data.corner_normals, "vector", 3)[corners]
    face = _flat(data.loop_triangles, "normal", 3)[:, None]
    return ((corner_normals * face).sum(-1) < _FLAT).any(1)


def _weights(item: bpy.types.Object, skeleton: Skeleton) -> np.ndarray:
    """(V, B) as stored."""
    at = {name: index for index, name in enumerate(skeleton.bone_names)}
    bone = [at.get(group.name, -1) for group in item.vertex_groups]
    table = np.zeros((len(item.data.vertices), len(at)), np.float32)
    for vertex in item.data.vertices:
        for entry in vertex.groups:
            if bone[entry.group] >= 0:
                table[vertex.index, bone[entry.group]] += entry.weight
    return table


def _albedo(item: bpy.types.Object) -> np.ndarray:
    """(V, 3) uint8 sRGB: the materials' base colours, from the texture where they have one."""
    data = item.data
    corner_colour = np.empty((len(data.loops), 3))
    uv = _flat(data.uv_layers.active.data, "uv", 2) if data.uv_layers.active else None
    material = np.repeat(
        _flat(data.polygons, "material_index", 1, np.int32)[:, 0],
        _flat(data.polygons, "loop_total", 1, np.int32)[:, 0],
    )
    slots = list(item.data.materials) or [None]
    for index, entry in enumerate(slots):
        chosen = material == index if index else (material == 0) | (material >= len(slots))
        corner_colour[chosen] = _base_colour(entry, None if uv is None else uv[chosen], int(chosen.sum()))
    corner = _flat(data.loops, "vertex_index", 1, np.int32)[:, 0]
    total, seen = np.zeros((len(data.vertices), 3)), np.bincount(corner, minlength=len(data.vertices))
    for channel in range(3):
        total[:, channel] = np.bincount(corner, corner_colour[:, channel], len(data.vertices))
    mean = np.where(seen[:, None] > 0, total / np.maximum(seen, 1)[:, None], _PLAIN)
    return np.rint(np.clip(mean, 0, 1) * 255).astype(np.uint8)


def _base_colour(material: bpy.types.Material | None, uv: np.ndarray | None, count: int) -> np.ndarray:
    """(N, 3) sRGB of a material at N corners."""
    if material is None:
        return np.tile(_PLAIN, (count, 1))
    shader = next((n for n in _nodes(material) if n.type == "BSDF_PRINCIPLED"), None)
    if shader is None:
        return np.tile(_srgb(np.array(material.diffuse_color[:3])), (count, 1))
    socket = shader.inputs["Base Color"]
    image = _image(socket)
    if image is None or uv is None or not image.size[0]:
        return np.tile(_srgb(np.array(socket.default_value[:3])), (count, 1))
    width, height = image.size
    pixels = np.empty(width * height * image.channels, np.float32)
    image.pixels.foreach_get(pixels)
    pixels = pixels.reshape(height, width, image.channels)
    x = np.floor((uv[:, 0] % 1.0) * width).astype(int) % width
    y = np.floor((uv[:, 1] % 1.0) * height).astype(int) % height
    found = pixels[y, x, : min(3, image.channels)]
    return found if found.shape[1] == 3 else np.repeat(found[:, :1], 3, 1)


def _nodes(material: bpy.types.Material) -> list:
    return list(material.node_tree.nodes) if material.node_tree else []


def _image(socket) -> bpy.types.Image | None:
    """The picture that feeds a socket, directly or through mixing nodes."""
    waiting, seen = [link.from_node for link in socket.links], set()
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.type == "TEX_IMAGE" and node.image:
            return node.image
        waiting += [link.from_node for inner in node.inputs for link in inner.links]
    return None


def _srgb(linear: np.ndarray) -> np.ndarray:
    return np.where(linear <= 0.0031308, linear * 12.92, 1.055 * np.maximum(linear, 0) ** (1 / 2.4) - 0.055)
