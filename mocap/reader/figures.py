# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Held-out errors: how far readings are from the truth, per view, per joint, per pair of limbs, beside the
mean pose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..parts import Parts
from ..skeleton import Skeleton
from ..solve.swaps import limb_pairs


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


def pck(error_share: np.ndarray, thresholds: Sequence[float]) -> np.ndarray:
    """Percentage of correct keypoints: (len(thresholds), V) of ``error_share`` (N, V, J), in shares of the
    creature's height as the thresholds are."""
    return np.array([(error_share < limit).mean((0, 2)) * 100 for limit in thresholds])


def joint_table(
    error_share: np.ndarray, visible: np.ndarray, names: Sequence[str], views: Sequence[str]
) -> list[dict[str, Any]]:
    """A row for each joint and view, the worst first: % of height of ``error_share`` (N, V, J), the shares of
    its readings within 5% and of its being visible (N, V, J) in %."""
    rows = [
        {
            "joint": joint,
            "view": view,
            "mean_pct": float(error_share[:, v, j].mean() * 100),
            "median_pct": float(np.median(error_share[:, v, j]) * 100),
            "p95_pct": float(np.quantile(error_share[:, v, j], 0.95) * 100),
            "within_5_pct": float((error_share[:, v, j] < 0.05).mean() * 100),
            "seen_pct": float(visible[:, v, j].mean() * 100),
        }
        for v, view in enumerate(views)
        for j, joint in enumerate(names)
    ]
    return sorted(rows, key=lambda row: -row["mean_pct"])


def swapped(
    positions: np.ndarray, truth: np.ndarray, mirror: np.ndarray, height_px: np.ndarray
) -> np.ndarray:
    """(V,) percentage of paired joints read at their partner's place."""
    paired = np.flatnonzero(mirror >= 0)
    if len(paired) == 0:
        return np.zeros(truth.shape[1])
    return _at_the_partner(positions, truth, paired, mirror, height_px).mean((0, 2)) * 100


def _at_the_partner(
    positions: np.ndarray, truth: np.ndarray, joints: np.ndarray, mirror: np.ndarray, height_px: np.ndarray
) -> np.ndarray:
    """(N, V, len(joints)) bool: off by over 4% of height and less than half as far from the partner."""
    own = distances(positions[:, :, joints], truth[:, :, joints])
    other = distances(positions[:, :, joints], truth[:, :, mirror[joints]])
    return (own > 0.04 * height_px[:, None]) & (other < own / 2)


def left_limbs(skeleton: Skeleton) -> dict[str, np.ndarray]:
    """The joints of the left limb of each pair, without its markers, by the pair's name: "leg1" for leg1.L
    and leg1.R. Joints of no limb pair go by their bone; the left ones are on the side of +X at rest."""
    sides = {limb.name: limb.side for limb in skeleton.limbs}
    across = skeleton.joint_points[:, 0]
    out = {}
    for pair in limb_pairs(skeleton):
        side = sides.get(pair.limb, "")
        is_right = side == "R" if side else across[pair.joints].mean() < across[pair.partners].mean()
        name = pair.limb.removesuffix(f".{side}") if side else pair.limb
        out[name] = pair.partners if is_right else pair.joints
    return out


def confusion(
    positions: np.ndarray,
    truth: np.ndarray,
    limbs: dict[str, np.ndarray],
    mirror: np.ndarray,
    height_px: np.ndarray,
) -> dict[str, list]:
    """For each pair of limbs the left/right confusion matrix of every view, in % of the readings.

    ``limbs`` names the left joints of each pair (``left_limbs``). The result's [name][view][side][read as],
    left before right: a row tells where the readings of one side's joints lie, by the rule of ``swapped``.
    """
    out = {}
    for name, left in limbs.items():
        rows = []
        for joints in (left, mirror[left]):
            strayed = _at_the_partner(positions, truth, joints, mirror, height_px).mean((0, 2)) * 100
            rows.append([100 - strayed, strayed] if joints is left else [strayed, 100 - strayed])
        out[name] = np.array(rows).transpose(2, 0, 1).tolist()
    return out


def pose_distance(train: np.ndarray, truth: np.ndarray, height_px: np.ndarray) -> np.ndarray:
    """(N, V) how far poses are from the mean of the training samples (M, V, J, 2), their middles placed on each
    other: root mean square over the joints, in % of height."""
    mean = train.mean(0)
    apart = (truth - truth.mean(2, keepdims=True)) - (mean - mean.mean(1, keepdims=True))
    return np.sqrt((apart**2).sum(-1).mean(-1)) / height_px * 100


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
