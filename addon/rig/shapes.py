# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes of parts of the skin. Pure numpy."""

from __future__ import annotations

import numpy as np

SHEET = 0.22
"""A part thinner than this share of its width is a sheet: a wing, a fin."""
SLENDER = 0.12
"""A part narrower than this share of its length is a rod, however thin it is."""


def extents(points: np.ndarray) -> np.ndarray:
    """(3,) standard deviations of points (V, 3) along their principal axes, the longest first."""
    if len(points) < 4:
        return np.zeros(3)
    spread = np.linalg.eigvalsh(np.cov((points - points.mean(0)).T))
    return np.sqrt(np.maximum(spread[::-1], 0))


def is_sheet(points: np.ndarray) -> bool:
    """True for wings and fins: flat and broad."""
    length, width, thickness = extents(points)
    return bool(length > 0 and thickness < SHEET * width and width > SLENDER * length)


def outside(places: np.ndarray, points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """(P,) how far places (P, 3) lie outside the flesh: 0 inside, else the distance to the nearest vertex.

    Inside is told by the generalised winding number of the triangles (F, 3) over points (V, 3), which
    meshes with holes and of several parts do not upset (Jacobson et al. 2013).
    """
    corners = points[triangles]
    out = np.zeros(len(places))
    for index, place in enumerate(places):
        a, b, c = (corners[:, k] - place for k in range(3))
        la, lb, lc = (np.sqrt(np.einsum("fi,fi->f", v, v)) for v in (a, b, c))
        volume = np.einsum("fi,fi->f", a, np.cross(b, c))
        dots = (np.einsum("fi,fi->f", *pair) for pair in ((a, b), (b, c), (c, a)))
        rest = la * lb * lc + sum(dot * length for dot, length in zip(dots, (lc, la, lb)))
        if abs(np.arctan2(volume, rest).sum() / (2 * np.pi)) < 0.5:
            out[index] = float(np.sqrt(((points - place) ** 2).sum(1).min()))
    return out
