# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The solver's unknowns in every frame and their update."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import rotations as rot

LONGEST_STEP = 0.7
"""Radians: no bone turns farther in one iteration, so that linearisation stays honest."""


class State(NamedTuple):
    """root (T, 3) world metres, quats (T, B, 4) local rotations wxyz."""

    root: np.ndarray
    quats: np.ndarray

    def moved(self, step: np.ndarray) -> State:
        """The state after a step (T, 3 + 3 B): metres for the root, then a rotation vector (radians) of
        each bone in its own frame, ``Q <- Q exp(d)``."""
        turn = step[:, 3:].reshape(len(step), -1, 3)
        length = np.linalg.norm(turn, axis=-1, keepdims=True)
        turn = turn * np.minimum(1.0, LONGEST_STEP / np.maximum(length, 1e-12))
        quats = rot.quat_normalize(rot.quat_multiply(self.quats, rot.rotvec_to_quat(turn)))
        return State(self.root + step[:, :3], quats)

    def frames(self, start: int, stop: int) -> State:
        return State(self.root[start:stop], self.quats[start:stop])

    @property
    def width(self) -> int:
        """Unknowns of one frame."""
        return 3 + 3 * self.quats.shape[1]


def right_jacobian_inverse(v: np.ndarray) -> np.ndarray:
    """(..., 3) -> (..., 3, 3): ``log(exp(v) exp(d)) = v + right_jacobian_inverse(v) d`` to first order
    (Chirikjian, Stochastic Models, Information Theory, and Lie Groups, vol. 2)."""
    angle = np.linalg.norm(v, axis=-1)[..., None, None]
    small = angle < 1e-3
    safe = np.where(small, 1.0, angle)
    curved = 1 / safe**2 - (1 + np.cos(safe)) / (2 * safe * np.sin(np.minimum(safe, np.pi - 1e-6)))
    k = rot.hat(v)
    return np.eye(3) + k / 2 + np.where(small, 1 / 12, curved) * (k @ k)
