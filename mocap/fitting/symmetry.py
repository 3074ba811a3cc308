# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The vertical plane across which a body is its own mirror image."""

from __future__ import annotations

import numpy as np

from . import voxels

COARSE = 48
WIDEST = 24.0
"""Turned by more than this (degrees) the body faces another way."""
GAIN = 0.03
"""A turn is believed where its plane covers this share more of the body than the plane across X."""


def plane(solid: voxels.Solid | voxels.Block) -> tuple[float, float]:
    """x of the plane across X over which the solid covers itself best, and the share it covers. Tried are
    all planes on and half-way between voxels in the middle third."""
    count = solid.filled.shape[0]
    total = int(solid.filled.sum())
    best, best_sum = -1, count - 1
    for doubled in range(2 * count // 3, 4 * count // 3):
        start, end = max(0, doubled - count + 1), min(count - 1, doubled)
        part = solid.filled[start : end + 1]
        covered = int((part & part[::-1]).sum())
        if covered > best:
            best, best_sum = covered, doubled
    return float(solid.origin[0] + best_sum / 2 * solid.size), best / total


def yaw(points: np.ndarray, triangles: np.ndarray) -> float:
    """Degrees about Z by which the body must be turned so that its symmetry plane lies across X; 0 where it
    does already, or where no small turn helps. points (V, 3), triangles (F, 3)."""
    solid = voxels.solid(points, triangles, COARSE)
    flat = solid.points - solid.points.mean(0)
    straight = _covered(flat, solid.size, 0.0)
    steps = np.arange(-WIDEST, WIDEST + 1, 4.0)
    best = max(steps, key=lambda angle: _covered(flat, solid.size, angle))
    best = max(best + np.arange(-3.0, 4.0), key=lambda angle: _covered(flat, solid.size, angle))
    return float(best) if _covered(flat, solid.size, best) > straight + GAIN else 0.0


def _covered(points: np.ndarray, size: float, angle: float) -> float:
    """Share of the voxels (N, 3), turned about Z, whose mirror image across the best plane is filled."""
    turn = np.radians(angle)
    x = points[:, 0] * np.cos(turn) - points[:, 1] * np.sin(turn)
    y = points[:, 0] * np.sin(turn) + points[:, 1] * np.cos(turn)
    cells = np.round(np.stack([x, y, points[:, 2]], 1) / size).astype(int)
    cells -= cells.min(0)
    filled = np.zeros(cells.max(0) + 1, bool)
    filled[tuple(cells.T)] = True
    return plane(voxels.Block(filled, np.zeros(3), size))[1]
