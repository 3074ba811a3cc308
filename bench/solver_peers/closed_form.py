# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Triangulate, smooth, and turn each bone by orthogonal Procrustes: what a motion capture script does first."""

from __future__ import annotations

import numpy as np
from scipy.signal import butter, sosfiltfilt

from mocap.detections import Detections
from mocap.rig_info import RigInfo
from mocap.solve.initialise import fit_bones
from mocap.solve.kinematics import State

from .points import joint_points

CUTOFF_HZ = 6.0
"""The usual cut-off for gait (Winter, Biomechanics and Motor Control of Human Movement, 2.4)."""
_ORDER = 2
_MEDIAN = 5
"""Frames of the median filter against stray readings, before the smoothing one."""


def closed_form(info: RigInfo, detections: Detections) -> State:
    """Points through a zero-lag Butterworth filter, then the root by Kabsch (1976) over the joints near it and each
    bone from the joints that it carries, parents first."""
    points = low_pass(joint_points(info, detections, _MEDIAN), detections.fps)
    return fit_bones(info.skeleton.bare, points)


def low_pass(points: np.ndarray, fps: float) -> np.ndarray:
    """(T, ...) smoothed along time without lag; left alone where the clip is too short or its rate too low."""
    if fps <= 2 * CUTOFF_HZ or len(points) < 2:
        return points
    sections = butter(_ORDER, CUTOFF_HZ, fs=fps, output="sos")
    padding = min(len(points) - 1, 3 * (2 * len(sections) + 1))
    return sosfiltfilt(sections, points, axis=0, padlen=padding)
