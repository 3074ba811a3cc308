# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Draw a random pose: chains bent smoothly, feet near the ground, no part of the body in another."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .. import rotations as rot
from ..skeleton import Posed, Skeleton
from . import capsules, chains, feet
from .pose import ASIDE, RandomPose, over_rest, random_lean, random_velocity, root_matrix

BLUR_SHARE = 0.5
NEAR_REST_SHARE = 0.5
AIRTIME_SHARE = 0.3
AIRTIME = 0.2
"""Poses in the air are up to this many heights above the ground."""
TOGETHER = 6
"""Candidates of one round: drawn and judged at once, for little more than one alone costs."""
ROUNDS = 3
_CROUCH = (0.8, 1.02)
_SECOND_STEPS = 3


class Plan(NamedTuple):
    """What is found out about a skeleton once."""

    chains: chains.Chains
    capsules: capsules.Capsules
    legs: feet.Legs


@lru_cache(maxsize=8)
def plan(skeleton: Skeleton) -> Plan:
    return Plan(chains.find(skeleton), capsules.build(skeleton), feet.find(skeleton))


class Drawn(NamedTuple):
    """A pose and how it was come by."""

    pose: RandomPose
    airborne: bool
    penetration: float
    """Of the pose that was taken, as capsules.penetration counts."""
    first_penetration: float
    """Of the first candidate: what a drawing without rejection would have taken."""
    tries: int
    """Candidates judged until one was plausible."""


def sample_rng(seed: int, index: int) -> np.random.Generator:
    """The generator that decides sample ``index`` completely, whatever process draws it."""
    return np.random.default_rng([seed, index])


def random_pose(skeleton: Skeleton, rng: np.random.Generator) -> RandomPose:
    """Half spread over the limits, half near rest; turn, lean, place and airtime random."""
    return draw(skeleton, rng).pose


def draw(skeleton: Skeleton, rng: np.random.Generator) -> Drawn:
    """Candidates are drawn until one is plausible, at most TOGETHER * ROUNDS; then the least bad is taken."""
    known = plan(skeleton)
    near_rest, airborne = rng.random() < NEAR_REST_SHARE, rng.random() < AIRTIME_SHARE
    lean = random_lean(rng)
    best, first, tries = (np.inf, None, None), None, 0
    for _ in range(ROUNDS):
        eulers, posed = _candidates(skeleton, known, rng, near_rest, airborne, lean)
        depth = capsules.penetration(known.capsules, posed)
        first = depth[0] if first is None else first
        good = np.flatnonzero(depth <= capsules.ACCEPTED)
        chosen = int(good[0]) if len(good) else int(depth.argmin())
        if depth[chosen] < best[0]:
            best = float(depth[chosen]), eulers[chosen], posed.heads[chosen, 0]
        tries += chosen + 1 if len(good) else TOGETHER
        if len(good):
            break
    depth, eulers, root = best
    root = root + np.array([*rng.uniform(-ASIDE, ASIDE, 2), 0.0]) * skeleton.height
    if airborne:
        root[2] += rng.uniform(0, AIRTIME) * skeleton.height
    local = rot.euler_to_matrix(eulers)
    local[0] = root_matrix(skeleton, lean)
    spin, drift = np.zeros((len(skeleton.bones), 3)), np.zeros(3)
    if rng.random() < BLUR_SHARE:
        spin, drift = random_velocity(skeleton, rng)
    pose = RandomPose(root, rot.matrix_to_quat(local), spin, drift)
    return Drawn(pose, bool(airborne), depth, float(first), tries)


def _candidates(
    skeleton: Skeleton,
    known: Plan,
    rng: np.random.Generator,
    near_rest: bool,
    airborne: bool,
    lean: np.ndarray,
) -> tuple[np.ndarray, Posed]:
    """Euler angles (K, B, 3) inside the limits and the poses (K), standing on the ground over the rest place."""
    count = TOGETHER
    eulers = _near_rest(skeleton, rng, count) if near_rest else _uniform(skeleton, rng, count)
    if len(known.chains.bones):
        eulers[:, known.chains.bones] = chains.random_bends(skeleton, known.chains, rng, count, near_rest)
    leans = np.broadcast_to(lean, (count, 3))
    heights = feet.targets(known.legs, rng, count, skeleton.height)
    crouch = rng.uniform(*_CROUCH, count)
    if airborne or not len(known.legs.base):
        return eulers, grounded(skeleton, known, posed_at(skeleton, eulers, leans))
    return stand(skeleton, known, eulers, leans, heights, crouch)


def _uniform(skeleton: Skeleton, rng: np.random.Generator, count: int) -> np.ndarray:
    low, high = skeleton.limits[..., 0], skeleton.limits[..., 1]
    return low + (high - low) * rng.random((count, *low.shape))


def _near_rest(skeleton: Skeleton, rng: np.random.Generator, count: int) -> np.ndarray:
    low, high = skeleton.limits[..., 0], skeleton.limits[..., 1]
    return np.clip(rng.normal(size=(count, *low.shape)) * 0.2 * (high - low), low, high)


def posed_at(
    skeleton: Skeleton, eulers: np.ndarray, leans: np.ndarray, raised: np.ndarray | None = None
) -> Posed:
    """Poses of eulers (K, B, 3) with the root leaning by ``leans`` (K, 3), its head at its rest place or
    ``raised`` (K,) metres above it."""
    local = rot.euler_to_matrix(eulers)
    local[:, 0] = root_matrix(skeleton, leans)
    root = np.tile(skeleton.heads[0], (len(eulers), 1))
    if raised is not None:
        root[:, 2] += raised
    return skeleton.pose_matrices(root, local)


def stand(
    skeleton: Skeleton,
    known: Plan,
    eulers: np.ndarray,
    leans: np.ndarray,
    heights: np.ndarray,
    crouch: np.ndarray,
) -> tuple[np.ndarray, Posed]:
    """Bring the feet to ``heights`` (K, L) over the ground: bodies placed by their hips, legs bent, bodies
    lifted off what still is under the ground, legs bent once more."""
    posed = posed_at(skeleton, eulers, leans)
    raised = feet.hip_height(skeleton, known.legs, posed, crouch)
    eulers = feet.reach(skeleton, known.legs, moved(posed, 0.0, raised), eulers, heights)
    posed = grounded(skeleton, known, posed_at(skeleton, eulers, leans))
    eulers = feet.reach(skeleton, known.legs, posed, eulers, heights, _SECOND_STEPS)
    return eulers, grounded(skeleton, known, posed_at(skeleton, eulers, leans))


def grounded(skeleton: Skeleton, known: Plan, posed: Posed) -> Posed:
    """Each pose over the rest place, its lowest joint or skin as low as the lowest at rest."""
    bones = ~skeleton.is_marker
    joints = skeleton.joint_points[bones, 2].min() - posed.joints[:, bones, 2].min(1)
    skin = ground_of_skin(skeleton) - capsules.lowest(known.capsules, posed)
    return moved(posed, over_rest(skeleton, posed), np.maximum(joints, skin))


@lru_cache(maxsize=8)
def ground_of_skin(skeleton: Skeleton) -> float:
    """Height of the lowest capsule at rest, metres."""
    rest = posed_at(skeleton, np.zeros((1, len(skeleton.bones), 3)), np.zeros((1, 3)))
    lowest = float(capsules.lowest(plan(skeleton).capsules, rest)[0])
    return lowest if np.isfinite(lowest) else 0.0


def moved(posed: Posed, aside: np.ndarray | float, up: np.ndarray) -> Posed:
    """Whole poses moved by ``aside`` (T, 2) along the ground and ``up`` (T,), metres."""
    shift = np.zeros((len(posed.heads), 1, 3))
    shift[:, 0, :2], shift[:, 0, 2] = aside, up
    return Posed(posed.heads + shift, posed.turns, posed.joints + shift)
