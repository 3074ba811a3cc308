# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Held-out samples as panels of video, made once, and what a reader makes of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..dataset.backdrops import Backdrops
from ..dataset.training import SampleSet, degraded_panels, warped
from ..parts import Parts
from . import figures, uncertainty
from .reading import Raw, height_in_pixels

_SEED = 0x7E57
_AT_MOST = 96
"""Held-out samples looked at after an epoch; more would cost time and tell little more."""


class HeldOut:
    """N held-out samples as panels on backdrops, degraded, with their truth. ``size``: the reader's input."""

    def __init__(self, data: SampleSet, parts: Parts, size: int) -> None:
        rig = data.rig
        self.data, self.parts, self.size = data, parts, size
        self.skeleton, self.view_names = rig.skeleton, rig.layout.names
        self.rows = data.held_out[:_AT_MOST]
        self.truth, self.visible = data.positions[self.rows], data.visible[self.rows]
        self.panels = degraded_panels(data, self.rows, Backdrops(_SEED, 48))
        self.height_px = height_in_pixels(rig.layout, rig.skeleton.height, rig.skeleton.bare.joint_points)
        baseline = figures.mean_pose_error(data.positions[data.training], self.truth)
        self.baseline = self._summary(baseline, ~rig.skeleton.is_marker)

    def _summary(self, error: np.ndarray, which: np.ndarray) -> dict[str, Any]:
        """Figures per view of those joints (J,) bool; empty where there are none."""
        if not which.any():
            return {}
        return figures.summary(error[..., which], self.visible[..., which], self.height_px, self.view_names)

    def check(self, read: Callable[..., Raw]) -> tuple[dict[str, Any], uncertainty.Uncertainty, Raw]:
        """Figures, the fitted uncertainty, and what was read. Figures speak of the joints; markers have their own.

        ``read`` is ``Reader.raw``: the same two passes as when a clip is read.
        """
        raw = read(self.panels, masks=True)
        error = figures.distances(raw.positions, self.truth)
        marker, bare = self.skeleton.is_marker, self.skeleton.bare
        joints, truth = raw.positions[:, :, ~marker], self.truth[:, :, ~marker]
        markers = tuple(joint.name for joint in self.skeleton.joints if joint.kind == "marker")
        claimed, share = raw.sigma / self.height_px[:, None], error / self.height_px[:, None]
        found = {
            "views": self._summary(error, ~marker),
            "markers": self._summary(error, marker),
            "swapped_pct": figures.swapped(joints, truth, bare.joint_mirror, self.height_px).tolist(),
            "per_joint_px": figures.per_joint(error[..., ~marker], bare.joint_names),
            "per_marker_px": figures.per_joint(error[..., marker], markers),
            "normalised_error": _normalised(claimed, share),
            "visible_right_pct": float(((raw.visible > 0.5) == self.visible).mean() * 100),
            "depth_pct": float(np.abs(raw.depth - self.data.depth[self.rows])[..., ~marker].mean() * 100),
            **self._masks(raw),
        }
        return found, uncertainty.fit(claimed.ravel(), share.ravel()), raw

    def _masks(self, raw: Raw) -> dict[str, Any]:
        """Intersection over union of every part and limb, pooled over the pictures, and their means."""
        side = raw.masks.shape[-1]
        truth = np.stack(
            [
                [
                    warped(mask, view, side, self.parts.backdrop, self.size / side)
                    for mask, view in zip(self.data.masks[row], views)
                ]
                for row, views in zip(self.rows, raw.framings)
            ]
        )
        return figures.mask_overlap(raw.masks.argmax(2), truth, self.parts, self.skeleton)


def _normalised(claimed: np.ndarray, error: np.ndarray) -> dict[str, float]:
    """How the calibrated deviation fares on samples that it was not fitted on: fitted on every second sample, tried
    on the others. ``median``: median error over sigma, over a Gaussian's median length (1: calibrated); ``within_1``
    and ``within_2``: % of the errors along an axis within one and two sigma, if they are Gaussian 68 and 95."""
    fitted = uncertainty.fit(claimed[::2].ravel(), error[::2].ravel())
    if not len(claimed[1::2]):
        return {}
    sigma, _ = fitted.read(claimed[1::2])
    ratio = error[1::2] / sigma
    return {
        "median": float(np.median(ratio) / uncertainty.RAYLEIGH_MEDIAN),
        "within_1": float((ratio < 1.515).mean() * 100),
        "within_2": float((ratio < 2.486).mean() * 100),
    }
