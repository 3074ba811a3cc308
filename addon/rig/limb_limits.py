# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a joint may turn by what limb it is in, for rigs without limits and without clips. Pure numpy.

Ranges are given about anatomical axes (twist along the bone, bend, sideways) and carried over to the
bone's own XYZ axes, whatever its roll. Hinges (knees, elbows, fingers) open from how they stand at rest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Reach(NamedTuple):
    """Degrees; ``bend`` is about the hinge axis, positive the way that closes it (or lowers the end)."""

    twist: float
    bend: tuple[float, float]
    side: float
    hinge: bool = False
    """The bend axis is the one about which the joint is already bent at rest."""


def _even(twist: float, bend: float, side: float) -> Reach:
    return Reach(twist, (-bend, bend), side)


FIRST = {
    "spine": _even(10, 16, 14),
    "body": _even(10, 16, 14),
    "neck": _even(14, 26, 26),
    "head": _even(22, 28, 28),
    "jaw": Reach(2, (-3, 28), 4),
    "tail": _even(10, 26, 30),
    "leg": _even(12, 36, 14),
    "arm": _even(25, 42, 38),
    "wing": _even(22, 45, 32),
    "fin": _even(10, 20, 25),
    "finger": Reach(3, (-8, 45), 8, True),
    "toe": Reach(3, (-15, 25), 6, True),
    "ear": _even(10, 22, 22),
    "horn": _even(1, 2, 2),
    "other": _even(8, 15, 15),
}
"""The first bone of a limb."""
MIDDLE = {
    "leg": Reach(5, (-25, 50), 7, True),
    "arm": Reach(10, (-20, 70), 8, True),
    "wing": Reach(10, (-30, 40), 15, True),
    "finger": Reach(2, (-4, 55), 3, True),
    "toe": Reach(2, (-10, 25), 3, True),
}
"""Further bones; kinds that are not here go on as they begin."""
LAST = {"leg": _even(7, 32, 9), "arm": _even(15, 35, 18)}
"""The last bone of limbs of three or more."""
SHARED = {"spine": 3, "body": 3, "neck": 2, "tail": 4, "wing": 4}
"""Chains longer than this share the bend among their bones."""
STRAIGHT = np.radians(10)


def ranges(
    kind: str, place: int, count: int, rest: np.ndarray, along: np.ndarray, before: np.ndarray | None
) -> np.ndarray:
    """(3, 2) XYZ Euler limits in radians; the rest pose is always inside.

    place: which bone of ``count`` in its limb. rest (3, 3): its rest orientation in the world. along (3,):
    its direction at rest; before: that of the bone it hangs on, None where there is none.
    """
    reach = _reach(kind, place, count)
    axes = _axes(along, before if reach.hinge else None)
    share = min(1.0, SHARED.get(kind, count) / max(count, 1))
    low = np.radians([-reach.twist, reach.bend[0], -reach.side]) * share
    high = np.radians([reach.twist, reach.bend[1], reach.side]) * share
    cosines = rest.T @ axes
    middle = cosines @ ((low + high) / 2)
    half = np.sqrt((cosines**2) @ (((high - low) / 2) ** 2))
    return np.stack([np.minimum(middle - half, 0), np.maximum(middle + half, 0)], -1)


def _reach(kind: str, place: int, count: int) -> Reach:
    if place == 0:
        return FIRST[kind]
    if place == count - 1 and count > 2 and kind in LAST:
        return LAST[kind]
    return MIDDLE.get(kind, FIRST[kind])


def _axes(along: np.ndarray, before: np.ndarray | None) -> np.ndarray:
    """(3, 3) columns: twist, bend and side axis, in the world."""
    twist = along / max(np.linalg.norm(along), 1e-12)
    bend = None
    if before is not None:
        hinge = np.cross(before / max(np.linalg.norm(before), 1e-12), twist)
        if np.linalg.norm(hinge) > np.sin(STRAIGHT):
            bend = hinge / np.linalg.norm(hinge)
    if bend is None:
        # Across the body, so that legs swing and necks nod about it; limbs that point sideways bend about Z.
        across = np.array([1.0, 0, 0]) if abs(twist[0]) < 0.8 else np.array([0, 0, 1.0])
        bend = across - (across @ twist) * twist
        bend /= np.linalg.norm(bend)
    return np.stack([twist, bend, np.cross(twist, bend)], 1)
