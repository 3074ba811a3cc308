# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Paint each limb in its own colour: the vertex colours of mocap/paint.py, for every engine."""

from __future__ import annotations

import bpy
import numpy as np

from ...mocap import paint
from ...mocap.skeleton import Skeleton
from ..rig import skin as rig_skin
from . import textures

ATTRIBUTE = "anymove_paint"


def apply(meshes: list[bpy.types.Object], skeleton: Skeleton, shining: bool = False) -> None:
    """Add the colours and one material that shows them to the stage's meshes, and show it. ``shining``: what
    is light or dark in the rig's own materials is so in the paint, too."""
    colours = rig_skin.split(meshes, paint.vertex_colours(rig_skin.read(meshes, skeleton), skeleton))
    material = _material()
    for mesh in meshes:
        data, values = mesh.data, colours[mesh.name]
        if shining:
            corners = np.empty(len(data.loops), np.int32)
            data.loops.foreach_get("vertex_index", corners)
            values = np.clip(values[corners] * textures.brightness(mesh)[:, None], 0, 1)
        attribute = data.color_attributes.new(ATTRIBUTE, "BYTE_COLOR", "CORNER" if shining else "POINT")
        attribute.data.foreach_set("color_srgb", np.c_[values, np.ones(len(values))].ravel())
        data.color_attributes.active_color = attribute
        if not data.materials:
            data.materials.append(bpy.data.materials.new("Anymove Bare"))
        # On the object, over the mesh's own materials: these are there again when the link changes.
        for slot in mesh.material_slots:
            slot.link = "OBJECT"
            slot.material = material


def show(meshes: list[bpy.types.Object], painted: bool) -> None:
    """The paint, or the rig's own materials (Cycles; Workbench is told by engines.prepare)."""
    link = "OBJECT" if painted else "DATA"
    for mesh in meshes:
        for slot in mesh.material_slots:
            # Assigning what is there already would let Cycles build the mesh anew.
            if slot.link != link:
                slot.link = link


def _material() -> bpy.types.Material:
    material = bpy.data.materials.new("Anymove Paint")
    if not material.node_tree:
        material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    output = tree.nodes.new("ShaderNodeOutputMaterial")
    shader = tree.nodes.new("ShaderNodeBsdfDiffuse")
    colour = tree.nodes.new("ShaderNodeVertexColor")
    colour.layer_name = ATTRIBUTE
    tree.links.new(colour.outputs["Color"], shader.inputs["Color"])
    tree.links.new(shader.outputs["BSDF"], output.inputs["Surface"])
    return material
