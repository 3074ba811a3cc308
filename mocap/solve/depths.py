# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""How deep joints lie behind the root, as a reader guesses it from one picture: where a second view is missing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.ndimage import gaussian_filter1d

from ..skeleton import Posed, Skeleton
from .observations import Observations, pivot
from .settings import Settings
from .twists import Wrenches

_CALM_FRAMES = 2.0
"""Guesses of depth jump from frame to frame: for a start they are smoothed by so many frames."""


def points(observations: Observations, skeleton: Skeleton) -> np.ndarray:
    """(T, J, 3) world metres of the joints of a single view, NaN where not read. The root is taken to be as deep as the
    layout has it; joints lie behind it as read, or as at rest where nothing says."""
    cameras = observations.cameras
    forward = cameras.rotations[:, 0, 2]
    root = np.einsum("ti,ti->t", forward, pivot(skeleton) - cameras.places[:, 0])
    if observations.depths is None:
        behind = np.einsum("ti,ji->tj", forward, skeleton.joint_points - skeleton.heads[0])
    else:
        behind = gaussian_filter1d(observations.depths[:, 0], _CALM_FRAMES, axis=0, mode="nearest")
    depth = root[:, None] + behind
    offset = (observations.positions[:, 0] - cameras.centres[:, :1]) / cameras.focals[:, :1, None]
    seen = np.concatenate([offset, np.ones_like(depth)[..., None]], -1) * depth[..., None]
    out = seen @ cameras.rotations[:, 0] + cameras.places[:, :1]
    out[~observations.read[:, 0]] = np.nan
    return out


class Depths(NamedTuple):
    """A term: joints should lie behind the root bone's head as read. Huber's loss: a guess of the wrong leg is far
    off."""

    depths: np.ndarray
    """(T, J) metres, as read."""
    weights: np.ndarray
    """(T, J)"""
    forward: np.ndarray
    """(T, 3) along the view."""
    joint_bones: np.ndarray
    sigma: float
    """Metres."""

    @classmethod
    def of(cls, observations: Observations, skeleton: Skeleton, settings: Settings) -> Depths:
        """Of the only view. Markers say nothing that their bone's joints do not."""
        return cls(
            observations.depths[:, 0],
            observations.weights[:, 0] * ~skeleton.is_marker,
            observations.cameras.rotations[:, 0, 2],
            skeleton.joint_bones,
            settings.depth_error * skeleton.height,
        )

    def cost(self, posed: Posed) -> float:
        size = np.abs(self._residuals(posed))
        return float((self.weights * np.where(size > 1, 2 * size - 1, size**2)).sum())

    def wrenches(self, posed: Posed) -> Wrenches:
        """The root's head, which depths are told from, goes along with the root's place."""
        residuals = self._residuals(posed)
        robust = self.weights / np.maximum(np.abs(residuals), 1)
        forward = np.broadcast_to(self.forward[:, None], posed.joints.shape)
        rows = (
            np.concatenate([forward, np.cross(posed.joints - posed.heads[:, :1], forward)], -1) / self.sigma
        )
        frames, bones = posed.heads.shape[:2]
        weight, pull = np.zeros((bones, frames, 6, 6)), np.zeros((bones, frames, 6, 1))
        by_joint = np.moveaxis(rows, 1, 0)
        scaled = by_joint * np.moveaxis(robust, 1, 0)[..., None]
        np.add.at(weight, self.joint_bones, scaled[..., :, None] * by_joint[..., None, :])
        np.add.at(pull, self.joint_bones, (scaled * np.moveaxis(residuals, 1, 0)[..., None])[..., None])
        return Wrenches(np.moveaxis(weight, 0, 1), np.moveaxis(pull, 0, 1), from_root=True)

    def _residuals(self, posed: Posed) -> np.ndarray:
        """(T, J) in standard deviations."""
        behind = np.einsum("tji,ti->tj", posed.joints - posed.heads[:, :1], self.forward)
        return (behind - self.depths) / self.sigma


class Distance(NamedTuple):
    """A term: the root is about as far away as the layout has it. A size in the picture hardly tells."""

    forward: np.ndarray
    """(T, 3) along the view."""
    usual: np.ndarray
    """(3,) the root bone's head at rest."""
    sigma: float
    """Metres."""

    def cost(self, posed: Posed) -> float:
        return float((self._residuals(posed) ** 2).sum())

    def wrenches(self, posed: Posed) -> Wrenches:
        frames, bones = posed.heads.shape[:2]
        weight, pull = np.zeros((frames, bones, 6, 6)), np.zeros((frames, bones, 6, 1))
        weight[:, 0, :3, :3] = self.forward[:, :, None] * self.forward[:, None] / self.sigma**2
        pull[:, 0, :3, 0] = self.forward * (self._residuals(posed) / self.sigma)[:, None]
        return Wrenches(weight, pull)

    def _residuals(self, posed: Posed) -> np.ndarray:
        """(T,) in standard deviations."""
        return np.einsum("ti,ti->t", posed.heads[:, 0] - self.usual, self.forward) / self.sigma


def terms(
    observations: Observations, skeleton: Skeleton, settings: Settings
) -> tuple[Depths | Distance, ...]:
    """What stands in for the missing view: nothing where there are two."""
    if len(observations.layout.views) > 1:
        return ()
    forward = observations.cameras.rotations[:, 0, 2]
    distance = Distance(forward, skeleton.heads[0], settings.distance_error * skeleton.height)
    return (
        (distance,)
        if observations.depths is None
        else (distance, Depths.of(observations, skeleton, settings))
    )
