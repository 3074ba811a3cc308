# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Creature: a rig becomes one that Anymove works with."""

from __future__ import annotations

import bpy

from .. import session
from .base import StepPanel, big_button, draw_job


class ANYMOVE_PT_creature(StepPanel, bpy.types.Panel):
    bl_label = "Creature"
    bl_options = set()
    key = "creature"

    def settings(self, context: bpy.types.Context, settings) -> None:
        layout = self.layout
        layout.prop(settings, "name")
        layout.prop(settings, "source")
        if settings.source == "SHIPPED":
            layout.prop(settings, "shipped")
            return
        if settings.source == "FILE":
            layout.prop(settings, "rig_file")
        layout.prop(settings, "facing")
        layout.prop(settings, "height")
        if _bare_mesh(context, settings):
            layout.prop(settings, "template")
        else:
            layout.prop(settings, "hold_out")
        if session.road(context) and session.road(context).creature.newest:
            layout.prop(settings, "replace")

    def button(self, context: bpy.types.Context, settings) -> None:
        home = str(session.home(context) or "")
        if settings.source == "SHIPPED":
            made = big_button(self.layout, "anymove.build_creature", "Build Creature", "ARMATURE_DATA")
            made.creature, made.replace = home, settings.replace
            return
        if _bare_mesh(context, settings):
            made = big_button(self.layout, "anymove.build_rig", "Build Rig", "ARMATURE_DATA")
            made.template = settings.template
        else:
            made = big_button(self.layout, "anymove.adopt_rig", "Adopt Rig", "ARMATURE_DATA")
            made.hold_out = settings.hold_out
            self._doctor(context, settings)
        made.creature, made.replace = home, settings.replace
        made.filepath = settings.rig_file if settings.source == "FILE" else ""
        made.facing, made.height_cm = settings.facing, settings.height

    def _doctor(self, context: bpy.types.Context, settings) -> None:
        look = self.layout.operator("anymove.doctor", icon="VIEWZOOM")
        look.filepath = settings.rig_file if settings.source == "FILE" else ""
        look.facing, look.height_cm = settings.facing, settings.height
        job = session.newest_job("doctor", "")
        if job is not None:
            draw_job(self.layout, context, job)


def _bare_mesh(context: bpy.types.Context, settings) -> bool:
    """A mesh without armature is meant: selected, or said so by choosing its body."""
    if settings.source == "SCENE":
        return context.object is not None and context.object.type == "MESH"
    return settings.template != "auto"
