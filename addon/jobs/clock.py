# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tick that moves jobs on and shows it: the only module here that knows Blender.

A persistent timer survives loading files and undo; it draws nothing and waits for nothing. Between ticks jobs
run and are read by threads of their own.
"""

from __future__ import annotations

import bpy

from .. import session
from .job import RUNNING
from .progress import clock_text

BUSY_S, IDLE_S = 0.25, 1.0
_shown: tuple = ()
_status_is_ours = False


def start() -> None:
    bpy.app.timers.register(_tick, first_interval=IDLE_S, persistent=True)


def stop() -> None:
    if bpy.app.timers.is_registered(_tick):
        bpy.app.timers.unregister(_tick)
    _show_status("")


def _tick() -> float:
    global _shown
    busy = session.queue.tick()
    seen = tuple((job.name, job.state, job.message, job.progress.share) for job in session.queue.jobs)
    if seen != _shown:
        if [job[:2] for job in seen] != [job[:2] for job in _shown]:
            # A job began or ended: files have changed.
            session.watcher.forget()
        _shown = seen
        redraw()
    elif session.watcher.news.is_set():
        redraw()
    session.watcher.news.clear()
    _show_status(status())
    return BUSY_S if busy or session.watcher.busy else IDLE_S


def redraw() -> None:
    """The sidebars of 3D views, and preferences where they are open; nothing else."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()
            elif area.type == "PREFERENCES":
                area.tag_redraw()


def status() -> str:
    """The line for the status bar; empty while nothing runs."""
    job = session.queue.running
    if job is None or job.state != RUNNING:
        return ""
    share = "" if job.progress.share is None else f" {job.progress.share:.0%}"
    left = job.seconds_left
    ending = "" if left is None else f", {clock_text(left)} left"
    return f"Anymove: {job.order.title.lower()}{share}{ending}  (Esc over the 3D view cancels)"


def _show_status(text: str) -> None:
    """Left alone while a tool shows its own hints there."""
    global _status_is_ours
    if not text and not _status_is_ours:
        return
    for window in bpy.context.window_manager.windows:
        if not window.modal_operators:
            window.workspace.status_text_set(text or None)
    _status_is_ours = bool(text)
