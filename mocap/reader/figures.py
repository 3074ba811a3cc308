# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Held-out errors: how far readings are from the truth, per view, per joint, beside the mean pose."""

from __future__ import annotations

from typing import Any

import numpy as np


def distances(positions: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """(N, V, J, 2) twice, panel pixels -> (N, V, J) pixels."""
    return np.linalg.norm(positions - truth, axis=-1)


def summary(error: np.ndarray, visible: np.ndarray, height_px: np.ndarray, views: tuple[str, ...]) -> dict:
    """Figures per view of ``error`` (N, V, J) panel pixels; percentages are of the creature's height."""
    share = error / height_px[:, None] * 100
    out: dict[str, Any] = {}
    for index, name in enumerate(views):
        pixels, percent, seen = error[:, index], share[:, index], visible[:, index]
        out[name] = {
            "mean_px": float(pixels.mean()),
            "median_px": float(np.median(pixels)),
            "p95_px": float(np.quantile(pixels, 0.95)),
            "mean_pct": float(percent.mean()),
            "median_pct": float(np.median(percent)),
            "within_2_pct": float((percent < 2).mean() * 100),
            "within_5_pct": float((percent < 5).mean() * 100),
            "visible_pct": float(percent[seen].mean()) if seen.any() else None,
            "hidden_pct": float(percent[~seen].mean()) if (~seen).any() else None,
        }
    return out


def swapped(
    positions: np.ndarray, truth: np.ndarray, mirror: np.ndarray, height_px: np.ndarray
) -> np.ndarray:
    """(V,) percentage of paired joints read at their partner's place: off by over 4% of height and less
    than half as far from the partner."""
    paired = np.flatnonzero(mirror >= 0)
    if len(paired) == 0:
        return np.zeros(truth.shape[1])
    own = distances(positions[:, :, paired], truth[:, :, paired])
    other = distances(positions[:, :, paired], truth[:, :, mirror[paired]])
    wrong = (own > 0.04 * height_px[:, None]) & (other < own / 2)
    return wrong.mean((0, 2)) * 100


def mean_pose_error(train: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """(N, V, J) error of answering every joint's mean place in the training samples (M, V, J, 2)."""
    return distances(np.broadcast_to(train.mean(0), truth.shape), truth)


def per_joint(error: np.ndarray, names: tuple[str, ...]) -> dict[str, list[float]]:
    """Mean panel pixels of every joint, by view."""
    means = error.mean(0)
    return {name: [float(value) for value in means[:, index]] for index, name in enumerate(names)}
