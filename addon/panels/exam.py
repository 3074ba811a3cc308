# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Exam: how far to trust it all, in centimetres."""

from __future__ import annotations

import bpy

from .. import session
from .base import StepPanel, big_button


class ANYMOVE_PT_exam(StepPanel, bpy.types.Panel):
    bl_label = "Exam"
    key = "exam"

    def settings(self, context: bpy.types.Context, settings) -> None:
        for name in ("exam_clip", "exam_frames", "exam_seed", "exam_hard"):
            self.layout.prop(settings, name)

    def button(self, context: bpy.types.Context, settings) -> None:
        made = big_button(self.layout, "anymove.sit_exam", "Sit Exam", "CHECKMARK")
        made.creature, made.clip = str(session.home(context) or ""), settings.exam_clip
        made.frames, made.seed, made.hard = settings.exam_frames, settings.exam_seed, settings.exam_hard
