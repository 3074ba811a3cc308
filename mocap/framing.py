# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Framings: affine maps from a panel to the square input of the reader, and back.

Coordinates are continuous pixels, the centre of pixel (0, 0) at (0.5, 0.5), as everywhere in the
toolkit. A framing is a (2, 3) matrix M with input = M[:, :2] @ panel + M[:, 2].
"""

from __future__ import annotations

import cv2
import numpy as np

PAD = 1.12
"""Side of a tight framing in units of the joints' extent."""
MARGIN = 0.06
"""Added to each side of a tight framing, in units of the joints' larger extent: flesh beyond the joints."""
STRETCH = 1.8
"""A tight framing stretches the shorter extent by at most this much."""
NOTHING = 127
"""The grey that stands for a view which a clip does not have."""
_HALVE_BELOW = 0.7


def place(centre: np.ndarray, sides: np.ndarray, out: int, turn: float = 0.0) -> np.ndarray:
    """Framing that maps the box around centre (2,) with sides (2,), both panel pixels, onto the
    input's square of side ``out``, its content turned by ``turn`` radians about the centre."""
    cos, sin = np.cos(turn), np.sin(turn)
    linear = np.diag(out / np.asarray(sides, float)) @ np.array([[cos, -sin], [sin, cos]])
    return np.concatenate([linear, (out / 2 - linear @ np.asarray(centre, float))[:, None]], 1)


def whole_box(size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Centre and sides of the square that holds a whole panel of ``size`` (width, height)."""
    return np.array(size, float) / 2, np.full(2, float(max(size)))


def tight_box(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centre and sides of the box around ``points`` (J, 2), padded, its shape capped by STRETCH."""
    low, high = points.min(0), points.max(0)
    extent = np.maximum(high - low, 1.0)
    sides = np.maximum(extent, extent.max() / STRETCH) * PAD + 2 * MARGIN * extent.max()
    return (low + high) / 2, sides


def apply(framing: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Panel pixels (..., 2) to input pixels; framing (..., 2, 3) broadcasts against (..., J, 2)."""
    return points @ np.swapaxes(framing[..., :2], -1, -2) + framing[..., None, :, 2]


def invert(framing: np.ndarray) -> np.ndarray:
    """The (..., 2, 3) map from input pixels back to panel pixels."""
    linear = np.linalg.inv(framing[..., :2])
    return np.concatenate([linear, -(linear @ framing[..., 2:])], -1)


def in_panel(framing: np.ndarray, size: np.ndarray) -> np.ndarray:
    """The (..., 2, 3) maps from input pixels to a panel's own coordinates, which the views of a layout share: 0 in its
    middle, its larger side reaching from -1 to 1. ``size`` (..., 2): width and height of the panels."""
    back, size = invert(framing), np.asarray(size, float)
    half = size.max(-1)[..., None, None] / 2
    back[..., 2] -= size / 2
    return back / half


def scale(framing: np.ndarray) -> np.ndarray:
    """Input pixels per panel pixel, the geometric mean of both directions. (..., 2, 3) -> (...)."""
    return np.sqrt(np.abs(np.linalg.det(framing[..., :2])))


def halves(framing: np.ndarray) -> bool:
    """Whether the picture should be halved first, so that the linear sampling does not alias."""
    return bool(scale(framing) < _HALVE_BELOW)


def halve(image: np.ndarray) -> np.ndarray:
    """Half of an image with even sides, by area."""
    return cv2.resize(image, (image.shape[1] // 2, image.shape[0] // 2), interpolation=cv2.INTER_AREA)


def warp(image: np.ndarray, framing: np.ndarray, out: tuple[int, int], border: int) -> np.ndarray:
    """Sample ``image`` (H, W, C) uint8 through ``framing`` into a picture of ``out`` (width, height)."""
    matrix = framing.copy()
    # OpenCV counts from the centre of pixel (0, 0).
    matrix[:, 2] += framing[:, :2].sum(1) * 0.5 - 0.5
    return cv2.warpAffine(image, matrix, out, flags=cv2.INTER_LINEAR, borderMode=border)


def cut(panel: np.ndarray | None, framing: np.ndarray, out: int) -> np.ndarray:
    """What the reader sees of ``panel`` (H, W, 3) uint8 through ``framing``: (out, out, 3) uint8. None: a view that is
    missing."""
    if panel is None:
        return np.full((out, out, 3), NOTHING, np.uint8)
    if halves(framing):
        height, width = panel.shape[:2]
        panel = halve(panel[: height // 2 * 2, : width // 2 * 2])
        framing = np.concatenate([framing[:, :2] * 2, framing[:, 2:]], 1)
    return warp(panel, framing, (out, out), cv2.BORDER_REPLICATE)
