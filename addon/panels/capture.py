# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Capture: a clip becomes motion."""

from __future__ import annotations

import bpy

from .. import session
from .base import StepPanel, big_button


class ANYMOVE_PT_capture(StepPanel, bpy.types.Panel):
    bl_label = "Capture"
    key = "capture"

    def settings(self, context: bpy.types.Context, settings) -> None:
        for name in ("clip", "calibrate", "pictures"):
            self.layout.prop(settings, name)

    def button(self, context: bpy.types.Context, settings) -> None:
        made = big_button(self.layout, "anymove.capture_clip", "Capture Clip", "TRACKER")
        made.creature, made.clip = str(session.home(context) or ""), settings.clip
        made.calibrate, made.pictures = settings.calibrate, settings.pictures
