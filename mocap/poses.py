# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Random poses for training and random smooth motions for the exam, inside the joint limits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import rotations as rot
from .motion import Motion
from .skeleton import Skeleton

BLUR_SHARE = 0.5
NEAR_REST_SHARE = 0.5
WIDE_TURN_SHARE = 0.15
REAR_SHARE = 0.12
AIRTIME_SHARE = 0.3


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


def sample_rng(seed: int, index: int) -> np.random.Generator:
    """The generator that decides sample ``index`` completely, whatever process draws it."""
    return np.random.default_rng([seed, index])


def random_pose(skeleton: Skeleton, rng: np.random.Generator) -> RandomPose:
    """Half spread uniformly over the limits, half near rest; turn, lean, place and airtime random."""
    near_rest = rng.random() < NEAR_REST_SHARE
    eulers = _near_rest(skeleton, rng) if near_rest else _uniform(skeleton, rng)
    quats = rot.matrix_to_quat(rot.euler_to_matrix(eulers))
    quats[0] = _root_rotation(skeleton, _random_lean(rng))
    root = _place(skeleton, quats, rng)
    spin, drift = np.zeros((len(skeleton.bones), 3)), np.zeros(3)
    if rng.random() < BLUR_SHARE:
        spin, drift = _random_velocity(skeleton, rng)
    return RandomPose(root, quats, spin, drift)


def _uniform(skeleton: Skeleton, rng: np.random.Generator) -> np.ndarray:
    low, high = skeleton.limits[..., 0], skeleton.limits[..., 1]
    return low + (high - low) * rng.random(low.shape)


def _near_rest(skeleton: Skeleton, rng: np.random.Generator) -> np.ndarray:
    low, high = skeleton.limits[..., 0], skeleton.limits[..., 1]
    spread = 0.2 * (high - low)
    return np.clip(rng.normal(size=low.shape) * spread, low, high)


def _random_lean(rng: np.random.Generator) -> np.ndarray:
    """World XYZ Euler of the root: mostly a turn about Z, sometimes rearing up or down."""
    wide = rng.random() < WIDE_TURN_SHARE
    turn = rng.uniform(-70, 70) if wide else rng.uniform(-30, 30)
    pitch, roll = rng.normal(0, 5), rng.normal(0, 4)
    if rng.random() < REAR_SHARE:
        # The creature faces -Y: a positive turn about X lowers the head, a negative one rears.
        pitch = rng.uniform(-45, -15) if rng.random() < 0.75 else rng.uniform(10, 25)
    return np.radians([pitch, roll, turn])


def _root_rotation(skeleton: Skeleton, world_euler: np.ndarray) -> np.ndarray:
    """Local rotation of the root bone that turns the whole creature by ``world_euler`` in the world."""
    rest = skeleton.rest[0]
    return rot.matrix_to_quat(rest.T @ rot.euler_to_matrix(world_euler) @ rest)


def _place(skeleton: Skeleton, quats: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Root position: lowest joint on the ground, a step aside, sometimes in the air."""
    height = skeleton.height
    joints = skeleton.pose(skeleton.heads[:1], quats[None]).joints[0]
    ground = skeleton.joint_points[:, 2].min()
    # Turned about the root, the body's middle would leave the layout: keep it over its rest place.
    middle = skeleton.joint_points.mean(0)[:2] - joints.mean(0)[:2]
    root = skeleton.heads[0] + np.array([*middle, ground - joints[:, 2].min()])
    root = root + np.array([*rng.uniform(-0.06, 0.06, 2), 0.0]) * height
    if rng.random() < AIRTIME_SHARE:
        root[2] += rng.uniform(0, 0.2) * height
    return root


def _random_velocity(skeleton: Skeleton, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Change over one exposure: up to some ten degrees a bone and a few percent of height."""
    vigour = rng.uniform(0.2, 1.0)
    spin = rng.normal(0, np.radians(6), (len(skeleton.bones), 3)) * vigour
    spin[0] = rng.normal(0, np.radians(2), 3) * vigour
    return spin, rng.normal(0, 0.012, 3) * skeleton.height * vigour


def random_motion(skeleton: Skeleton, seed: int, frames: int, fps: float, rig_digest: str) -> Motion:
    """A smooth motion inside the limits: each angle swings as a sum of slow sines about its middle.

    Frequencies are 0.2 to 1 Hz; each angle covers up to 80% of its range. The root turns within
    30 degrees, sways and bobs. Grounded: the lowest joint stays at rest height.
    """
    rng = np.random.default_rng([seed, 0x6D6F])
    seconds = np.arange(frames) / fps
    low, high = skeleton.limits[..., 0], skeleton.limits[..., 1]
    eulers = (low + high) / 2 + 0.8 * (high - low) / 2 * _swings(rng, seconds, low.shape, (0.2, 1.0))
    quats = rot.matrix_to_quat(rot.euler_to_matrix(eulers))
    lean = np.radians([5.0, 4.0, 28.0]) * _swings(rng, seconds, (3,), (0.1, 0.35))
    for frame in range(frames):
        quats[frame, 0] = _root_rotation(skeleton, lean[frame])
    joints = skeleton.pose(np.repeat(skeleton.heads[:1], frames, 0), quats).joints
    sway = 0.05 * skeleton.height * _swings(rng, seconds, (3,), (0.15, 0.5))
    root = skeleton.heads[0] + sway
    root[:, :2] += skeleton.joint_points.mean(0)[:2] - joints.mean(1)[:, :2]
    root[:, 2] = skeleton.heads[0, 2] + skeleton.joint_points[:, 2].min() - joints[..., 2].min(1)
    return Motion(fps, skeleton.bone_names, root, rot.quat_continuous(quats), rig_digest)


def _swings(rng: np.random.Generator, seconds: np.ndarray, shape: tuple, band: tuple) -> np.ndarray:
    """(T, *shape) sums of two sines with values in [-1, 1]."""
    time = seconds.reshape(-1, *[1] * len(shape))
    out = np.zeros((len(seconds), *shape))
    for _ in range(2):
        frequency = rng.uniform(*band, shape)
        out += 0.5 * np.sin(2 * np.pi * (frequency * time + rng.random(shape)))
    return out
