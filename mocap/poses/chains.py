# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Tails, necks, fingers, snakes: runs of bones in a line, bent by one smooth curvature.

The curvature is a rotation vector in a frame carried along the run without turning about it, so it means
the same for every bone whatever the bone's own roll. A bone's world-side rotation ``rest Q rest^T`` is
``exp`` of that vector, and its Euler angles are then clamped to the bone's limits.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from .. import rotations as rot
from ..skeleton import Skeleton

LEAST_BONES = 3
STRAIGHT = np.radians(40.0)
"""Two bones that meet at no more than this are in one line."""
MOST_TURN = {"body": 100.0, "spine": 100.0, "head": 100.0, "neck": 130.0}
"""By limb kind, degrees: between no two bones of a run does the direction change by more. No knots."""
_MOST_TURN_ELSE = 160.0
_JOINTED = ("leg", "arm", "wing")
"""Limbs whose first bones bend each on its own, at elbows and knees; only what forks off further out
(fingers, toes) is a run."""
_APART = ("jaw",)
_HARMONICS = (1.0, 0.7, 0.4)
_OWN = 0.08
"""What each bone adds of its own to the common curve, as a share of its limits."""


class Chains(NamedTuple):
    """R runs, one after the other: bones (n,) each from the body outwards; runs (R + 1,) where they begin
    and the last ends; frames (n, 3, 3), columns: two directions across the bone and one along it, at rest
    in the world; low, high (n, 3) how far limits let it turn about each, radians."""

    bones: np.ndarray
    runs: np.ndarray
    frames: np.ndarray
    low: np.ndarray
    high: np.ndarray
    most: np.ndarray
    """(R,) radians by which the direction may change along each run."""

    @property
    def spans(self) -> list[slice]:
        return [slice(start, stop) for start, stop in itertools.pairwise(self.runs)]


def find(skeleton: Skeleton) -> Chains:
    """Every run of at least three bones, none in two runs. The root is in none."""
    follower = _followers(skeleton)
    led = set(follower.values())
    runs = []
    for start in range(1, len(skeleton.bones)):
        if start in led or not _may_start(skeleton, start):
            continue
        run = [start]
        while run[-1] in follower:
            run.append(follower[run[-1]])
        if len(run) >= LEAST_BONES:
            runs.append(np.array(run))
    bones = np.concatenate([np.zeros(0, int), *runs])
    frames = np.concatenate([np.zeros((0, 3, 3)), *(_frames(skeleton, run) for run in runs)])
    # A small turn about an axis shares itself over the bone's own axes; so much of each limit it may use.
    share = np.swapaxes(skeleton.rest[bones], -1, -2) @ frames
    low, high = skeleton.limits[bones, :, 0], skeleton.limits[bones, :, 1]
    with_it, against = np.maximum(share, 0), np.maximum(-share, 0)
    up = np.einsum("nkc,nk->nc", with_it, high) - np.einsum("nkc,nk->nc", against, low)
    down = np.einsum("nkc,nk->nc", with_it, low) - np.einsum("nkc,nk->nc", against, high)
    most = [MOST_TURN.get(_kind(skeleton, run[0]), _MOST_TURN_ELSE) for run in runs]
    return Chains(bones, np.cumsum([0, *map(len, runs)]), frames, down, up, np.radians(most))


def _kind(skeleton: Skeleton, bone: int) -> str:
    limb = skeleton.bone_limb[bone]
    return skeleton.limbs[limb].kind if limb >= 0 else "other"


def _side(skeleton: Skeleton, bone: int) -> str:
    limb = skeleton.bone_limb[bone]
    return skeleton.limbs[limb].side if limb >= 0 else ""


def _may_start(skeleton: Skeleton, bone: int) -> bool:
    if _kind(skeleton, bone) not in _JOINTED:
        return True
    parent = skeleton.parents[bone]
    inside = skeleton.bone_limb[parent] == skeleton.bone_limb[bone]
    return bool(inside and (skeleton.parents == parent).sum() > 1)


def _followers(skeleton: Skeleton) -> dict[int, int]:
    """Bone -> the one bone that goes on in its line; limbs of a side that branch off the middle do not count
    as forks."""
    directions = np.einsum("bij,bj->bi", skeleton.rest, skeleton.axes)
    out = {}
    for bone in range(1, len(skeleton.bones)):
        own = [
            child
            for child in np.flatnonzero(skeleton.parents == bone)
            if _side(skeleton, child) == _side(skeleton, bone) and _kind(skeleton, child) not in _APART
        ]
        if len(own) != 1:
            continue
        reach = skeleton.heads[own[0]] - skeleton.heads[bone]
        length = np.linalg.norm(reach)
        if length > 1e-6 * skeleton.height and reach @ directions[own[0]] > np.cos(STRAIGHT) * length:
            out[bone] = int(own[0])
    return out


def _frames(skeleton: Skeleton, bones: np.ndarray) -> np.ndarray:
    """(n, 3, 3) the frame carried along one run."""
    reach = skeleton.heads[bones[1:]] - skeleton.heads[bones[:-1]]
    last = skeleton.rest[bones[-1]] @ skeleton.axes[bones[-1]]
    along = np.concatenate([reach / np.linalg.norm(reach, axis=1, keepdims=True), last[None]])
    # Start from the axis most across the run, so that mirrored runs get mirrored frames.
    across = np.eye(3)[np.abs(along.mean(0)).argmin()]
    frames = []
    for direction in along:
        across = across - (across @ direction) * direction
        across = across / np.linalg.norm(across)
        frames.append(np.stack([across, np.cross(direction, across), direction], 1))
    return np.array(frames)


def random_bends(
    skeleton: Skeleton, chains: Chains, rng: np.random.Generator, count: int, near_rest: bool
) -> np.ndarray:
    """XYZ Euler angles (count, n, 3) inside the limits, of one smooth random bend of every run a row."""
    turns = np.empty((count, len(chains.bones), 3))
    for run, most in zip(chains.spans, chains.most):
        shape = _random_shape(rng, count, run.stop - run.start, near_rest)
        low, high = np.minimum(chains.low[run], 0), np.maximum(chains.high[run], 0)
        bend = np.where(shape > 0, shape * high, -shape * low)
        turns[:, run] = bend * np.minimum(1.0, most / _spread(bend))[:, None, None]
    limits = skeleton.limits[chains.bones]
    return np.clip(_angles(skeleton, chains, turns), limits[..., 0], limits[..., 1])


def _random_shape(rng: np.random.Generator, count: int, bones: int, near_rest: bool) -> np.ndarray:
    """(count, bones, 3) smooth curves along a run, in units of the limits, with a little of each bone's own."""
    waves = _waves(bones)
    weights = rng.normal(size=(count, 3, len(waves))) * np.array(_HARMONICS)
    shape = np.swapaxes(weights @ waves, 1, 2)
    if near_rest:
        shape = np.clip(0.35 * shape, -1, 1)
    else:
        most = np.abs(shape).max(1, keepdims=True)
        shape = shape / np.maximum(most, 1e-9) * rng.random((count, 1, 3)) ** 0.5 * 1.15
    return shape + rng.normal(0, _OWN, shape.shape)


def _waves(bones: int) -> np.ndarray:
    """(H, bones): constant, half a cosine, a whole one."""
    place = np.linspace(0, 1, bones)
    return np.cos(np.pi * np.arange(len(_HARMONICS))[:, None] * place)


def random_waves(
    skeleton: Skeleton, chains: Chains, rng: np.random.Generator, seconds: np.ndarray
) -> np.ndarray:
    """Euler angles (T, n, 3) inside the limits: two waves travel along each run, each at 0.2 to 1 Hz and no
    shorter than the run or seven bones, about the middle of the limits."""
    turns = np.empty((len(seconds), len(chains.bones), 3))
    for run, most in zip(chains.spans, chains.most):
        place = np.linspace(0, 1, run.stop - run.start)[None, :, None]
        shape = np.zeros((len(seconds), run.stop - run.start, 3))
        for _ in range(2):
            frequency, phase = rng.uniform(0.2, 1.0, 3), rng.random(3)
            number = rng.uniform(0.2, 1.0, 3) * rng.choice([-1.0, 1.0], 3) * min(1.0, len(place[0]) / 7)
            shape += 0.5 * np.sin(2 * np.pi * (frequency * seconds[:, None, None] - number * place + phase))
        low, high = chains.low[run], chains.high[run]
        wave = (low + high) / 2 + 0.8 * (high - low) / 2 * shape
        # One scale for all frames: a motion has to stay smooth.
        turns[:, run] = wave * min(1.0, most / float(_spread(wave).max()))
    low, high = skeleton.limits[chains.bones, :, 0], skeleton.limits[chains.bones, :, 1]
    middle, half = (low + high) / 2, np.maximum((high - low) / 2, 1e-9)
    return middle + half * _soft((_angles(skeleton, chains, turns) - middle) / half)


def _spread(turns: np.ndarray) -> np.ndarray:
    """(K,) the largest change of direction between two bones of the run, radians."""
    heading = np.cumsum(turns[..., :2], axis=1)
    return np.maximum(np.linalg.norm(heading[:, :, None] - heading[:, None], axis=-1).max((1, 2)), 1e-9)


def _angles(skeleton: Skeleton, chains: Chains, turns: np.ndarray) -> np.ndarray:
    """XYZ Euler angles (K, n, 3) of turns about the runs' frames (K, n, 3), radians; of the two triples of a
    rotation, the one nearer to the limits."""
    world = np.einsum("nij,knj->kni", chains.frames, turns)
    local = np.einsum("nji,knj->kni", skeleton.rest[chains.bones], world)
    limits = skeleton.limits[chains.bones]
    return rot.euler_near(rot.matrix_to_euler(rot.exp_so3(local)), limits[..., 0], limits[..., 1])


def _soft(share: np.ndarray) -> np.ndarray:
    """The same up to 0.8, then ever flatter towards 1, without a corner."""
    beyond = np.maximum(np.abs(share) - 0.8, 0.0)
    return np.sign(share) * (np.minimum(np.abs(share), 0.8) + 0.2 * np.tanh(beyond / 0.2))
