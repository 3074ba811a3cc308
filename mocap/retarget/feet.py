# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Set feet down where the source sets its own: legs are bent as little as possible until each foot is there.

A foot's goal is the source's foot, scaled; where that stands still the goal stands still, where that is on the ground
the goal is on the ground. The foot itself keeps the turn it was given.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import rotations as rot
from ..skeleton import Limb, Skeleton
from . import geometry

STEPS = 30
DAMPING = 0.02
"""Share of the leg's length that the solver thinks errors are worth turning for."""
STRAIGHT = 0.99
"""Share of its length to which a leg is stretched before the body goes down."""
STANDS = 0.02
"""Heights above its lowest goal up to which a foot stands."""
LOWEST = 0.12
"""Heights that the body goes down at most."""
SOFTNESS = 0.12
"""Seconds over which it does."""
STEP = 0.25
"""Radians that a bone turns at most in one step."""


class Leg(NamedTuple):
    """One leg of a skeleton."""

    chain: tuple[int, ...]
    """Bones that may turn."""
    foot: int
    """The bone that keeps its turn; the chain's last where the leg has no bone to spare."""
    ankle: np.ndarray
    """(3,) at rest: what the chain must bring to its place."""
    tip: np.ndarray
    """(3,) at rest, on the foot."""


def leg(skeleton: Skeleton, limb: Limb) -> Leg:
    """A limb that is no leg has no foot: all of it turns."""
    tip = geometry.end(skeleton, limb)
    if len(limb.bones) < 3 or limb.kind != "leg":
        return Leg(limb.bones, limb.bones[-1], tip, tip)
    return Leg(limb.bones[:-1], limb.bones[-1], skeleton.heads[limb.bones[-1]], tip)


def tips(skeleton: Skeleton, limb: Limb, heads: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """(T, 3) the limb's end in a motion: heads (T, B, 3) and turns (T, B, 3, 3), as ``Posed`` has them."""
    last = limb.bones[-1]
    return heads[:, last] + turns[:, last] @ (geometry.end(skeleton, limb) - skeleton.heads[last])


def drop(
    skeleton: Skeleton, goals: dict[Limb, np.ndarray], heads: np.ndarray, turns: np.ndarray, fps: float
) -> np.ndarray:
    """(T,) metres by which the body must be lower for the legs to reach the ground where they stand; smooth, and at
    most ``LOWEST``. A foot in the air may fall short."""
    need = np.zeros(len(heads))
    for limb, goal in goals.items():
        one = leg(skeleton, limb)
        long = [bone for bone, ease in zip(one.chain, _ease(skeleton, limb)) if ease > 0.5]
        base = heads[:, long[0]] if long else heads[:, one.chain[0]]
        own = dict(zip(limb.bones, geometry.lengths(skeleton, limb)))
        length = STRAIGHT * sum(own[bone] for bone in one.chain[one.chain.index(long[0]) if long else 0 :])
        keeps = one.foot not in one.chain
        ankle = goal - (turns[:, one.foot] @ (one.tip - one.ankle) if keeps else 0)
        aside = np.linalg.norm((ankle - base)[:, :2], axis=1)
        high = np.sqrt(np.maximum(length**2 - aside**2, 0))
        stands = goal[:, 2] < goal[:, 2].min() + STANDS * skeleton.height
        need = np.maximum(need, np.where(stands, base[:, 2] - ankle[:, 2] - high, 0))
    return _smooth(np.clip(need, 0, LOWEST * skeleton.height), fps)


def _smooth(values: np.ndarray, fps: float) -> np.ndarray:
    """The largest value nearby, rounded off: never less than what is needed, but for the rounding."""
    reach_of = max(1, round(SOFTNESS * fps))
    padded = np.pad(values, 2 * reach_of, mode="edge")
    highest = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach_of + 1).max(-1)
    window = np.hanning(2 * reach_of + 3)[1:-1]
    return np.convolve(highest, window / window.sum(), mode="valid")


def reach(
    skeleton: Skeleton, limb: Limb, heads: np.ndarray, turns: np.ndarray, goals: np.ndarray
) -> np.ndarray:
    """New turns (T, N, 3, 3) of the limb's N bones, which bring its end to ``goals`` (T, 3) where it can reach them.

    Damped least squares on all frames at once: of all ways to get there, the one that turns least.
    """
    one = leg(skeleton, limb)
    bones = list(limb.bones)
    place = {bone: at for at, bone in enumerate(bones)}
    turned = turns[:, bones].copy()
    base = heads[:, bones[0]]
    length = geometry.lengths(skeleton, limb).sum()
    keeps = one.foot not in one.chain
    wanted = goals - (turned[:, place[one.foot]] @ (one.tip - one.ankle) if keeps else 0)
    weight = _ease(skeleton, limb)[: len(one.chain)]
    for _ in range(STEPS):
        joints, ankle = _chain(skeleton, one, place, base, turned)
        error = wanted - ankle
        if np.abs(error).max() < 1e-5 * length:
            break
        arms = ankle[:, None] - joints
        jacobian = -rot.hat(arms) * weight[:, None, None]
        square = np.einsum("tnij,tnkj->tik", jacobian, jacobian) + (DAMPING * length) ** 2 * np.eye(3)
        push = np.linalg.solve(square, error[..., None])[..., 0]
        delta = np.einsum("tnji,tj->tni", jacobian, push) * weight[:, None]
        size = np.linalg.norm(delta, axis=-1).max(1)
        delta *= (np.minimum(1, STEP / np.maximum(size, 1e-12)))[:, None, None]
        # A bone's turn carries all that hang on it.
        carried = np.broadcast_to(np.eye(3), (len(turned), 3, 3))
        for at, bone in enumerate(one.chain):
            carried = carried @ rot.exp_so3(delta[:, at])
            turned[:, place[bone]] = carried @ turned[:, place[bone]]
    return turned


def _ease(skeleton: Skeleton, limb: Limb) -> np.ndarray:
    """(N,) how willingly each bone turns: short ones (collars, pasterns) less than thigh and shin."""
    share = geometry.lengths(skeleton, limb)
    return np.clip(share / max(np.median(share), 1e-12), 0.1, 1.0)


def _chain(
    skeleton: Skeleton, one: Leg, place: dict[int, int], base: np.ndarray, turned: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(T, C, 3) heads of the chain's bones, (T, 3) the ankle."""
    stops = [skeleton.heads[bone] for bone in one.chain] + [one.ankle]
    joints = [base]
    for at, bone in enumerate(one.chain):
        joints.append(joints[-1] + turned[:, place[bone]] @ (stops[at + 1] - stops[at]))
    return np.stack(joints[:-1], 1), joints[-1]
