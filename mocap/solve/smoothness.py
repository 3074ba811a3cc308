# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""How smooth a motion is: accelerations of the root and of every bone, with scales learned from the clip.

A fixed scale fits no clip: real bones accelerate between 0.06 and 14 degrees a frame squared. Between
stages each bone's scale is re-estimated by MacKay's evidence update (Bayesian Interpolation, 1992): the
observed squared acceleration divided by the number of well-determined directions, which comes from
samples of the posterior. Student-t weights (nu = 4) per bone and frame let single frames be abrupt.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .. import rotations as rot
from .banded import Coupling, Factor
from .kinematics import State
from .settings import Settings

_NU = 4.0
_SAMPLES = 4
_LEAST_FRAMES = 12
"""A shorter clip says too little about its smoothness: the starting scales stay."""
_ANGLE_BOUNDS = (np.radians(0.05), np.radians(40.0))
_LENGTH_BOUNDS = (3e-4, 0.1)
_FASTEST_CHANGE = 6.0
"""Between two stages a scale changes at most by this factor."""


@dataclass(frozen=True)
class Smoothness:
    """sigma (G,): expected acceleration per frame squared of the root's place (metres), then of every
    bone (radians); weights (T - 2, G) tell how far each frame is held to it. G = B + 1."""

    sigma: np.ndarray
    weights: np.ndarray
    height: float

    @classmethod
    def start(cls, settings: Settings, frames: int, bones: int, fps: float, height: float) -> Smoothness:
        """Scales before learning; settings speak of 24 frames a second."""
        degrees = np.full(bones, settings.bone_acceleration_deg)
        degrees[0] = settings.root_acceleration_deg
        sigma = np.concatenate([[settings.translation_acceleration * height], np.radians(degrees)])
        return cls(sigma * (24.0 / fps) ** 2, np.ones((max(frames - 2, 0), bones + 1)), height)

    @property
    def precision(self) -> np.ndarray:
        """(T - 2, 3 G) weight of every squared acceleration."""
        return np.repeat(self.weights / self.sigma**2, 3, axis=1)

    def cost(self, state: State) -> float:
        return float((accelerations(state) ** 2 * self.precision).sum())

    def gradient(self, state: State) -> np.ndarray:
        """(T, n), with the rotations' curvature neglected: turns between frames are small."""
        out = np.zeros((len(state.root), state.width))
        pull = accelerations(state) * self.precision
        out[:-2] += pull
        out[1:-1] -= 2 * pull
        out[2:] += pull
        return out

    def coupling(self, frames: int) -> Coupling:
        precision = self.precision
        width = precision.shape[1]
        here, next_, second = (np.zeros((max(frames - gap, 0), width)) for gap in (0, 1, 2))
        if frames > 2:
            here[:-2] += precision
            here[1:-1] += 4 * precision
            here[2:] += precision
            next_[:-1] -= 2 * precision
            next_[1:] -= 2 * precision
            second += precision
        return Coupling(here, next_, second)

    def learned(self, state: State, factor: Factor, rng: np.random.Generator) -> Smoothness:
        """Scales and weights re-estimated from a solved state and the factor of its equations."""
        frames = len(state.root)
        if frames < _LEAST_FRAMES:
            return self
        found = _by_group(accelerations(state) ** 2)
        draws = factor.samples(rng, _SAMPLES)
        spread = _by_group(((draws[2:] - 2 * draws[1:-1] + draws[:-2]) ** 2).mean(-1))
        total = 3.0 * (frames - 2)
        determined = total - (spread * self.weights).sum(0) / self.sigma**2
        variance = (found * self.weights).sum(0) / np.maximum(determined, 0.02 * total)
        sigma = np.clip(np.sqrt(variance), self.sigma / _FASTEST_CHANGE, self.sigma * _FASTEST_CHANGE)
        sigma[0] = np.clip(sigma[0], *(bound * self.height for bound in _LENGTH_BOUNDS))
        sigma[1:] = np.clip(sigma[1:], *_ANGLE_BOUNDS)
        weights = (_NU + 3) / (_NU + (found + 0.5 * spread) / sigma**2)
        return replace(self, sigma=sigma, weights=weights)


def accelerations(state: State) -> np.ndarray:
    """(T - 2, 3 + 3 B): second differences of the root's place and of each bone's turn between frames."""
    if len(state.root) < 3:
        return np.zeros((0, state.width))
    between = rot.quat_multiply(rot.quat_conjugate(state.quats[:-1]), state.quats[1:])
    turn = rot.quat_to_rotvec(between).reshape(len(between), -1)
    speed = np.concatenate([np.diff(state.root, axis=0), turn], 1)
    return np.diff(speed, axis=0)


def _by_group(squared: np.ndarray) -> np.ndarray:
    """(T, 3 G) -> (T, G): sum over each group's three axes."""
    return squared.reshape(len(squared), -1, 3).sum(-1)
