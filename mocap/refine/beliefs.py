# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Which limb each pixel shows: what the reader saw, what the colours say, and where the limbs are drawn now.

Colours are counted in the clip itself, where drawing and reader agree, so that no paint, light or film need be known.
"""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numba
import numpy as np
from scipy.ndimage import gaussian_filter

from ..raster.draw import KEPT
from .drawing import Drawing

_BINS = (24, 8, 6)
"""Of hue, saturation and value."""
_SMOOTH = (0.7, 0.5, 0.5)
_UNKNOWN = 0.07
"""Share of a limb's pixels that may have any colour."""
_RING = (0.06, 0.35)
"""The backdrop's colours are those so far from the drawing, in heights."""
READ, COLOUR = 0.4, 1.0
"""Powers of the two witnesses: the reader is sure of itself beyond what it knows."""
_MISREAD = 0.06
_NEAR = 0.08
_STRAY = 6.0
"""A pixel so far from a limb's drawing, in heights, is half a nat less likely to be of it; at most this many."""
_BLUR = 0.9
_NOTHING = np.float32(-16.0)


class Colours(NamedTuple):
    """limbs (G, bins): log probability of each colour on each limb."""

    limbs: np.ndarray


class Believed(NamedTuple):
    """log (G + 1, S, S) float32: log probability of each limb and, last, the backdrop."""

    log: np.ndarray
    score: float
    """Mean log probability of what is drawn, by the pictures alone."""


def codes(picture: np.ndarray) -> np.ndarray:
    """(S, S, 3) uint8 RGB -> (S, S) int32 bins of colour."""
    hsv = cv2.cvtColor(picture, cv2.COLOR_RGB2HSV).astype(np.int32)
    hue = np.minimum(hsv[..., 0] * _BINS[0] // 180, _BINS[0] - 1)
    saturation, value = hsv[..., 1] * _BINS[1] // 256, hsv[..., 2] * _BINS[2] // 256
    return (hue * _BINS[1] + saturation) * _BINS[2] + value


def count(drawing: Drawing, code: np.ndarray, read: np.ndarray) -> np.ndarray:
    """(G, bins) colours of each limb where drawing and reader (S, S, G + 1) agree."""
    agreed = drawing.shown == read.argmax(-1)
    bins = int(np.prod(_BINS))
    limbs = len(drawing.alone)
    which = agreed & (drawing.shown < limbs)
    flat = drawing.shown[which].astype(np.int64) * bins + code[which]
    return np.bincount(flat, minlength=limbs * bins).reshape(limbs, bins).astype(float)


def learned(counts: np.ndarray) -> Colours:
    return Colours(np.log(np.stack([_smoothed(row) for row in counts])).astype(np.float32))


def _smoothed(counts: np.ndarray) -> np.ndarray:
    table = gaussian_filter(counts.reshape(_BINS), _SMOOTH, mode=("wrap", "nearest", "nearest")).ravel()
    return (1 - _UNKNOWN) * table / max(table.sum(), 1.0) + _UNKNOWN / table.size


def distances(drawing: Drawing) -> np.ndarray:
    """(G, S, S) heights from every pixel to each limb drawn alone; far where it is not in the square at all."""
    out = []
    for alone in drawing.alone:
        outside = (alone.triangle < 0).astype(np.uint8)
        far = cv2.distanceTransform(outside, cv2.DIST_L2, 3) if not outside.all() else outside * 1e3
        out.append(far.astype(np.float32) / drawing.height_in_square)
    return np.stack(out)


def believe(drawing: Drawing, code: np.ndarray, read: np.ndarray, colours: Colours) -> Believed:
    """read (S, S, G + 1) uint8: 255 times the reader's probabilities."""
    far = distances(drawing)
    gap = far.min(0)
    ring = (gap > _RING[0]) & (gap < _RING[1])
    backdrop = _smoothed(np.bincount(code[ring], minlength=int(np.prod(_BINS))).astype(float))
    tables = np.concatenate([colours.limbs, np.log(backdrop)[None].astype(np.float32)])
    coloured = np.stack([cv2.GaussianBlur(table[code], (0, 0), _BLUR) for table in tables])
    # A reader's zero is no certainty: some share of what it says is misread.
    shares = np.arange(256) / 255 * (1 - _MISREAD) + _MISREAD / read.shape[-1]
    log, score = _fused(coloured, read, (READ * np.log(shares)).astype(np.float32), far, drawing.shown)
    return Believed(log, score)


@numba.njit(cache=KEPT, nogil=True, fastmath=True)
def _fused(coloured, read, seen, far, shown):
    """Log posterior (G + 1, S, S), and the mean log probability of ``shown`` without the distances."""
    count, height, width = coloured.shape
    out = np.empty_like(coloured)
    total = 0.0
    plain = np.empty(count, np.float32)
    for y in range(height):
        for x in range(width):
            most, most_plain = -1e30, -1e30
            for g in range(count):
                plain[g] = seen[read[y, x, g]] + COLOUR * coloured[g, y, x]
                away = 0.0 if g == count - 1 else min(0.5 * (far[g, y, x] / _NEAR) ** 2, _STRAY)
                out[g, y, x] = plain[g] - away
                most, most_plain = max(most, out[g, y, x]), max(most_plain, plain[g])
            mass, mass_plain = 0.0, 0.0
            for g in range(count):
                # What is farther below the most likely than this adds nothing that a float32 holds.
                if out[g, y, x] - most > _NOTHING:
                    mass += np.exp(out[g, y, x] - most)
                if plain[g] - most_plain > _NOTHING:
                    mass_plain += np.exp(plain[g] - most_plain)
            mass = most + np.log(mass)
            for g in range(count):
                out[g, y, x] -= mass
            total += plain[shown[y, x]] - most_plain - np.log(mass_plain)
    return out, total / (height * width)


def log_odds(log: np.ndarray, most: float = 2.0) -> np.ndarray:
    """(G, S, S) of each limb against everything else, clipped."""
    share = np.clip(np.exp(log[:-1]), 1e-4, 1 - 1e-4)
    return np.clip(np.log(share) - np.log1p(-share), -most, most)
