# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A smooth random motion for the exam: chains wave, the rest swings, and nothing runs through the body."""

from __future__ import annotations

import numpy as np

from .. import rotations as rot
from ..motion import Motion
from ..skeleton import Skeleton
from . import capsules, chains
from .draw import Plan, grounded, plan, posed_at, stand
from .pose import root_matrix

_CALMER = np.array([0.0, 0.15, 0.3, 0.45, 0.6, 0.8, 1.0])
"""How far towards rest a frame goes where parts of the body meet; the first that parts them is taken."""
_ROUNDS = 3
"""On the way to rest other parts may meet: it is looked again so often."""
_EASE = 0.3
"""Seconds over which that comes and goes, and over which the legs' angles are averaged."""
_STEP = 0.12
"""Heights by which a foot is lifted at most."""


def random_motion(skeleton: Skeleton, seed: int, frames: int, fps: float, rig_digest: str) -> Motion:
    """A smooth motion inside the limits: each angle swings as a sum of slow sines about its middle, tails and
    the like by waves that travel along them; calmer where parts of the body would meet.

    Frequencies are 0.2 to 1 Hz; each angle covers up to 80% of its range. The root turns within
    30 degrees and sways; feet step on the ground. Grounded: what is lowest stays at rest height.
    """
    rng = np.random.default_rng([seed, 0x6D6F])
    known = plan(skeleton)
    seconds = np.arange(frames) / fps
    low, high = skeleton.limits[..., 0], skeleton.limits[..., 1]
    eulers = (low + high) / 2 + 0.8 * (high - low) / 2 * _swings(rng, seconds, low.shape, (0.2, 1.0))
    if len(known.chains.bones):
        eulers[:, known.chains.bones] = chains.random_waves(skeleton, known.chains, rng, seconds)
    leans = np.radians([5.0, 4.0, 28.0]) * _swings(rng, seconds, (3,), (0.1, 0.35))
    sway = 0.05 * skeleton.height * _swings(rng, seconds, (3,), (0.15, 0.5))
    eulers = _calmed(skeleton, known, eulers, leans, fps)
    if len(known.legs.base):
        eulers = _standing(skeleton, known, eulers, leans, rng, fps)
        eulers = _calmed(skeleton, known, eulers, leans, fps)
    posed = grounded(skeleton, known, posed_at(skeleton, eulers, leans))
    root = posed.heads[:, 0] + sway * np.array([1.0, 1.0, 0.0])
    local = rot.euler_to_matrix(eulers)
    local[:, 0] = root_matrix(skeleton, leans)
    quats = rot.quat_continuous(rot.matrix_to_quat(local))
    return Motion(fps, skeleton.bone_names, root, quats, rig_digest)


def _standing(
    skeleton: Skeleton,
    known: Plan,
    eulers: np.ndarray,
    leans: np.ndarray,
    rng: np.random.Generator,
    fps: float,
) -> np.ndarray:
    """``eulers`` (T, B, 3) with the legs' angles such that the feet step: each is down half of the time."""
    seconds = np.arange(len(eulers)) / fps
    steps = np.maximum(_swings(rng, seconds, (len(known.legs.base),), (0.4, 1.0)), 0.0)
    crouch = 0.92 + 0.08 * _swings(rng, seconds, (1,), (0.2, 0.6))[:, 0]
    stood, _ = stand(skeleton, known, eulers, leans, _STEP * skeleton.height * steps**2, crouch)
    # Each frame was bent on its own; averaging within the limits stays within them.
    legs = np.unique(known.legs.path[known.legs.real])
    width = max(1, round(_EASE * fps))
    window = np.hanning(2 * width + 3)[1:-1] / (width + 1)
    padded = np.pad(stood[:, legs], ((width, width), (0, 0), (0, 0)), mode="edge")
    stood[:, legs] = np.einsum("w,twbc->tbc", window, _windows(padded, 2 * width + 1))
    return stood


def _windows(values: np.ndarray, width: int) -> np.ndarray:
    """(T, width, ...) every run of ``width`` rows of ``values`` (T + width - 1, ...)."""
    return np.moveaxis(np.lib.stride_tricks.sliding_window_view(values, width, axis=0), -1, 1)


def _calmed(skeleton: Skeleton, known: Plan, eulers: np.ndarray, leans: np.ndarray, fps: float) -> np.ndarray:
    """``eulers`` (T, B, 3) blended towards rest around the frames where parts of the body meet."""
    rest = np.clip(0.0, skeleton.limits[..., 0], skeleton.limits[..., 1])
    for _ in range(_ROUNDS):
        needed = np.full(len(eulers), _CALMER[-1])
        for share in _CALMER[::-1]:
            posed = posed_at(skeleton, eulers + share * (rest - eulers), leans)
            free = capsules.penetration(known.capsules, posed) <= capsules.ACCEPTED
            needed = np.where(free, share, needed)
        if not needed.any():
            break
        share = _eased(needed, max(1, round(_EASE * fps)))[:, None, None]
        eulers = eulers + share * (rest - eulers)
    return eulers


def _eased(values: np.ndarray, width: int) -> np.ndarray:
    """The smooth curve over ``values`` (T,): their maximum within ``width`` frames, averaged by a window of
    twice as many, so that no value is undercut."""
    highest = _windows(np.pad(values, width, mode="edge"), 2 * width + 1).max(1)
    window = np.hanning(2 * width + 3)[1:-1]
    return np.convolve(np.pad(highest, width, mode="edge"), window / window.sum(), mode="valid")


def _swings(rng: np.random.Generator, seconds: np.ndarray, shape: tuple, band: tuple) -> np.ndarray:
    """(T, *shape) sums of two sines with values in [-1, 1]."""
    time = seconds.reshape(-1, *[1] * len(shape))
    out = np.zeros((len(seconds), *shape))
    for _ in range(2):
        frequency = rng.uniform(*band, shape)
        out += 0.5 * np.sin(2 * np.pi * (frequency * time + rng.random(shape)))
    return out
