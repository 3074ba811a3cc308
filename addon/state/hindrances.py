# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a step cannot be taken now, in words for a tooltip. Plain Python."""

from __future__ import annotations

from .road import Road

_NEEDS = {
    "creature": (),
    "studio": ("creature",),
    "dataset": ("creature",),
    "reader": ("creature", "dataset"),
    "capture": ("creature", "reader"),
    "exam": ("creature", "reader"),
    "motion": ("motion",),
}
_WITHOUT_TOOLKIT = ("creature", "studio", "motion")
"""Blender alone does these."""
_FIRST = {
    "creature": "Adopt a rig first (Creature panel)",
    "dataset": "Render samples first (Dataset panel)",
    "reader": "Train the reader first (Reader panel)",
    "motion": "Capture a clip or sit an exam first",
}
NO_TOOLKIT = "Set up the toolkit first (guide, or Preferences > Add-ons > Anymove)"
NO_NAME = "Give the creature a name first (Creature panel)"


def hindrance(key: str, road: Road | None, ready: bool, named: bool) -> str:
    """Empty where the step can be taken. ``ready``: the toolkit is set up; ``named``: a creature is chosen."""
    if not ready and key not in _WITHOUT_TOOLKIT:
        return NO_TOOLKIT
    if not named:
        return NO_NAME
    if road is None:
        return "Looking at the creature's files, a moment please"
    for need in _NEEDS.get(key, ()):
        step = road.step(need)
        if step.state == "stale" and need in ("creature", "dataset"):
            return f"{need.capitalize()}: {step.why}"
        if step.newest is None:
            return _FIRST[need]
    return ""
