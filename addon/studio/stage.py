# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Open a creature's rigged.blend in a scene of its own, beside whatever the user has open."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import bpy

from ...mocap.errors import BadInput
from ...mocap.rig_info import RigInfo
from .. import guests


class Stage(NamedTuple):
    scene: bpy.types.Scene
    rig: bpy.types.Object
    meshes: list[bpy.types.Object]
    info: RigInfo

    def update(self) -> None:
        self.scene.view_layers[0].update()


@contextlib.contextmanager
def opened(rigged: Path, info: RigInfo) -> Iterator[Stage]:
    """Yield the stage, shown in the window while it lasts; remove it and all it brought afterwards."""
    if not rigged.is_file():
        raise BadInput(f"{rigged}: no such file (rigged.blend); adopt the rig with tools/rig.sh")
    with guests.visiting():
        try:
            with bpy.data.libraries.load(str(rigged), link=False) as (stored, wanted):
                wanted.scenes = stored.scenes[:1]
        except OSError as error:
            raise BadInput(f"{rigged}: not a Blender file ({error})") from error
        if not wanted.scenes:
            raise BadInput(f"{rigged}: there is no scene in it; adopt the rig again")
        scene = wanted.scenes[0]
        bpy.context.window.scene = scene
        # Blender 4.5 poses nothing of an appended scene before its depsgraph was asked for once.
        bpy.context.evaluated_depsgraph_get()
        yield Stage(scene, *_cast(scene, rigged, info), info)


def _cast(
    scene: bpy.types.Scene, rigged: Path, info: RigInfo
) -> tuple[bpy.types.Object, list[bpy.types.Object]]:
    wanted = set(info.skeleton.bone_names)
    for item in scene.objects:
        if item.type == "ARMATURE" and wanted <= {bone.name for bone in item.data.bones}:
            meshes = [
                m
                for m in scene.objects
                if m.type == "MESH"
                and any(mod.type == "ARMATURE" and mod.object == item for mod in m.modifiers)
            ]
            if item.animation_data:
                item.animation_data.action = None
            return item, meshes
    raise BadInput(f"{rigged}: no armature with the bones of rig_info.json; adopt the rig again")
