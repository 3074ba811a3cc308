# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What this Blender knows while it runs: its jobs, and how far the creature on screen is.

Module state: neither loading a file nor undo touches it.
"""

from __future__ import annotations

import time
from functools import lru_cache
from pathlib import Path

import bpy

from . import preferences, toolkit
from .jobs.job import Job, Order
from .jobs.queue import Queue
from .state import hindrances
from .state.road import Road
from .state.watcher import Watcher

queue = Queue(Path())
watcher = Watcher()


def begin() -> None:
    """Take up the jobs that an earlier Blender left."""
    global queue
    queue = Queue(preferences.own_folder("jobs"))
    queue.take_up()


def end(leave: bool) -> None:
    queue.close(leave)


def home(context: bpy.types.Context) -> Path | None:
    return context.scene.anymove.home


def road(context: bpy.types.Context) -> Road | None:
    """As known last, at once; None while nothing is."""
    where = home(context)
    return watcher.road(where) if where else None


def toolkit_ready() -> bool:
    """Asked by every button at every drawing: looked up once a second."""
    return _toolkit_ready(preferences.toolkit_folder(), int(time.monotonic()))


@lru_cache(maxsize=2)
def _toolkit_ready(folder: Path, _second: int) -> bool:
    return toolkit.is_ready(folder)


def hindrance(context: bpy.types.Context, key: str) -> str:
    """Why the step cannot be taken now; empty where it can."""
    return hindrances.hindrance(key, road(context), toolkit_ready(), home(context) is not None)


def order(title: str, step: str, arguments: list[object], creature: str = "") -> Order:
    """The toolkit's command, with this Blender as the one that renders."""
    blender = "" if bpy.app.module else bpy.app.binary_path
    return toolkit.order(title, step, arguments, preferences.toolkit_folder(), blender, creature)


def blender_order(title: str, step: str, script: str, arguments: list[object], creature: str) -> Order:
    """A script of blender_scripts/, for which the toolkit need not be set up."""
    program = list(toolkit.PLAYED_BLENDER) if bpy.app.module else [bpy.app.binary_path]
    return toolkit.script_order(title, step, program, script, arguments, creature)


def newest_job(step: str, creature: str) -> Job | None:
    """The job of a step that a panel shows: the one under way, else the last that ended."""
    found = [job for job in queue.jobs if job.order.step == step and job.order.creature == creature]
    return found[-1] if found else None
