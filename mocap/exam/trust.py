# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the solver's own estimate of its error holds: how many true errors lie within what it states."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaincinv

from ..solve.grades import NAMES, WITHIN
from .exam import Exam

EXPECTED = {"within_1_sigma": 0.6827, "within_2_sigma": 0.9545}
"""Shares of a Gaussian, which in three dimensions lie within 1.88 and 2.83 standard deviations of one axis."""


def radius(share: float | np.ndarray) -> float | np.ndarray:
    """Within what multiple of the stated error (68%) ``share`` of the errors should lie, for a Gaussian in 3D."""
    return np.sqrt(2 * gammaincinv(1.5, share)) / WITHIN


def ratios(exam: Exam) -> np.ndarray:
    """(T, J) true error of the solved joints over the stated one. The joints are those of the solver's own motion
    where it is known."""
    points = exam.solved.positions if exam.motion is None else exam.motion.joints(exam.info.skeleton)
    stated = np.maximum(exam.result.error * exam.info.cm_per_metre, 1e-9)
    return exam.errors_cm(points) / stated


def by_grade(exam: Exam) -> dict[str, Any] | None:
    """Grade (and ``all``) -> share of the joints and frames that have it, mean true and stated error in cm, and the
    shares of errors within one and two of the stated deviations. None without the solver's result."""
    if exam.result is None:
        return None
    ratio, stated = ratios(exam), exam.result.error * exam.info.cm_per_metre
    out: dict[str, Any] = {"expected": EXPECTED}
    for name, which in groups(exam).items():
        within = {key: _share(ratio[which] <= radius(share)) for key, share in EXPECTED.items()}
        some = which.any()
        out[name] = {
            "share": round(float(which.mean()), 4),
            "mean_cm": round(float((ratio * stated)[which].mean()), 4) if some else None,
            "stated_cm": round(float(stated[which].mean()), 4) if some else None,
            **within,
        }
    return out


def groups(exam: Exam) -> dict[str, np.ndarray]:
    """``all`` and each grade, best first -> (T, J) bool."""
    grades = exam.result.grades
    found = {name: grades == index for index, name in reversed(list(enumerate(NAMES)))}
    return {"all": np.ones(grades.shape, bool)} | found


def curve(ratio: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """For each stated share (N,) the share of the errors, given over the stated ones, that really lie within."""
    return (ratio.ravel()[:, None] <= radius(shares)[None]).mean(0)


def _share(flags: np.ndarray) -> float | None:
    return round(float(flags.mean()), 4) if flags.size else None
