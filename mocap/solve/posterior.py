# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""How sure the solver is of each joint, from the equations that it solved last."""

from __future__ import annotations

import numpy as np

from ..skeleton import Skeleton
from . import twists
from .banded import Factor
from .kinematics import State
from .observations import Observations
from .residuals import Robust, scaled_residuals

_SAMPLES = 24
_MOST_ALIKE = 0.98


def joint_spread(skeleton: Skeleton, state: State, factor: Factor, rng: np.random.Generator) -> np.ndarray:
    """(T, J) standard deviation of each joint along an axis, metres: samples of the Gaussian whose inverse covariance
    was factored, carried to the joints."""
    posed = skeleton.pose(*state)
    lever = twists.levers(skeleton, posed)
    frames, width, _ = lever.shape
    draws = factor.samples(rng, _SAMPLES).reshape(frames, width // 3, 3, _SAMPLES)
    given = np.swapaxes(lever.reshape(frames, -1, 3, 6), -1, -2) @ draws
    above = np.concatenate([np.ones((len(skeleton.bones), 1)), skeleton.ancestors], 1)
    of_bones = (above @ given.reshape(frames, width // 3, -1)).reshape(frames, -1, 6, _SAMPLES)
    maps = twists.point_map(posed.joints - posed.heads[:, :1])
    moved = maps @ of_bones[:, skeleton.joint_bones]
    return np.sqrt((moved**2).mean((2, 3)))


def alike(observations: Observations, joints: np.ndarray, robust: Robust) -> float:
    """How alike what is left over is from one frame to the next: the lag-1 autocorrelation, from 0 to nearly 1. A
    reader's errors last for many frames, and then so many readings are worth as much less."""
    residuals = scaled_residuals(observations, joints)
    weights = observations.weights * robust.weight((residuals**2).sum(-1))
    both = np.sqrt(weights[1:] * weights[:-1])
    ahead, behind = residuals[1:], residuals[:-1]
    product = (both * (ahead * behind).sum(-1)).sum()
    size = (both * ((ahead**2).sum(-1) + (behind**2).sum(-1))).sum() / 2
    return float(np.clip(product / size, 0.0, _MOST_ALIKE)) if size > 0 else 0.0


def widening(alike: float) -> float:
    """By how much a spread that took the readings' errors for independent is too small. For a mean of many readings it
    is ((1 + r) / (1 - r))^(1/2) (Bartlett, 1946); a moving creature is told by few frames at a time, and half of that
    exponent was measured to be right (docs/solver.md)."""
    return float(((1 + alike) / (1 - alike)) ** 0.25)
