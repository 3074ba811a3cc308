# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Pinhole cameras that may change from frame to frame: the layout's own, put right by what calibration finds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import rotations as rot
from ..layout import Layout

SCALE, OFFSET, YAW = range(3)
"""What may be wrong with a view: the logarithm of its scale, pixels downwards, radians about the vertical."""


class Cameras(NamedTuple):
    """T frames of V views; OpenCV's camera axes, panel pixels, world metres."""

    rotations: np.ndarray
    """(T, V, 3, 3) world to camera axes."""
    places: np.ndarray
    """(T, V, 3)"""
    focals: np.ndarray
    """(T, V)"""
    centres: np.ndarray
    """(T, V, 2)"""
    pivot: np.ndarray
    """(3,) the place about whose vertical a view is turned."""

    @classmethod
    def of(cls, layout: Layout, pivot: np.ndarray, errors: np.ndarray) -> Cameras:
        """The layout's views with ``errors`` (T, V, 3): logarithm of the scale, offset downwards in pixels, yaw in
        radians by which the camera is turned about ``pivot``."""
        pivot = np.asarray(pivot, float)
        yaw = np.zeros((*errors.shape[:2], 3))
        yaw[..., 2] = errors[..., YAW]
        turn = rot.exp_so3(yaw)
        nominal = np.stack([view.R for view in layout.views])
        place = np.array([view.position for view in layout.views]) - pivot
        centres = np.stack([view.centre for view in layout.views]) + np.zeros((len(errors), 1, 1))
        centres[..., 1] += errors[..., OFFSET]
        focals = np.array([view.focal for view in layout.views]) * np.exp(errors[..., SCALE])
        return cls(
            nominal @ np.swapaxes(turn, -1, -2),
            (turn @ place[..., None])[..., 0] + pivot,
            focals,
            centres,
            pivot,
        )

    @classmethod
    def nominal(cls, layout: Layout, pivot: np.ndarray, frames: int) -> Cameras:
        return cls.of(layout, pivot, np.zeros((frames, len(layout.views), 3)))

    def picked(self, frames: slice | np.ndarray) -> Cameras:
        """Of some frames only."""
        return Cameras(*(part[frames] for part in self[:4]), self.pivot)

    def project(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """points (T, J, 3) -> pixels (T, V, J, 2), depths along the view (T, V, J) metres."""
        seen = self._seen(points)
        depth = seen[..., 2]
        scale = self.focals[..., None] / depth
        return seen[..., :2] * scale[..., None] + self.centres[:, :, None], depth

    def jacobian(self, points: np.ndarray) -> np.ndarray:
        """(T, J, 3) -> (T, V, J, 2, 3): derivative of the pixel by the point."""
        seen = self._seen(points)
        slope = (self.focals[..., None] / seen[..., 2])[..., None, None]
        shear = (seen[..., :2] / seen[..., 2:])[..., None] * self.rotations[:, :, None, 2:]
        return slope * (self.rotations[:, :, None, :2] - shear)

    def error_jacobian(self, points: np.ndarray, pixels: np.ndarray, jacobian: np.ndarray) -> np.ndarray:
        """(T, V, J, 2, 3): derivative of the pixel by the view's scale, offset and yaw."""
        out = np.zeros((*pixels.shape, 3))
        out[..., SCALE] = pixels - self.centres[:, :, None]
        out[..., 1, OFFSET] = 1
        # A camera turned one way sees the world turned the other way.
        arm = points - self.pivot
        turned = np.stack([arm[..., 1], -arm[..., 0], np.zeros(arm.shape[:-1])], -1)
        out[..., YAW] = np.einsum("tvjai,tji->tvja", jacobian, turned)
        return out

    def _seen(self, points: np.ndarray) -> np.ndarray:
        """(T, V, J, 3) camera coordinates."""
        return (points[:, None] - self.places[:, :, None]) @ np.swapaxes(self.rotations, -1, -2)
