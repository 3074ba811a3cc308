# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits and colours of a creature that was brought in, seen and edited in the 3D view."""

from __future__ import annotations

import bpy

from ..operators.bring_in import paths_of
from .base import wrapped


class ANYMOVE_PT_rig(bpy.types.Panel):
    bl_label = "Limits and Colours"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Anymove"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout, settings = self.layout, context.scene.anymove
        layout.use_property_split, layout.use_property_decorate = True, False
        column = layout.column(heading="Show", align=True)
        for name in ("show_limits", "show_joints", "show_ghost", "show_facing"):
            column.prop(settings, name)
        if paths_of(context.object) is None:
            wrapped(layout, context, "Bring the creature in (Motion panel) to see and edit it here.", "INFO")
            return
        self._limits(context)
        self._colours(context)
        row = layout.row(align=True)
        row.operator("anymove.save_rig_edits", text="Save")
        row.operator("anymove.reset_rig_edits", text="Reset")

    def _limits(self, context: bpy.types.Context) -> None:
        bone = context.active_pose_bone
        if bone is None:
            wrapped(self.layout, context, "Select bones in Pose Mode for their limits.", "INFO")
            return
        box = self.layout.box()
        box.label(text=bone.name, icon="BONE_DATA")
        row = box.row()
        row.use_property_split = False
        for name in ("low", "high"):
            row.column(align=True).prop(bone.anymove, name)
        box.operator("anymove.mirror_limits", icon="MOD_MIRROR")

    def _colours(self, context: bpy.types.Context) -> None:
        box = self.layout.box()
        box.label(text="Limb colours", icon="COLOR")
        grid = box.grid_flow(columns=2, even_columns=True, align=True)
        grid.use_property_split = False
        for limb in context.object.anymove_limbs:
            row = grid.split(factor=0.5)
            row.label(text=limb.name)
            row.prop(limb, "colour", text="")
