# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Acts that take long: a job where there is a window, done here and now where there is none."""

from __future__ import annotations

import bpy

from .. import session
from ..jobs import now
from ..jobs.job import Order
from ..report import Operator, Outcome


class JobOperator(Operator):
    """Invoked (a button), it queues its order and returns at once. Executed (a script), it does the work and waits."""

    road_step = ""
    """Which step of the road it takes: decides when its button is greyed, and with what reason."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        # A script names its creature itself; what is on screen says nothing about that one.
        if bpy.app.background:
            return True
        why = session.hindrance(context, cls.road_step)
        if why:
            cls.poll_message_set(why)
        return not why

    def order(self, context: bpy.types.Context) -> Order:
        """The toolkit's command that does the same. Raises AnymoveError."""
        raise NotImplementedError

    def act(self, context: bpy.types.Context) -> str | Outcome:
        return now.run(self.order(context))

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if bpy.app.background:
            return self.execute(context)
        return self.told(self._queue, context)

    def _queue(self, context: bpy.types.Context) -> str:
        job = session.queue.add(self.order(context))
        ahead = session.queue.running
        return (
            f"{job.order.title}: queued behind {ahead.order.title}" if ahead else f"{job.order.title}: begun"
        )


def flags(**values: object) -> list[object]:
    """``flags(height_cm=92, replace=True, engine="")`` -> ["--height-cm", 92, "--replace"]: empty ones are left out."""
    out: list[object] = []
    for name, value in values.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            out.append(option)
        elif value:
            out += [option, value]
    return out


def chosen(value: str) -> str:
    """A choice for the command line: "auto" is its default."""
    return "" if value == "auto" else value
