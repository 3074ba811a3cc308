# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Held-out samples as panels of video, made once, and what a reader makes of them."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..dataset.held_out import Panels
from ..dataset.training import SampleSet, warped
from ..parts import Parts
from . import figures, uncertainty
from .reading import Raw, Reader, height_in_pixels
from .uncertainty import Uncertainty

SEED = 0x7E57
"""Of the backdrops behind held-out samples."""


class Judged(NamedTuple):
    """figures, the raw reading, and ``error`` (N, V, J) in shares of the creature's height."""

    figures: dict[str, Any]
    raw: Raw
    error: np.ndarray


class HeldOut:
    """N samples of ``data`` (``rows``) as ``panels``, with their truth. ``size``: the reader's input."""

    def __init__(self, data: SampleSet, rows: np.ndarray, panels: Panels, parts: Parts, size: int) -> None:
        rig = data.rig
        self.data, self.rows, self.panels, self.parts, self.size = data, rows, panels, parts, size
        self.skeleton, self.view_names = rig.skeleton, rig.layout.names
        self.truth, self.visible = data.positions[rows], data.visible[rows]
        self.height_px = height_in_pixels(rig.layout, rig.skeleton.height, rig.skeleton.bare.joint_points)

    def every(self, step: int) -> HeldOut:
        """Of every ``step``-th sample only."""
        return HeldOut(self.data, self.rows[::step], self.panels[::step], self.parts, self.size)

    @cached_property
    def limbs(self) -> dict[str, np.ndarray]:
        return figures.left_limbs(self.skeleton)

    def mean_pose(self, others: np.ndarray) -> dict[str, Any]:
        """Figures of always answering the mean place in ``others`` (M, V, J, 2)."""
        return self._summary(figures.mean_pose_error(others, self.truth), ~self.skeleton.is_marker)

    def _summary(self, error: np.ndarray, which: np.ndarray) -> dict[str, Any]:
        """Figures per view of those joints (J,) bool; empty where there are none."""
        if not which.any():
            return {}
        return figures.summary(error[..., which], self.visible[..., which], self.height_px, self.view_names)

    def check(self, reader: Reader) -> Judged:
        """Read the panels in the same passes as a clip. Figures speak of the joints; markers have their own."""
        raw = reader.raw(self.panels, masks=True)
        error = figures.distances(raw.positions, self.truth)
        marker, bare = self.skeleton.is_marker, self.skeleton.bare
        joints, truth = raw.positions[:, :, ~marker], self.truth[:, :, ~marker]
        markers = tuple(joint.name for joint in self.skeleton.joints if joint.kind == "marker")
        swapped = figures.swapped(joints, truth, bare.joint_mirror, self.height_px)
        found = {
            "samples": len(self.rows),
            "views": self._summary(error, ~marker),
            "markers": self._summary(error, marker),
            "swapped_pct": swapped.tolist(),
            "confusion": figures.confusion(
                raw.positions, self.truth, self.limbs, self.skeleton.joint_mirror, self.height_px
            ),
            "per_joint_px": figures.per_joint(error[..., ~marker], bare.joint_names),
            "per_marker_px": figures.per_joint(error[..., marker], markers),
            "visible_right_pct": float(((raw.visible > 0.5) == self.visible).mean() * 100),
            "depth_pct": float(np.abs(raw.depth - self.data.depth[self.rows])[..., ~marker].mean() * 100),
            **self._masks(raw),
        }
        return Judged(found, raw, error / self.height_px[:, None])

    def claimed(self, raw: Raw) -> np.ndarray:
        """(N, V, J) the deviations that the network claims, in shares of the height."""
        return raw.sigma / self.height_px[:, None]

    def calibrated(self, judged: Judged) -> tuple[Uncertainty, dict[str, float]]:
        """The uncertainty fitted on these samples, and how one fitted on every second of them fares on the
        others."""
        claimed = self.claimed(judged.raw)
        halves = uncertainty.fit(claimed[::2].ravel(), judged.error[::2].ravel())
        told = normalised(halves, claimed[1::2], judged.error[1::2])
        return uncertainty.fit(claimed.ravel(), judged.error.ravel()), told

    def _masks(self, raw: Raw) -> dict[str, Any]:
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


def normalised(fitted: Uncertainty, claimed: np.ndarray, error: np.ndarray) -> dict[str, float]:
    """Errors over the calibrated sigma. ``median``: their median over a Gaussian's (1: calibrated); ``within_1`` and
    ``within_2``: % of the lengths within what holds 68 and 95% of a Gaussian's."""
    if not error.size:
        return {}
    ratio = error / fitted.read(claimed)[0]
    return {
        "median": float(np.median(ratio) / uncertainty.RAYLEIGH_MEDIAN),
        "within_1": float((ratio < 1.515).mean() * 100),
        "within_2": float((ratio < 2.486).mean() * 100),
    }
