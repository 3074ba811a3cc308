# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What motion does to a cut-out: smear while the shutter is open, ghosts of the frames before and after.

The labels are those of the middle of the motion: a smear is symmetric about it, a ghost is fainter than it.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from .. import framing

_STEP_PX = 2.0
"""Places of a smear lie no farther apart than this, so that they melt together."""


def smear(rgba: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Premultiplied RGBA as a shutter sees it that stays open: all of it, or the part on one side of a line.

    Each doubling lays the picture over itself, moved to and fro, at half the distance of the one before:
    three make eight places evenly along the path, for six warps.
    """
    at = _motion(rgba, rng, 0.012, 0.04)
    out = rgba
    for part in range(1, _doublings(rgba, at) + 1):
        out = cv2.addWeighted(_moved(out, at(0.5**part)), 0.5, _moved(out, at(-(0.5**part))), 0.5, 0)
    if rng.random() < 0.5:
        weight = _half_plane(rgba, rng)
        out = cv2.blendLinear(out, rgba, weight, 1 - weight)
    return out


def ghost(rgba: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Premultiplied RGBA with a faint copy from the frame before or after, or from both."""
    at = _motion(rgba, rng, 0.025, 0.07)
    sides = ((-1,), (1,), (-1, 1), (-1, 1))[rng.integers(4)]
    strength = rng.uniform(0.12, 0.4)
    other = _moved(rgba, at(sides[0]))
    if len(sides) == 2:
        other = cv2.addWeighted(other, 0.5, _moved(rgba, at(sides[1])), 0.5, 0)
    return cv2.addWeighted(rgba, 1 - strength, other, strength, 0)


def _doublings(rgba: np.ndarray, at: Callable[[float], np.ndarray]) -> int:
    low, high = _box(cv2.extractChannel(rgba, 3))
    corners = np.array([low, high, [low[0], high[1]], [high[0], low[1]]])
    start, end = (framing.apply(at(time), corners) for time in (-1.0, 1.0))
    path = float(np.linalg.norm(end - start, axis=1).max())
    return int(np.clip(np.ceil(np.log2(max(path, 1.0) / _STEP_PX)), 1, 5))


def _motion(
    rgba: np.ndarray, rng: np.random.Generator, shift: float, turn: float
) -> Callable[[float], np.ndarray]:
    """A small motion: the (2, 3) affine map at a time in [-1, 1], 0 being now. It turns about a point of the
    cut-out's box, so that what is far from there moves most; ``shift`` counts in the box's longer side, ``turn``
    in radians, both standard deviations."""
    low, high = _box(cv2.extractChannel(rgba, 3))
    pivot = rng.uniform(low, high)
    *move, angle = np.clip(rng.normal(0, 1, 3), -2, 2)
    move, angle = np.array(move) * shift * float((high - low).max()), angle * turn

    def at(time: float) -> np.ndarray:
        cos, sin = np.cos(angle * time), np.sin(angle * time)
        linear = np.array([[cos, -sin], [sin, cos]])
        return np.concatenate([linear, (pivot - linear @ pivot + move * time)[:, None]], 1)

    return at


def _box(alpha: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest (x, y) of what is not empty; the whole picture where all is."""
    left, top, width, height = cv2.boundingRect(alpha)
    if width == 0:
        width, height = alpha.shape[1], alpha.shape[0]
    return np.array([left, top], float), np.array([left + width, top + height], float)


def _moved(rgba: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    return cv2.warpAffine(rgba, matrix, rgba.shape[1::-1], flags=cv2.INTER_LINEAR)


def _half_plane(rgba: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(h, w) float32 weights from 0 to 1 across a soft line through the cut-out's box."""
    height, width = rgba.shape[:2]
    centre, angle = rng.uniform(*_box(cv2.extractChannel(rgba, 3))), rng.uniform(0, 2 * np.pi)
    across = np.arange(width, dtype=np.float32) - np.float32(centre[0])
    down = np.arange(height, dtype=np.float32) - np.float32(centre[1])
    soft = 0.15 * max(height, width)
    ramp = np.add.outer(down * np.float32(np.sin(angle) / soft), across * np.float32(np.cos(angle) / soft))
    return np.clip(ramp + np.float32(0.5), 0, 1)
