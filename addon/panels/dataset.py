# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Dataset: samples to train on."""

from __future__ import annotations

import bpy

from .. import session
from ..state.road import Road
from ..state.step import DONE
from .base import NOT_YET, StepPanel, big_button


class ANYMOVE_PT_dataset(StepPanel, bpy.types.Panel):
    bl_label = "Dataset"
    key = "dataset"

    def told(self, road: Road, settings) -> tuple[str, str]:
        if road.dataset.state == DONE and road.samples < settings.samples:
            return f"{road.samples} of {settings.samples} samples: goes on there", NOT_YET
        return super().told(road, settings)

    def settings(self, context: bpy.types.Context, settings) -> None:
        for name in ("samples", "processes", "engine", "paint"):
            self.layout.prop(settings, name)

    def button(self, context: bpy.types.Context, settings) -> None:
        made = big_button(self.layout, "anymove.render_dataset", "Render Samples", "RENDER_ANIMATION")
        made.creature, made.count = str(session.home(context) or ""), settings.samples
        made.processes, made.engine, made.paint = settings.processes, settings.engine, settings.paint
