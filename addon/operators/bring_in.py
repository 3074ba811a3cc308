# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring the creature's clean rig into the open scene."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.props import StringProperty

from ...mocap.errors import BadInput
from ...mocap.rig_info import CreaturePaths, RigInfo, creature_paths
from .. import session
from ..report import Operator
from ..rig import edits

HOME = "anymove_home"
"""Custom property of an armature that was brought in: the creature's folder."""


class ANYMOVE_OT_bring_in(Operator):
    """Append the creature's clean rig to the scene, in a collection of its own, and select it"""

    bl_idname = "anymove.bring_in"
    bl_label = "Bring Creature In"
    bl_options = {"REGISTER", "UNDO"}

    creature: StringProperty(
        name="Creature", description="The creature's folder, assets/<name>", subtype="DIR_PATH"
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if bpy.app.background:
            return True
        road = session.road(context)
        if road is None or road.creature.newest is None:
            cls.poll_message_set("Adopt a rig first (Creature panel)")
            return False
        if context.mode != "OBJECT":
            cls.poll_message_set("Go to Object Mode first")
            return False
        return True

    def act(self, context: bpy.types.Context) -> str:
        paths = creature_paths(self.creature or None)
        info = RigInfo.load(paths.rig_info)
        objects = _load(paths.rigged)
        rig = _rig_of(objects, info, paths.rigged)
        collection = bpy.data.collections.new(f"Anymove {paths.name}")
        context.scene.collection.children.link(collection)
        for item in objects:
            collection.objects.link(item)
        rig[HOME] = str(paths.home)
        # Bones inside a body could not be seen, nor selected.
        rig.show_in_front = True
        edits.show(rig, info)
        for item in context.selected_objects:
            item.select_set(False)
        rig.select_set(True)
        context.view_layer.objects.active = rig
        return f"{rig.name}: {len(rig.data.bones)} bones, in the collection {collection.name}"


def _load(rigged: Path) -> list[bpy.types.Object]:
    if not rigged.is_file():
        raise BadInput(f"{rigged}: no such file; adopt the rig again")
    with bpy.data.libraries.load(str(rigged), link=False) as (stored, wanted):
        wanted.objects = stored.objects
    return [item for item in wanted.objects if item.type in ("ARMATURE", "MESH")]


def _rig_of(objects: list[bpy.types.Object], info: RigInfo, rigged: Path) -> bpy.types.Object:
    wanted = set(info.skeleton.bone_names)
    for item in objects:
        if item.type == "ARMATURE" and wanted <= {bone.name for bone in item.data.bones}:
            return item
    raise BadInput(f"{rigged}: no armature with the bones of rig_info.json; adopt the rig again")


def paths_of(rig: bpy.types.Object | None) -> CreaturePaths | None:
    """The creature that an armature of the scene was brought in from, if it was."""
    if rig is None or rig.type != "ARMATURE" or not rig.get(HOME):
        return None
    return CreaturePaths(Path(rig[HOME]))
