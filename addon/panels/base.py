# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all panels share: where they are, their state in the header, their job, what came out."""

from __future__ import annotations

import textwrap

import bpy

from .. import session
from ..jobs.job import CANCELLED, ENDED, FAILED, QUEUED, Job
from ..jobs.progress import clock_text
from ..state.road import Road
from ..state.step import DONE, STALE, Step
from . import thumbnails

ICONS = {DONE: "CHECKMARK", STALE: "FILE_REFRESH"}
NOT_YET = "RADIOBUT_OFF"
_LETTER = 6.6
"""Mean width of a letter, pixels at an interface scale of 1."""
_MARGIN = 54
"""What box, icon and padding take of a panel's width."""


class StepPanel:
    """Base of a step's panel: subclasses draw their settings and their button."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Anymove"
    bl_options = {"DEFAULT_CLOSED"}
    key = ""
    job_steps: tuple[str, ...] = ()
    """Whose jobs it shows; default: its own step's."""

    def draw_header(self, context: bpy.types.Context) -> None:
        road = session.road(context)
        if self._job(context) is not None and self._job(context).state not in ENDED:
            icon = "SORTTIME"
        else:
            icon = ICONS.get(road.step(self.key).state, NOT_YET) if road else NOT_YET
        self.layout.label(text="", icon=icon)

    def draw(self, context: bpy.types.Context) -> None:
        layout, road = self.layout, session.road(context)
        layout.use_property_split, layout.use_property_decorate = True, False
        if road is not None:
            text, icon = self.told(road, context.scene.anymove)
            wrapped(layout, context, text[:1].upper() + text[1:], icon)
        self.settings(context, context.scene.anymove)
        job = self._job(context)
        if job is None or job.state in ENDED:
            self.button(context, context.scene.anymove)
        if job is not None:
            draw_job(layout, context, job)
        if road is not None:
            draw_results(layout, road.step(self.key))

    def _job(self, context: bpy.types.Context) -> Job | None:
        home = session.home(context)
        found = [session.newest_job(step, str(home)) for step in (self.job_steps or (self.key,))]
        return next((job for job in found if job is not None), None)

    def told(self, road: Road, settings) -> tuple[str, str]:
        """The step's state in words, and its icon."""
        step = road.step(self.key)
        return step.why, ICONS.get(step.state, NOT_YET)

    def settings(self, context: bpy.types.Context, settings) -> None:
        """Draw the step's few settings."""

    def button(self, context: bpy.types.Context, settings) -> None:
        """Draw the step's one button."""


def wrapped(layout: bpy.types.UILayout, context: bpy.types.Context, text: str, icon: str = "NONE") -> None:
    """A text of several lines where the sidebar is too narrow for one."""
    scale = context.preferences.system.ui_scale
    letters = max(16, int((context.region.width / scale - _MARGIN) / _LETTER))
    column = layout.column(align=True)
    column.scale_y = 0.85
    for number, line in enumerate(textwrap.wrap(text, letters)):
        column.label(
            text=line, icon="BLANK1" if number and icon != "NONE" else icon if not number else "NONE"
        )


def big_button(layout: bpy.types.UILayout, operator: str, text: str, icon: str):
    """The one thing to press."""
    row = layout.row()
    row.scale_y = 1.4
    return row.operator(operator, text=text, icon=icon)


def draw_job(layout: bpy.types.UILayout, context: bpy.types.Context, job: Job) -> None:
    box = layout.box()
    if job.state not in ENDED:
        _draw_running(box, context, job)
        return
    row = box.row(align=True)
    row.label(text=f"{_ended(job)} after {clock_text(job.seconds)}", icon=_icon(job))
    row.operator("anymove.open_log", text="", icon="TEXT").job = job.name
    row.operator("anymove.forget_job", text="", icon="X").job = job.name
    if job.state == FAILED:
        wrapped(box, context, job.message)
    if job.state in (FAILED, CANCELLED):
        box.operator("anymove.resume_job", text="Resume", icon="PLAY").job = job.name


def _draw_running(box: bpy.types.UILayout, context: bpy.types.Context, job: Job) -> None:
    row = box.row(align=True)
    share = job.progress.share
    if job.state == QUEUED:
        row.label(text="Waiting for its turn", icon="SORTTIME")
    elif share is None:
        row.label(text="Cancelling" if job.cancelling else "Starting", icon="SORTTIME")
    else:
        row.progress(factor=share, text=f"{share:.0%}{_left(job)}")
    row.operator("anymove.open_log", text="", icon="TEXT").job = job.name
    row.operator("anymove.cancel_job", text="", icon="X").job = job.name
    if job.message:
        wrapped(box, context, job.message)


def _left(job: Job) -> str:
    left = job.seconds_left
    return "" if left is None else f"   {clock_text(left)} left"


def _ended(job: Job) -> str:
    return {FAILED: "Failed", CANCELLED: "Cancelled"}.get(job.state, "Done")


def _icon(job: Job) -> str:
    return {FAILED: "ERROR", CANCELLED: "CANCEL"}.get(job.state, "CHECKMARK")


def draw_results(layout: bpy.types.UILayout, step: Step) -> None:
    """Figures, and what can be looked at."""
    if step.facts:
        column = layout.box().column(align=True)
        for name, value in step.facts:
            row = column.split(factor=0.5)
            row.label(text=name)
            row.label(text=value)
    for picture in step.pictures:
        if picture.path.suffix in thumbnails.SHOWN:
            layout.template_icon(thumbnails.icon(picture.path), scale=6.5)
        shown = layout.operator("anymove.show_picture", text=picture.title, icon=_KINDS[picture.path.suffix])
        shown.filepath = str(picture.path)


_KINDS = {".png": "IMAGE_DATA", ".jpg": "IMAGE_DATA", ".mp4": "FILE_MOVIE", ".html": "URL"}
