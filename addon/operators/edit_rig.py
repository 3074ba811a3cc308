# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keep, undo and mirror changes to joint limits and limb colours."""

from __future__ import annotations

import bpy

from ...mocap import files
from ...mocap.errors import BadInput
from ...mocap.rig_info import CreaturePaths, RigInfo
from ..report import Operator
from ..rig import edits
from .bring_in import paths_of


class _OnCreature(Operator):
    """Base: the active armature is one that was brought in."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if paths_of(context.object) is None:
            cls.poll_message_set("Select a creature that was brought in (Motion panel, Bring Creature In)")
            return False
        return True

    def creature(self, context: bpy.types.Context) -> tuple[CreaturePaths, RigInfo]:
        paths = paths_of(context.object)
        if paths is None:
            raise BadInput("the active object is no creature that was brought in")
        return paths, RigInfo.load(paths.rig_info)


class ANYMOVE_OT_save_rig_edits(_OnCreature):
    """Write the limits and colours into rig_info.json; samples and readers made before do not fit it any more"""

    bl_idname = "anymove.save_rig_edits"
    bl_label = "Save Limits and Colours"

    def act(self, context: bpy.types.Context) -> str:
        paths, info = self.creature(context)
        made, turned, painted = edits.applied(context.object, info)
        if not turned and not painted:
            return f"{paths.rig_info}: nothing was changed"
        older = _aside(paths)
        made.save(paths.rig_info)
        return f"{paths.rig_info}: limits of {turned} bones and {painted} colours changed; as it was: {older.name}"


def _aside(paths: CreaturePaths):
    """A copy of rig_info.json as it is, under a name that is free."""
    number = 1
    while (older := paths.rig_info.with_name(f"rig_info.{number}.json")).exists():
        number += 1
    files.write_bytes(older, paths.rig_info.read_bytes())
    return older


class ANYMOVE_OT_reset_rig_edits(_OnCreature):
    """Show the limits and colours as they are in rig_info.json"""

    bl_idname = "anymove.reset_rig_edits"
    bl_label = "Reset"
    bl_options = {"REGISTER", "UNDO"}

    def act(self, context: bpy.types.Context) -> str:
        _, info = self.creature(context)
        edits.show(context.object, info)
        return f"{context.object.name}: limits and colours as saved"


class ANYMOVE_OT_mirror_limits(_OnCreature):
    """Give the selected bones' limits to their partners on the other side"""

    bl_idname = "anymove.mirror_limits"
    bl_label = "Mirror Limits"
    bl_options = {"REGISTER", "UNDO"}

    def act(self, context: bpy.types.Context) -> str:
        _, info = self.creature(context)
        chosen = [bone.name for bone in context.selected_pose_bones or ()]
        if not chosen:
            raise BadInput("no bone is selected: select some in Pose Mode")
        known = [name for name in chosen if name in info.skeleton.bone_names]
        done = edits.mirror(context.object, info.skeleton, known)
        return f"{done} of {len(chosen)} selected bones have a partner, which now has the same limits"
