# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cancel, resume and forget jobs; open their logs."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.props import StringProperty

from ...mocap.errors import BadInput
from .. import session
from ..jobs.job import ENDED, Job
from ..report import Operator


def _named(name: str) -> Job:
    for job in session.queue.jobs:
        if job.name == name:
            return job
    raise BadInput("that job is not there any more")


class ANYMOVE_OT_cancel_job(Operator):
    """End the job; what it finished is kept, and it can be resumed"""

    bl_idname = "anymove.cancel_job"
    bl_label = "Cancel Job"

    job: StringProperty(name="Job", description="Which job; empty: the one that runs", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        # Esc is bound to this: without a job, it must reach whatever else wants it.
        return bool(session.queue.waiting())

    def act(self, context: bpy.types.Context) -> str:
        job = _named(self.job) if self.job else session.queue.running
        if job is None or job.state in ENDED:
            raise BadInput("no job is running")
        job.cancel()
        return f"{job.order.title}: cancelled; what was finished is kept"


class ANYMOVE_OT_resume_job(Operator):
    """Run the job again: it goes on where it stopped"""

    bl_idname = "anymove.resume_job"
    bl_label = "Resume Job"

    job: StringProperty(name="Job", description="Which job")

    def act(self, context: bpy.types.Context) -> str:
        return f"{session.queue.resume(_named(self.job)).order.title}: begun again"


class ANYMOVE_OT_forget_job(Operator):
    """Remove the ended job and its log from the list"""

    bl_idname = "anymove.forget_job"
    bl_label = "Forget Job"

    job: StringProperty(name="Job", description="Which job")

    def act(self, context: bpy.types.Context) -> str:
        job = _named(self.job)
        session.queue.forget(job)
        return f"{job.order.title}: forgotten"


class ANYMOVE_OT_open_log(Operator):
    """Open the job's log in Blender's text editor"""

    bl_idname = "anymove.open_log"
    bl_label = "Open Log"

    job: StringProperty(name="Job", description="Which job")

    def act(self, context: bpy.types.Context) -> str:
        log = _named(self.job).log
        if not log.is_file():
            raise BadInput("the job has no log yet")
        text = _text_of(log)
        _show(context, text)
        return f"{text.name}: {len(text.lines)} lines"


def _text_of(log: Path) -> bpy.types.Text:
    name = f"{log.parent.name}.log"
    text = bpy.data.texts.get(name) or bpy.data.texts.new(name)
    text.from_string(log.read_text(encoding="utf-8", errors="replace"))
    return text


def _show(context: bpy.types.Context, text: bpy.types.Text) -> None:
    """In a text editor that is there, else in a window of its own."""
    from .show_picture import area_for

    area = area_for(context, "TEXT_EDITOR")
    if area is not None:
        area.spaces.active.text = text
        area.spaces.active.show_word_wrap = True
