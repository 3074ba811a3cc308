# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is open or selected, handed over to a job as a file: another process cannot see this one's scene."""

from __future__ import annotations

from pathlib import Path

import bpy

from ...mocap.errors import AnymoveError, BadInput
from .. import preferences


def active_armature(context: bpy.types.Context) -> bpy.types.Object:
    """Raises BadInput where the active object is none."""
    if context.object is None or context.object.type != "ARMATURE":
        raise BadInput("no armature is active: select the creature's armature, or give a file")
    return context.object


def selected_meshes(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Raises BadInput where there is none."""
    meshes = [item for item in context.selected_objects if item.type == "MESH"]
    if not meshes:
        raise BadInput("no mesh is selected: select the creature's meshes, or give a file")
    return meshes


def scene_copy(name: str) -> Path:
    """A copy of the open file as it is now, saved or not; the open file stays what it is."""
    path = _place(name)
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True, check_existing=False)
    except RuntimeError as error:
        raise AnymoveError(f"{path}: cannot be written: {str(error).strip()}") from error
    return path


def meshes_copy(name: str, meshes: list[bpy.types.Object]) -> Path:
    """A file with these meshes alone."""
    path = _place(name)
    scene = bpy.data.scenes.new("Anymove Hand Over")
    try:
        for item in meshes:
            scene.collection.objects.link(item)
        for layer in scene.view_layers:
            layer.update()
        bpy.data.libraries.write(str(path), {scene}, path_remap="ABSOLUTE", fake_user=True)
    except RuntimeError as error:
        raise AnymoveError(f"{path}: cannot be written: {str(error).strip()}") from error
    finally:
        bpy.data.scenes.remove(scene)
    return path


def _place(name: str) -> Path:
    folder = preferences.own_folder("handed_over")
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{name}.blend"
