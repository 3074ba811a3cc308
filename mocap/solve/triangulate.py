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
    positions, weights = observations.positions, observations.weights
    frames, _, joints, _ = positions.shape
    normal = np.zeros((frames, joints, 3, 3))
    right = np.zeros((frames, joints, 3))
    for v, view in enumerate(observations.layout.views):
        offset = positions[:, v] - view.centre
        # Each pixel coordinate u says (focal * R[i] - u * R[2]) . (x - camera) = 0.
        for axis in range(2):
            row = (view.focal * view.R[axis] - offset[..., axis, None] * view.R[2]) / view.focal
            weight = weights[:, v]
            normal += weight[..., None, None] * row[..., :, None] * row[..., None, :]
            right += (weight * (row @ np.array(view.position)))[..., None] * row
    seen = observations.read.sum(1) >= 2
    normal[~seen] = np.eye(3)
    points = np.linalg.solve(normal, right[..., None])[..., 0]
    points[~seen] = np.nan
    projected, _ = observations.layout.project(points)
    error = np.linalg.norm(projected - positions, axis=-1)
    return points, np.where(observations.read, error, 0.0).max(1)
