# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a command's lines tell: how much of it is done, how long it will still take, its last word."""

from __future__ import annotations

import json
import re

_SURE_S, _SURE_SHARE = 2.0, 0.01
"""No guess at the time left before so much time and so much of the work have passed."""


_BLENDERS_OWN = re.compile(r"\d\d:\d\d\.\d{3}  \w+ +\| ")
"""How Blender's log begins its lines: nothing for people."""


class Progress:
    """Fed line by line. ``JOB {json}`` lines are events (mocap/cli.py); all others are for people."""

    def __init__(self) -> None:
        self.share: float | None = None
        """Of the whole job, 0 to 1; None while nothing is known."""
        self.message = ""
        """What it is at now, or its last line."""
        self.error = ""
        """The line that says why it failed, where it said so."""
        self._span = (0.0, 1.0)
        self._first: tuple[float, float] | None = None

    def take(self, line: str, now: float) -> None:
        """``now``: seconds of any clock that only goes on."""
        text = line.strip()
        event = _event(text)
        if event is not None:
            self._take_event(event, now)
        elif text and not _BLENDERS_OWN.match(text):
            self.message = text
            if text.startswith("anymove: "):
                self.error = text.removeprefix("anymove: ")

    def _take_event(self, event: dict, now: float) -> None:
        if "stage" in event:
            self._span = (float(event["from"]), float(event["to"]))
            self.message = str(event["stage"])
            self._advance(0.0, now)
        elif "progress" in event:
            self.message = str(event.get("message", self.message))
            self._advance(float(event["progress"]), now)
        elif "error" in event:
            self.error = self.message = str(event["error"])

    def _advance(self, part: float, now: float) -> None:
        low, high = self._span
        self.share = low + (high - low) * min(max(part, 0.0), 1.0)
        if self._first is None:
            self._first = (now, self.share)

    def seconds_left(self, now: float) -> float | None:
        """At the pace so far, which counts from the first sign of progress: what an earlier run did is no pace."""
        if self._first is None or self.share is None:
            return None
        began, share = self._first
        done = self.share - share
        if now - began < _SURE_S or done < _SURE_SHARE:
            return None
        return (now - began) * (1.0 - self.share) / done


def _event(text: str) -> dict | None:
    """The event that a line carries; None for a line for people, or a torn one."""
    if not text.startswith("JOB {"):
        return None
    try:
        return json.loads(text[4:])
    except ValueError:
        return None


def clock_text(seconds: float) -> str:
    """90 -> 1:30, 3700 -> 1:01:40."""
    whole = max(0, round(seconds))
    hours, minutes = divmod(whole // 60, 60)
    tail = f"{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"
    return f"{hours}:{tail}" if hours else tail
