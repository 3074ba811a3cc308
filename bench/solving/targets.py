# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What the solver is to reach, and which creatures and motions reach it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from . import troubles
from .troubles import Case

REFERENCE_BONES = 46
"""Bones for which the allowed time is stated; it grows with their number."""


class Target(NamedTuple):
    """``figure`` of ``case`` is at most ``limit``; against the same figure of ``against`` where that is given, and
    taken to ``REFERENCE_BONES`` where it ``grows`` with the bones."""

    name: str
    case: Case
    figure: str
    limit: float
    against: Case | None = None
    grows: bool = False


TARGETS = (
    Target("2 px: mean %", troubles.NOISE_2, "mean_pct", 0.35),
    Target("4 px, 15/5: mean %", troubles.MIXED_4, "mean_pct", 0.70),
    Target("4 px, 15/5: 95% %", troubles.MIXED_4, "p95_pct", 1.6),
    Target("8 px, 15/5: mean %", troubles.MIXED_8, "mean_pct", 1.25),
    Target("AR(1) 0.8: mean %", troubles.LASTING, "mean_pct", 0.95),
    Target("2 px: rotation deg", troubles.NOISE_2, "rotation_deg", 4.0),
    Target("4 px: rotation deg", troubles.NOISE_4, "rotation_deg", 6.0),
    Target("cameras off: ratio", troubles.VIEWS_OFF, "mean_pct", 1.15, against=troubles.GIVEN),
    Target("cameras drift: ratio", troubles.VIEWS_DRIFT, "mean_pct", 1.30, against=troubles.GIVEN),
    Target("4 px: jitter", troubles.NOISE_4, "jitter", 0.5),
    Target("clean: false swaps", troubles.CLEAN, "false_swaps", 0),
    Target("CPU s, 46 bones", troubles.MIXED_4, "seconds_per_120_frames", 4.0, grows=True),
)


class Verdict(NamedTuple):
    """How motions stand against a target: ``means`` by rig, ``worst`` (rig, motion, value), and how many motions of
    how many are within the limit. ``met``: every rig's mean is."""

    target: Target
    means: dict[str, float]
    worst: tuple[str, str, float]
    within: int
    of: int

    @property
    def met(self) -> bool:
        return all(mean <= self.target.limit for mean in self.means.values())


def verdicts(rows: Sequence[dict[str, Any]], targets: Sequence[Target] = TARGETS) -> list[Verdict]:
    """rows: of solving.figures.measure with "rig" and "bones" added. Targets whose case was not measured are left
    out."""
    return [verdict for target in targets if (verdict := _verdict(rows, target)) is not None]


def _verdict(rows: Sequence[dict[str, Any]], target: Target) -> Verdict | None:
    values = {}
    for row in rows:
        if row["case"] == target.case.name and (value := _value(rows, row, target)) is not None:
            values[row["rig"], row["motion"]] = value
    if not values:
        return None
    rigs = dict.fromkeys(rig for rig, _ in values)
    means = {rig: float(np.mean([v for (r, _), v in values.items() if r == rig])) for rig in rigs}
    worst = max(values, key=values.__getitem__)
    within = sum(value <= target.limit for value in values.values())
    return Verdict(target, means, (*worst, values[worst]), within, len(values))


def _value(rows: Sequence[dict[str, Any]], row: dict[str, Any], target: Target) -> float | None:
    """None where there is nothing to compare with: no such row, or a truth that does not move."""
    value = row[target.figure]
    if value is None:
        return None
    if target.grows:
        return value * REFERENCE_BONES / row["bones"]
    if target.against is None:
        return value
    place = (row["rig"], row["motion"], target.against.name)
    for other in rows:
        if (other["rig"], other["motion"], other["case"]) == place:
            return value / other[target.figure]
    return None
