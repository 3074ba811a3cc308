# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""From two or more views to points in the world."""

from __future__ import annotations

import numpy as np

from .observations import Observations


def triangulate(observations: Observations) -> tuple[np.ndarray, np.ndarray]:
    """Weighted linear triangulation (Hartley & Zisserman, Multiple View Geometry, 12.2).

    Returns points (T, J, 3) in world metres, NaN where fewer than two views read the joint, and the
    reprojection error (T, J) in pixels, the largest over the views that read it.
    """
    cameras, positions, weights = observations.cameras, observations.positions, observations.weights
    offset = (positions - cameras.centres[:, :, None]) / cameras.focals[:, :, None, None]
    # Each pixel coordinate u (focal lengths) says (R[i] - u R[2]) . (x - camera) = 0.
    rows = cameras.rotations[:, :, None, :2] - offset[..., None] * cameras.rotations[:, :, None, 2:]
    weighted = weights[..., None, None] * rows
    normal = np.einsum("tvjai,tvjak->tjik", weighted, rows)
    reach = (rows @ cameras.places[:, :, None, :, None])[..., 0]
    right = np.einsum("tvjai,tvja->tji", weighted, reach)
    seen = observations.read.sum(1) >= 2
    normal[~seen] = np.eye(3)
    points = np.linalg.solve(normal, right[..., None])[..., 0]
    points[~seen] = np.nan
    projected, _ = cameras.project(points)
    error = np.linalg.norm(projected - positions, axis=-1)
    return points, np.where(observations.read, error, 0.0).max(1)
