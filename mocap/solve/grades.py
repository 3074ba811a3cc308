# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""How far each joint of each frame can be trusted: read, inferred or lost."""

from __future__ import annotations

import numpy as np

from ..errors import BadInput
from .observations import Observations
from .residuals import Robust, scaled_residuals
from .settings import Settings

NAMES = ("lost", "inferred", "read")
LOST, INFERRED, READ = range(3)
WITHIN = 1.87
"""68% of a three-dimensional Gaussian lie within so many standard deviations (of one axis) of its middle."""


def grade(
    observations: Observations,
    joints: np.ndarray,
    robust: Robust,
    error: np.ndarray,
    height: float,
    settings: Settings,
) -> np.ndarray:
    """(T, J) of NAMES. ``read``: two views, as many as a place needs, show the joint where it was solved; ``lost``: its
    estimated ``error`` (T, J) metres is too large to speak of a place; ``inferred``: known from the rest of the body
    and from other frames."""
    squared = (scaled_residuals(observations, joints) ** 2).sum(-1)
    agrees = observations.read & (robust.weight(squared) > settings.agreeing_weight)
    grades = np.where(agrees.sum(1) >= 2, READ, INFERRED)
    return np.where(error > lost_above(observations, settings) * height, LOST, grades).astype(np.uint8)


def lost_above(observations: Observations, settings: Settings) -> float:
    """Share of the height."""
    alone = len(observations.layout.views) == 1
    return settings.lost_above_alone if alone else settings.lost_above


def check(
    grades: np.ndarray, is_marker: np.ndarray, settings: Settings, name: str, lost_above: float
) -> None:
    """Raise BadInput where most of the clip is lost: what came out is a guess, not a motion."""
    lost = float((grades[:, ~is_marker] == LOST).mean())
    if lost > settings.most_lost:
        raise BadInput(
            f"{name}: {lost:.0%} of the joints are lost (estimated error above {lost_above:.0%} of the "
            f"height), at most {settings.most_lost:.0%} may be; film the creature larger or clearer, or cut the clip"
        )
