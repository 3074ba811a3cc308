# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Held-out errors: how far readings are from the truth, per view, per joint, beside the mean pose."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..parts import Parts
from ..skeleton import Skeleton


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


def mask_overlap(
    read: np.ndarray, truth: np.ndarray, parts: Parts, skeleton: Skeleton
) -> dict[str, dict[str, float | None] | float]:
    """Intersection over union in % of every part and of every limb, and the mean over those that the truth shows.

    read, truth (..., h, w): part numbers, the backdrop last. Pixels of all pictures are pooled.
    """
    limbs = np.append(parts.limb, -2)
    names = dict(enumerate(parts.names))
    limb_names = {index: limb.name for index, limb in enumerate(skeleton.limbs)}
    by_part = {name: _overlap(read == part, truth == part) for part, name in names.items()}
    read_limb, true_limb = limbs[read], limbs[truth]
    by_limb = {name: _overlap(read_limb == limb, true_limb == limb) for limb, name in limb_names.items()}
    return {
        "part_iou": by_part,
        "limb_iou": by_limb,
        "part_iou_mean": _mean_known(by_part),
        "limb_iou_mean": _mean_known(by_limb),
        "silhouette_iou": _overlap(read != parts.backdrop, truth != parts.backdrop) or 0.0,
    }


def _overlap(one: np.ndarray, other: np.ndarray) -> float | None:
    if not other.any():
        return None
    return float((one & other).sum() / (one | other).sum() * 100)


def _mean_known(values: dict[str, float | None]) -> float:
    known = [value for value in values.values() if value is not None]
    return float(np.mean(known)) if known else 0.0
