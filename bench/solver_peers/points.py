# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Triangulated and bridged points, which the geometric peers start from."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import median_filter

from mocap.detections import Detections
from mocap.rig_info import RigInfo
from mocap.solve import Settings
from mocap.solve.initialise import INCONSISTENT, bridge
from mocap.solve.observations import height_px, observe
from mocap.solve.triangulate import triangulate


def joint_points(info: RigInfo, detections: Detections, median: int = 1) -> np.ndarray:
    """(T, J, 3) world metres of the joints that are no markers. Where views disagree or one did not read a joint, the
    frames around bridge it; a joint that two views never read is NaN throughout. ``median``: frames of a median
    filter in time, against stray readings."""
    skeleton = info.skeleton
    seen = observe(detections, Settings(), skeleton).joints(~skeleton.is_marker)
    points, error = triangulate(seen)
    points[error > INCONSISTENT * float(height_px(skeleton, info.layout).mean())] = np.nan
    points = bridge(points)
    return median_filter(points, size=(min(median, len(points)), 1, 1), mode="nearest")
