# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The joints of one limb on one side, from its root at the trunk to its tip."""

from __future__ import annotations

import numpy as np

from . import curves
from .body import Body
from .templates import LimbChain, sided
from .trunk import Attached

OUTWARDS = 0.5
"""A sharp bend lies this share of the limb's depth outside its centre line: skin is thin over knees and
heels, and thick behind them."""
SHARP = np.radians(60)
SOCKET = 1.15
"""A socket is this far from the trunk's axis, in depths of the trunk there."""


def joints(
    body: Body, limb: LimbChain, side: str, attached: Attached, given: dict[str, np.ndarray]
) -> tuple[list[np.ndarray], list[float]]:
    """Points of the head of each bone, then the tip; and the turn at each (radians, 0 at both ends)."""
    names = [sided(name, side) for name in limb.bones]
    root = given.get(names[0])
    if root is None:
        root = side_root(body, attached) if limb.root == "side" else socket_root(attached)
    line = from_root(body, attached, root)
    fixed = tuple(line.nearest(given[name]) if name in given else None for name in names[1:])
    narrow = tuple(i + 1 in limb.narrow for i in range(len(names) - 1))
    inner = curves.joints(line, limb.fractions, narrow, fixed)
    points = [line.points[0], *[line.at(f) for f in inner], line.points[-1]]
    turns = [0.0] * len(points)
    pushed = list(points)
    for i, fraction in enumerate(inner, 1):
        outwards, turns[i] = curves.corner(points[i - 1], points[i], points[i + 1])
        reach = OUTWARDS * line.depth_at(fraction) * min(1.0, turns[i] / SHARP)
        moved = points[i] + reach * outwards
        if body.solid.contains(moved)[0]:
            pushed[i] = moved
    return pushed, turns


def side_root(body: Body, attached: Attached) -> np.ndarray:
    """(3,) level with the trunk's axis where the limb leaves it, above the limb, inside the flank."""
    axis = attached.curve.points[0]
    outer = attached.curve.points[len(attached.curve.points) // 2 :]
    wanted = float(np.median(outer[:, 0])) - body.plane
    step = np.sign(wanted) * body.solid.size
    count = 0
    while body.solid.contains(axis + np.array([(count + 1) * step, 0, 0]))[0] and count < 1000:
        count += 1
    half_width = count * body.solid.size
    return np.array([body.plane + np.sign(wanted) * min(abs(wanted), 0.7 * half_width), axis[1], axis[2]])


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
