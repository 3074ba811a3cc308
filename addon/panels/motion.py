# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion: what was solved, on a rig of the scene."""

from __future__ import annotations

import bpy

from .. import session
from .base import StepPanel, big_button


class ANYMOVE_PT_motion(StepPanel, bpy.types.Panel):
    bl_label = "Motion"
    key = "motion"

    def settings(self, context: bpy.types.Context, settings) -> None:
        for name in ("motion_file", "start_frame", "in_place", "nla"):
            self.layout.prop(settings, name)

    def button(self, context: bpy.types.Context, settings) -> None:
        home, road = session.home(context), session.road(context)
        self.layout.operator("anymove.bring_in", icon="APPEND_BLEND").creature = str(home or "")
        solved = settings.motion_file or (str(road.motion.newest) if road and road.motion.newest else "")
        made = big_button(self.layout, "anymove.apply_to_rig", "Apply to Selected Rig", "ACTION")
        made.rig_info = str(home / "rigged" / "rig_info.json") if home else ""
        made.motion, made.start = solved, settings.start_frame
        made.in_place, made.nla, made.scene_range = settings.in_place, settings.nla, True
        self.layout.operator("anymove.remove_motion", icon="X")
