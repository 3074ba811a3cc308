# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The first-run guide: five steps with ticks, and a button for the next one."""

from __future__ import annotations

from typing import NamedTuple

import bpy

from .. import session
from ..jobs.job import ENDED
from ..operators.set_up_toolkit import STEP
from .base import draw_job, wrapped


class Tick(NamedTuple):
    text: str
    done: bool
    where: str


def ticks(context: bpy.types.Context) -> list[Tick]:
    road = session.road(context)

    def there(key: str) -> bool:
        return road is not None and road.step(key).state == "done"

    return [
        Tick("Set up the toolkit", session.toolkit_ready(), "once; about 1 GB"),
        Tick("Adopt a rig", there("creature"), "in the Creature panel below"),
        Tick("Render samples", there("dataset"), "in the Dataset panel below"),
        Tick("Train the reader", there("reader"), "in the Reader panel below"),
        Tick("Sit the exam", there("exam"), "in the Exam panel below"),
    ]


class ANYMOVE_PT_guide(bpy.types.Panel):
    bl_label = "First Steps"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Anymove"

    def draw(self, context: bpy.types.Context) -> None:
        layout, found = self.layout, ticks(context)
        column = layout.column(align=True)
        following = next((tick for tick in found if not tick.done), None)
        for number, tick in enumerate(found, 1):
            row = column.row()
            row.active = tick.done or tick is following
            row.label(text=f"{number}  {tick.text}", icon="CHECKBOX_HLT" if tick.done else "CHECKBOX_DEHLT")
        if following is None:
            wrapped(layout, context, "All done: capture clips, or put the exam's motion on a rig.", "INFO")
        else:
            wrapped(layout, context, f"Next: {following.text.lower()}, {following.where}.", "INFO")
        job = session.newest_job(STEP, "")
        if not session.toolkit_ready() and (job is None or job.state in ENDED):
            layout.operator("anymove.set_up_toolkit", icon="IMPORT")
        if job is not None:
            draw_job(layout, context, job)
