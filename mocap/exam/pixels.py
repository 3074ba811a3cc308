# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""How well joints were read in the pictures, before anything was solved. The exam is one of joints only."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..solve.observations import height_px
from ..solve.settings import Settings
from ..solve.swaps import limb_pairs
from .exam import Exam
from .figures import statistics

PCK = (2, 5)
"""Percent of the height within which a joint counts as read correctly."""
EXCHANGED_APART = 0.02
"""Left and right of a limb must lie this share of the height apart to be told from each other."""
EXCHANGED_NEARER = 0.5
"""A limb counts as exchanged where its readings are so much nearer to its mirror's true place than to its own."""


def distances(exam: Exam) -> np.ndarray:
    """(T, V, J) pixels between read and true joints, NaN where not read. The truth is projected to where the
    clip shows it."""
    apart = np.linalg.norm(exam.detections.positions - exam.project(exam.truth.positions), axis=-1)
    return np.where(exam.detections.confidence >= Settings().unread_below, apart, np.nan)


def by_view(exam: Exam) -> dict[str, dict[str, Any] | None]:
    """View -> statistics in pixels and percent of the height, share of joints unread, and ``pck2``, ``pck5``: the
    share of all joints (unread ones are misses) within 2% and 5%. None where a view was never read."""
    apart = distances(exam)
    heights = height_px(exam.info.skeleton, exam.info.layout)
    out: dict[str, dict[str, Any] | None] = {}
    for v, name in enumerate(exam.info.layout.names):
        read = np.isfinite(apart[:, v])
        if not read.any():
            out[name] = None
            continue
        near = {f"pck{p}": round(float((apart[:, v] <= p / 100 * heights[v]).mean()), 4) for p in PCK}
        shares = near | {"unread": round(float(1 - read.mean()), 4)}
        out[name] = statistics(apart[:, v][read], float(heights[v]), "px") | shares
    return out


def joint_means(exam: Exam) -> list[dict[str, float | None]]:
    """Of each joint: view -> mean pixels, None where never read."""
    apart = distances(exam)
    return [
        {name: _mean(apart[:, v, joint]) for v, name in enumerate(exam.info.layout.names)}
        for joint in range(apart.shape[2])
    ]


def _mean(values: np.ndarray) -> float | None:
    known = values[np.isfinite(values)]
    return round(float(known.mean()), 4) if len(known) else None


def exchanged(exam: Exam) -> list[dict[str, Any]]:
    """Where the reader took a limb for its mirror, as only the truth can tell: limb, view, frames."""
    skeleton, out = exam.info.skeleton, []
    true, read = exam.project(exam.truth.positions), exam.detections.positions
    apart = height_px(skeleton, exam.info.layout) * EXCHANGED_APART
    for pair in limb_pairs(skeleton):
        both = np.concatenate([pair.joints, pair.partners])
        other = np.concatenate([pair.partners, pair.joints])
        own, mirrors = (
            np.linalg.norm(read[:, :, both] - true[:, :, at], axis=-1).mean(-1) for at in (both, other)
        )
        between = np.linalg.norm(true[:, :, both] - true[:, :, other], axis=-1).mean(-1)
        wrong = (mirrors < EXCHANGED_NEARER * own) & (between > apart)
        for v, view in enumerate(exam.info.layout.names):
            frames = np.flatnonzero(wrong[:, v]).tolist()
            if frames:
                out.append({"limb": pair.limb, "view": view, "frames": frames})
    return out
