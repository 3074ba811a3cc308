# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reader: the network that reads this creature."""

from __future__ import annotations

import bpy

from .. import session
from .base import StepPanel, big_button


class ANYMOVE_PT_reader(StepPanel, bpy.types.Panel):
    bl_label = "Reader"
    key = "reader"

    def settings(self, context: bpy.types.Context, settings) -> None:
        for name in ("epochs", "backbone", "restart"):
            self.layout.prop(settings, name)

    def button(self, context: bpy.types.Context, settings) -> None:
        made = big_button(self.layout, "anymove.train_reader", "Train Reader", "GRAPH")
        made.creature, made.epochs = str(session.home(context) or ""), settings.epochs
        made.backbone, made.restart = settings.backbone, settings.restart
