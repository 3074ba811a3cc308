# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A pose, how it moves through an exposure, and where a whole creature stands and leans."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import rotations as rot
from ..skeleton import Posed, Skeleton

WIDE_TURN_SHARE = 0.15
REAR_SHARE = 0.12
ASIDE = 0.06
"""A sample stands at most this many heights aside of the middle."""


class RandomPose(NamedTuple):
    """A pose and how it moves through the exposure.

    root (3,), quats (B, 4) as in Motion; ``spin`` (B, 3) rad and ``drift`` (3,) metres are the change
    over one whole exposure (zero where the sample carries no motion blur).
    """

    root: np.ndarray
    quats: np.ndarray
    spin: np.ndarray
    drift: np.ndarray

    def at(self, when: float) -> tuple[np.ndarray, np.ndarray]:
        """Root and rotations at ``when`` in [-0.5, 0.5] of the exposure; the label is at 0."""
        quats = rot.quat_multiply(self.quats, rot.rotvec_to_quat(self.spin * when))
        return self.root + self.drift * when, quats

    @property
    def blurred(self) -> bool:
        return bool(np.any(self.spin) or np.any(self.drift))


def random_lean(rng: np.random.Generator) -> np.ndarray:
    """World XYZ Euler of the root: mostly a turn about Z, sometimes rearing up or bowing."""
    wide = rng.random() < WIDE_TURN_SHARE
    turn = rng.uniform(-70, 70) if wide else rng.uniform(-30, 30)
    pitch, roll = rng.normal(0, 5), rng.normal(0, 4)
    if rng.random() < REAR_SHARE:
        # The creature faces -Y: a positive turn about X lowers the head, a negative one rears.
        pitch = rng.uniform(-45, -15) if rng.random() < 0.75 else rng.uniform(10, 25)
    return np.radians([pitch, roll, turn])


def root_matrix(skeleton: Skeleton, world_euler: np.ndarray) -> np.ndarray:
    """(..., 3, 3) local rotation of the root bone that turns the whole creature by ``world_euler`` (..., 3)
    in the world."""
    rest = skeleton.rest[0]
    return rest.T @ rot.euler_to_matrix(world_euler) @ rest


def over_rest(skeleton: Skeleton, posed: Posed) -> np.ndarray:
    """(T, 2) move along the ground that brings the joints' middle back over its rest place: turned about the
    root, the body would leave the layout."""
    joints = ~skeleton.is_marker
    return skeleton.joint_points[joints].mean(0)[:2] - posed.joints[:, joints].mean(1)[:, :2]


def random_velocity(skeleton: Skeleton, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Change over one exposure: up to some ten degrees a bone and a few percent of height."""
    vigour = rng.uniform(0.2, 1.0)
    spin = rng.normal(0, np.radians(6), (len(skeleton.bones), 3)) * vigour
    spin[0] = rng.normal(0, np.radians(2), 3) * vigour
    return spin, rng.normal(0, 0.012, 3) * skeleton.height * vigour
