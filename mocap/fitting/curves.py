# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Centre lines, and where along them the joints sit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

SAMPLES = 81
BENDS = 40.0
"""Weight of the distance between curve and polyline (squared, in curve lengths) ..."""
PRIOR = 1.0
"""... against the distance of a joint from its expected fraction (squared) ..."""
NARROW = 0.06
"""... and against how thick the limb is where a thin place is expected (share of its thickest)."""


class Curve(NamedTuple):
    """A centre line: ``points`` (M, 3) evenly spaced, ``depth`` (M,) distance to the surface."""

    points: np.ndarray
    depth: np.ndarray

    @property
    def length(self) -> float:
        return float(np.linalg.norm(np.diff(self.points, axis=0), axis=1).sum())

    def at(self, fraction: float) -> np.ndarray:
        """(3,) the point at a fraction of the way."""
        place = np.clip(fraction, 0, 1) * (len(self.points) - 1)
        low = int(min(np.floor(place), len(self.points) - 2))
        return self.points[low] + (place - low) * (self.points[low + 1] - self.points[low])

    def depth_at(self, fraction: float) -> float:
        return float(np.interp(np.clip(fraction, 0, 1), np.linspace(0, 1, len(self.depth)), self.depth))

    def nearest(self, point: np.ndarray) -> float:
        """Fraction of the curve's nearest sample."""
        return float(((self.points - point) ** 2).sum(1).argmin()) / (len(self.points) - 1)

    def part(self, start: float, end: float) -> Curve:
        """The piece between two fractions; runs backwards where start > end."""
        where = np.linspace(start, end, SAMPLES)
        return Curve(np.array([self.at(f) for f in where]), np.array([self.depth_at(f) for f in where]))


def smooth(points: np.ndarray, depth: np.ndarray, width: float) -> Curve:
    """Evenly spaced samples of a voxel path, averaged over ``width`` (a length); the ends stay."""
    points, depth = np.asarray(points, float), np.asarray(depth, float)
    if len(points) == 1:
        points, depth = np.repeat(points, 2, 0), np.repeat(depth, 2)
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    total = max(along[-1], 1e-12)
    where = np.linspace(0, total, SAMPLES)
    even = np.stack([np.interp(where, along, points[:, axis]) for axis in range(3)], 1)
    sigma = np.minimum(width, np.minimum(where, total - where) / 2 + 1e-9)
    kernel = np.exp(-0.5 * ((where[:, None] - where) / sigma[:, None]) ** 2)
    kernel /= kernel.sum(1, keepdims=True)
    return Curve(kernel @ even, kernel @ np.interp(where, along, depth))


def joints(
    curve: Curve, fractions: tuple[float, ...], narrow: tuple[bool, ...], fixed: tuple[float | None, ...]
) -> list[float]:
    """Fractions at which the joints between start and end of a chain sit.

    The polyline through them is to follow the curve (so joints go to the bends), near the expected
    ``fractions``, at thin places where ``narrow``; ``fixed`` ones are given. Dynamic programming over the
    curve's samples: the best of all polylines (as Perez & Vidal 1994 for digitised curves).
    """
    if not fractions:
        return []
    count = len(curve.points)
    chord = _chord_errors(curve)
    place = np.linspace(0, 1, count)
    thick = curve.depth / max(curve.depth.max(), 1e-12)
    best = np.where(np.arange(count) == 0, 0.0, np.inf)
    back = []
    for fraction, thin, given in zip(fractions, narrow, fixed):
        own = PRIOR * (place - fraction) ** 2 + (NARROW * thick if thin else 0.0)
        if given is not None:
            own = np.where(np.arange(count) == round(given * (count - 1)), 0.0, np.inf)
        total = best[:, None] + chord
        back.append(total.argmin(0))
        best = total.min(0) + own
    last = int((best + chord[:, -1]).argmin())
    found = [last]
    for table in reversed(back[1:]):
        found.append(int(table[found[-1]]))
    return [place[i] for i in reversed(found)]


def _chord_errors(curve: Curve) -> np.ndarray:
    """(M, M) BENDS times the mean squared distance of the samples between i and j from their chord."""
    points, count = curve.points, len(curve.points)
    scale = max(curve.length, 1e-12) ** 2 * count
    out = np.full((count, count), np.inf)
    for i in range(count - 1):
        chord = points[i + 1 :] - points[i]
        unit = chord / np.maximum(np.linalg.norm(chord, axis=1, keepdims=True), 1e-12)
        offset = points[i + 1 :] - points[i]
        along = offset @ unit.T
        square = np.maximum((offset**2).sum(1)[:, None] - along**2, 0.0)
        out[i, i + 1 :] = BENDS * np.triu(square).sum(0) / scale
    return out


def corner(before: np.ndarray, here: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, float]:
    """Unit vector out of the bend at ``here``, and the turn in radians (0: straight)."""
    a, b = _unit(here - before), _unit(after - here)
    outwards = a - b
    size = float(np.linalg.norm(outwards))
    return (outwards / size if size > 1e-9 else np.zeros(3)), float(np.arccos(np.clip(a @ b, -1, 1)))


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / max(float(np.linalg.norm(vector)), 1e-12)
