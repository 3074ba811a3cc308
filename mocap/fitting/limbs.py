# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The joints of one limb on one side, from its root at the trunk to its tip."""

from __future__ import annotations

import numpy as np

from . import curves
from .body import Body
from .templates import LimbChain, sided
from .trunk import Attached

OUTWARDS = 0.6
"""A sharp bend lies this share of the way from the centre line to the skin: skin is thin over knees and
heels, and thick behind them."""
SHARP = np.radians(60)
EXPECTED = 0.5
"""A bend that anatomy expects counts as this much of a sharp one, however straight the limb is held."""
FLANK = 0.85
"""A root lies at most this share of the way from the trunk's axis to its side."""
SOCKET = 1.15
"""A socket is this far from the trunk's axis, in depths of the trunk there."""


def joints(
    body: Body, limb: LimbChain, side: str, attached: Attached, given: dict[str, np.ndarray]
) -> tuple[list[np.ndarray], list[float]]:
    """Points of the head of each bone, then the tip; and the turn at each (radians, 0 at both ends)."""
    names = [sided(name, side) for name in limb.bones]
    root = given.get(names[0])
    if root is None:
        root = side_root(body, limb, attached) if limb.root == "side" else socket_root(attached)
    line = from_root(body, attached, root)
    fixed = tuple(line.nearest(given[name]) if name in given else None for name in names[1:])
    narrow = tuple(i + 1 in limb.narrow for i in range(len(names) - 1))
    inner = curves.joints(line, limb.fractions, narrow, fixed)
    points = [line.points[0], *[line.at(f) for f in inner], line.points[-1]]
    turns = [0.0] * len(points)
    pushed = list(points)
    bends = limb.bends or (0,) * len(inner)
    for i, bend in enumerate(bends, 1):
        outwards, turns[i] = curves.corner(points[i - 1], points[i], points[i + 1])
        pushed[i] = points[i] + _push(body, points[i - 1 : i + 2], outwards, turns[i], bend)
    return pushed, turns


def _push(body: Body, around: list[np.ndarray], outwards: np.ndarray, turn: float, bend: int) -> np.ndarray:
    """(3,) from the centre line towards the skin on the outer side of the bend."""
    chord = around[2] - around[0]
    chord = chord / max(float(np.linalg.norm(chord)), 1e-12)
    expected = np.array([0.0, float(bend), 0.0])
    wish = min(1.0, turn / SHARP) * outwards + EXPECTED * (expected - (expected @ chord) * chord)
    strength = float(np.linalg.norm(wish))
    if strength < 1e-6:
        return np.zeros(3)
    return OUTWARDS * min(1.0, strength) * _to_skin(body, around[1], wish / strength) * wish / strength


def _to_skin(body: Body, place: np.ndarray, direction: np.ndarray) -> float:
    """Length of the way from ``place`` out of the body."""
    steps = np.arange(1, 400) * 0.5 * body.solid.size
    inside = body.solid.contains(place + steps[:, None] * direction)
    return float(steps[inside.argmin() - 1]) if inside[0] and not inside.all() else 0.0


def side_root(body: Body, limb: LimbChain, attached: Attached) -> np.ndarray:
    """(3,) level with the trunk's axis where the limb leaves it, above the limb, inside the flank."""
    axis = attached.curve.points[0]
    outer = attached.curve.points[len(attached.curve.points) // 2 :]
    wanted = float(np.median(outer[:, 0])) - body.plane
    side = np.sign(wanted)
    half_width = _to_skin(body, axis, np.array([side, 0.0, 0.0]))
    drop = limb.drop * attached.curve.depth[0]
    return np.array([body.plane + side * min(abs(wanted), FLANK * half_width), axis[1], axis[2] - drop])


def socket_root(attached: Attached) -> np.ndarray:
    """(3,) where the centre line comes out of the trunk's inscribed ball."""
    points = attached.curve.points
    away = np.linalg.norm(points - points[0], axis=1)
    out = np.flatnonzero(away > SOCKET * attached.curve.depth[0])
    return points[min(int(out[0]) if len(out) else len(points) - 1, int(0.6 * (len(points) - 1)))]


def from_root(body: Body, attached: Attached, root: np.ndarray) -> curves.Curve:
    """The centre line from the root on: what runs from the trunk's axis sideways to the limb is replaced
    by the straight way from the root."""
    points, depth = attached.curve
    side = np.sign(points[-1, 0] - body.plane)
    reach = 0.85 * abs(root[0] - body.plane)
    clear = np.flatnonzero((points[:, 0] - body.plane) * side >= reach)
    nearest = int(((points - root) ** 2).sum(1).argmin())
    first = min(max(int(clear[0]) if len(clear) else 0, nearest), len(points) - 2)
    if np.linalg.norm(points[first] - root) < 2 * body.solid.size:
        first += 1
    return curves.smooth(
        np.concatenate([[root], points[first:]]),
        np.concatenate([[depth[first]], depth[first:]]),
        1.5 * body.solid.size,
    )
