# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What the solver takes from detections: where each joint was read and how much that is worth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..detections import Detections
from ..errors import BadInput
from ..layout import Layout
from ..rig_info import RigInfo
from ..skeleton import Skeleton
from .cameras import Cameras
from .settings import Settings

SCALE_TRUST = 4.0
"""A reader's own sigma is believed within this factor."""


class Observations(NamedTuple):
    """positions (T, V, J, 2) panel px, weights (T, V, J) with 0 = not read, scale (V,) px."""

    layout: Layout
    cameras: Cameras
    """The layout's views as they are believed to be in each frame."""
    positions: np.ndarray
    weights: np.ndarray
    """Worth of each reading against a typical one: at most 1, and 0 where the joint was not read."""
    scale: np.ndarray
    """The typical reading's standard deviation along one axis, of each view."""
    depths: np.ndarray | None = None
    """(T, V, J) metres along each view behind the root bone's head, as read; None where nothing says."""

    @property
    def read(self) -> np.ndarray:
        """(T, V, J) bool."""
        return self.weights > 0

    def joints(self, which: np.ndarray) -> Observations:
        """Of some joints only, (J,) bool."""
        return self._replace(
            positions=self.positions[:, :, which],
            weights=self.weights[:, :, which],
            depths=None if self.depths is None else self.depths[:, :, which],
        )

    def frames(self, start: int, stop: int) -> Observations:
        return self.picked(slice(start, stop))

    def picked(self, frames: slice | np.ndarray) -> Observations:
        """Of some frames only."""
        return self._replace(
            cameras=self.cameras.picked(frames),
            positions=self.positions[frames],
            weights=self.weights[frames],
            depths=None if self.depths is None else self.depths[frames],
        )


def check(detections: Detections, info: RigInfo, name: str = "detections") -> None:
    """Raise BadInput where the detections are not of this rig, or a view is missing and nobody said so."""
    if detections.rig_digest != info.digest:
        raise BadInput(
            f"{name}: read for another rig ({detections.rig_digest[:8]}, not {info.digest[:8]}); "
            "detect again with this rig's reader"
        )
    if detections.joint_names != info.skeleton.joint_names:
        raise BadInput(f"{name}: its joints are not those of the rig; detect again with this rig's reader")
    views = detections.layout.names
    seen = [bool((detections.confidence[:, v] > 0).any()) for v in range(len(views))]
    if any(seen) and not all(seen):
        lost, kept = views[seen.index(False)], views[seen.index(True)]
        raise BadInput(
            f"{name}: nothing was read in the {lost} view; with --view {kept} it is solved from the {kept} view "
            "alone, with a larger error"
        )


def observe(detections: Detections, settings: Settings, skeleton: Skeleton) -> Observations:
    """Weigh the readings. The weight falls with sigma, not with its square, and has a floor: that was
    measured to be better on a reader's errors, which are correlated and heavy-tailed. Markers weigh less."""
    sigma = np.maximum(detections.sigma, settings.sigma_floor_px)
    read = detections.confidence >= settings.unread_below
    scale = np.array([_median_where(sigma[:, v], read[:, v]) for v in range(sigma.shape[1])])
    worth = detections.confidence * scale[None, :, None] / sigma
    weights = np.where(read, np.clip(worth, settings.weight_floor, 1.0), 0.0)
    weights = weights * np.where(skeleton.is_marker, settings.marker_worth, 1.0)
    cameras = Cameras.nominal(detections.layout, pivot(skeleton), detections.frames)
    depths = None if detections.depth is None else detections.depth * skeleton.height
    return Observations(detections.layout, cameras, detections.positions, weights, scale, depths)


def pivot(skeleton: Skeleton) -> np.ndarray:
    """(3,) the middle of the joints at rest, about which a view may be turned."""
    return skeleton.bare.joint_points.mean(0)


def _median_where(values: np.ndarray, read: np.ndarray) -> float:
    """Median over what was read; 1 where nothing was, which then weighs nothing."""
    return float(np.median(values[read])) if read.any() else 1.0


def rescaled(
    observations: Observations, reported: np.ndarray, joints: np.ndarray, floor: float
) -> Observations:
    """The observations with each view's scale estimated from what solving has left over, since readers
    misjudge their own accuracy. ``reported`` (V,) px bounds it; joints (T, J, 3) are the solved ones.

    The median of a two-dimensional Gaussian's length is 1.177 standard deviations; the median is blind
    to stray readings.
    """
    projected, _ = observations.cameras.project(joints)
    distance = np.linalg.norm(projected - observations.positions, axis=-1)
    found = [_median_where(distance[:, v], observations.read[:, v]) for v in range(len(reported))]
    low, high = np.maximum(reported / SCALE_TRUST, floor), reported * SCALE_TRUST
    return observations._replace(scale=np.clip(np.array(found) / 1.1774, low, high))


def height_px(skeleton: Skeleton, layout: Layout) -> np.ndarray:
    """(V,) the creature's height in panel pixels at its rest place."""
    middle = pivot(skeleton)
    return np.array([skeleton.height * view.focal / view.project(middle)[1] for view in layout.views])


def check_readable(observations: Observations, settings: Settings, name: str = "detections") -> None:
    """Raise BadInput where too little was read to speak of a motion."""
    needed = min(2, len(observations.layout.views))
    both = observations.read.sum(1) >= needed
    share, where = (
        float(both.mean()),
        "two views" if needed > 1 else f"the {observations.layout.names[0]} view",
    )
    if share < settings.least_read:
        raise BadInput(
            f"{name}: only {share:.0%} of the joints are read in {where}, at least "
            f"{settings.least_read:.0%} are needed; is the clip of this creature and layout?"
        )
    if int(both.any(0).sum()) < 3:
        raise BadInput(f"{name}: fewer than three joints are ever read in {where}")
