# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Contours: where the drawing's limbs end, and where along the normal the picture says that they should.

A contour belongs to the nearer of the two pixels it runs between. Along its normal the log odds of its limb are added
up: the sum is the log likelihood of the edge lying there (region statistics, as in Zhu & Yuille, Region Competition,
PAMI 1996), its mean and variance a point-to-line pull and its worth.
"""

from __future__ import annotations

import cv2
import numpy as np

from .drawing import Drawing

_STEPS = 7
_STEP = 0.0075
"""The search goes so many steps each way, of so many heights."""
_EXPECTED = 4.0
"""Standard deviation of the offset before looking, in steps."""
_SHARP = 1.49
"""Variance (steps squared) of a contour that is as sharp as one can be."""
_STRENGTH = 40.0
"""Weight of one limb's contour in one view."""
_FEWEST = 12
_SEAM = 0.03
"""Limbs that meet with a smaller step in depth, in heights, meet at a seam of the skin, drawn where paint ends …"""
_SEAM_WORTH = 0.5
SCALE = 0.01
"""Standard deviation of a contour, in heights."""
BEND = 1.5


def pulls(drawing: Drawing, odds: np.ndarray, phase: int) -> dict[str, np.ndarray]:
    """What the contours of one frame and view want, as columns of surface.Wanted without frames and views. odds
    (G, S, S) log odds of the limbs; ``phase`` 0 or 1 chooses which half of the pixels speaks."""
    x, y, side, edge = _edges(drawing, phase)
    limb = drawing.shown[y, x]
    normal, flat = _normals(drawing.shown, x, y, limb)
    linear = drawing.framing[:, :2]
    across = normal @ linear
    long = np.linalg.norm(across, axis=1)
    keep = ~flat & (long > 0)
    x, y, side, edge, limb, across = (a[keep] for a in (x, y, side, edge, limb, across))
    across = across / long[keep, None]
    reach = np.arange(-_STEPS, _STEPS + 1)
    step = _STEP * drawing.height
    start = np.stack([x + 0.5, y + 0.5], 1) + 0.5 * side
    path = start[:, None] + (step * reach)[:, None] * (across @ linear.T)[:, None]
    size = odds.shape[-1]
    at = np.clip(np.floor(path).astype(int), 0, size - 1)
    offset, variance = _offsets(odds[limb[:, None], at[..., 1], at[..., 0]], reach)
    counted = np.bincount(limb, minlength=len(odds))
    worth = _SHARP / (variance + _SHARP) * np.where(edge, 1.0, _SEAM_WORTH)
    pixels = np.stack([x + 0.5, y + 0.5], 1)
    place = np.linalg.solve(linear, (pixels - drawing.framing[:, 2]).T).T
    return {
        "triangles": drawing.whole.triangle[y, x],
        "places": drawing.whole.place[y, x],
        "targets": place + (offset * step)[:, None] * across,
        "normals": across,
        "weights": _STRENGTH / np.maximum(counted[limb], _FEWEST) * worth,
        "scales": np.full(len(x), SCALE * drawing.height),
        "bends": np.full(len(x), BEND),
    }


def _edges(drawing: Drawing, phase: int) -> tuple[np.ndarray, ...]:
    """Pixels (x, y) that own a contour, the direction (N, 2) in which it lies, and whether it is no seam."""
    shown, depth = drawing.shown, drawing.whole.depth
    found = []
    for dy, dx in ((0, 1), (1, 0)):
        here = (slice(0, shown.shape[0] - dy), slice(0, shown.shape[1] - dx))
        there = (slice(dy, None), slice(dx, None))
        y, x = np.nonzero(shown[here] != shown[there])
        one, other = depth[y, x], depth[y + dy, x + dx]
        mine = one < other
        sign = np.where(mine, 1, -1)
        with np.errstate(invalid="ignore"):
            step = np.abs(one - other)
        found.append(
            (
                np.where(mine, x, x + dx),
                np.where(mine, y, y + dy),
                np.stack([sign * dx, sign * dy], 1),
                ~(step <= _SEAM * drawing.metres),
            )
        )
    x, y, side, edge = (np.concatenate(parts) for parts in zip(*found))
    chosen = ((x + y) % 2 == phase) & (drawing.whole.triangle[y, x] >= 0)
    return x[chosen], y[chosen], side[chosen], edge[chosen]


def _normals(
    shown: np.ndarray, x: np.ndarray, y: np.ndarray, limb: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(N, 2) outward, per pixel of the square, and where there is none."""
    last = shown.shape[0] - 2
    out = np.zeros((len(x), 2))
    for each in np.unique(limb):
        soft = cv2.GaussianBlur((shown == each).astype(np.float32), (0, 0), 2.0)
        which = limb == each
        at_x, at_y = np.clip(x[which], 1, last), np.clip(y[which], 1, last)
        out[which, 0] = soft[at_y, at_x - 1] - soft[at_y, at_x + 1]
        out[which, 1] = soft[at_y - 1, at_x] - soft[at_y + 1, at_x]
    size = np.linalg.norm(out, axis=1, keepdims=True)
    return out / np.maximum(size, 1e-9), size[:, 0] < 1e-6


def _offsets(odds: np.ndarray, reach: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance, in steps, of where the limb ends. odds (N, 2 K + 1) along the normal, from inside out."""
    between = reach[:-1] + 0.5
    log = np.cumsum(odds, 1)[:, :-1] - (between / _EXPECTED) ** 2 / 2
    share = np.exp(log - log.max(1, keepdims=True))
    share /= share.sum(1, keepdims=True)
    mean = share @ between
    return mean, share @ between**2 - mean**2
