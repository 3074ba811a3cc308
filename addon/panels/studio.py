# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Studio: what the samples will show, looked at first."""

from __future__ import annotations

import bpy

from .. import session
from .base import StepPanel, big_button


class ANYMOVE_PT_studio(StepPanel, bpy.types.Panel):
    bl_label = "Studio"
    key = "studio"

    def settings(self, context: bpy.types.Context, settings) -> None:
        self.layout.prop(settings, "pose_count")
        self.layout.prop(settings, "engine")
        row = self.layout.row(align=True)
        for view in ("front", "side"):
            look = row.operator("anymove.look_through", text=f"Look {view.title()}", icon="VIEW_CAMERA")
            look.creature, look.view = str(session.home(context) or ""), view

    def button(self, context: bpy.types.Context, settings) -> None:
        made = big_button(self.layout, "anymove.render_poses", "Render Random Poses", "RENDER_STILL")
        made.creature, made.count = str(session.home(context) or ""), settings.pose_count
        made.engine = settings.engine
