# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How light a rig's own materials are, corner by corner: what shines through the paint."""

from __future__ import annotations

import bpy
import numpy as np

_LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
_RANGE = (0.45, 1.7)
"""Of the mean: the limb's colour must stay recognisable."""


def brightness(mesh: bpy.types.Object) -> np.ndarray:
    """(C,) luminance of the base colour at each face corner, relative to the mesh's mean."""
    data = mesh.data
    starts = np.empty(len(data.polygons), np.int32)
    materials = np.empty(len(data.polygons), np.int32)
    totals = np.empty(len(data.polygons), np.int32)
    data.polygons.foreach_get("loop_start", starts)
    data.polygons.foreach_get("loop_total", totals)
    data.polygons.foreach_get("material_index", materials)
    slot = np.empty(len(data.loops), np.int32)
    for place in range(int(totals.max(initial=0))):
        some = totals > place
        slot[starts[some] + place] = materials[some]
    uv = _uv(data)
    found = np.ones(len(slot))
    for index, material in enumerate(data.materials):
        mine = slot == index
        if material is not None and mine.any():
            found[mine] = _luminance(material, None if uv is None else uv[mine])
    mean = found.mean() if len(found) else 0.0
    return np.clip(found / mean, *_RANGE) if mean > 1e-4 else np.ones(len(found))


def _uv(data: bpy.types.Mesh) -> np.ndarray | None:
    layer = data.uv_layers.active
    if layer is None:
        return None
    flat = np.empty(2 * len(data.loops), np.float32)
    layer.uv.foreach_get("vector", flat)
    return flat.reshape(-1, 2)


def _luminance(material: bpy.types.Material, uv: np.ndarray | None) -> np.ndarray | float:
    """sRGB luminance of the base colour at texture coordinates (C, 2), or one value for a plain colour."""
    image, colour = _base_colour(material)
    if image is None or uv is None or 0 in image.size:
        linear = np.clip(np.array(colour)[:3], 0, 1)
        return float((linear ** (1 / 2.2)) @ _LUMINANCE)
    width, height = image.size
    pixels = np.empty(width * height * image.channels, np.float32)
    image.pixels.foreach_get(pixels)
    pixels = pixels.reshape(height, width, image.channels)
    columns = (uv[:, 0] % 1.0 * width).astype(int).clip(0, width - 1)
    rows = (uv[:, 1] % 1.0 * height).astype(int).clip(0, height - 1)
    taken = pixels[rows, columns]
    return taken[:, :3] @ _LUMINANCE if image.channels >= 3 else taken[:, 0]


def _base_colour(material: bpy.types.Material) -> tuple[bpy.types.Image | None, tuple[float, ...]]:
    """The image that colours the material, where there is one, and its plain colour."""
    if material.node_tree is None:
        return None, tuple(material.diffuse_color)
    for node in material.node_tree.nodes:
        if node.type == "BSDF_PRINCIPLED":
            socket = node.inputs["Base Color"]
            return _image(socket), tuple(socket.default_value)
    return None, tuple(material.diffuse_color)


def _image(socket: bpy.types.NodeSocket, depth: int = 4) -> bpy.types.Image | None:
    """The first picture upstream of a socket: exporters put mixes and gammas in between."""
    for link in socket.links:
        if link.from_node.type == "TEX_IMAGE":
            return link.from_node.image
        if depth:
            for other in link.from_node.inputs:
                found = _image(other, depth - 1)
                if found is not None:
                    return found
    return None
