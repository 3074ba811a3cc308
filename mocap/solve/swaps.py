# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Left and right mistaken for each other: found per pair of limbs and put right before solving.

A reader that takes a left hind leg for the right one does so for whole limbs and runs of frames. For each
pair of limbs a Viterbi pass (1967) chooses, frame by frame, in which views the pair is swapped: tracks
should not jump, the views should agree on a point, and a swap has a small price.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..errors import BadInput
from ..skeleton import Skeleton
from .initialise import anchors
from .observations import Observations, height_px
from .triangulate import triangulate

PRICE = 0.5
"""Cost of calling one joint swapped for one frame."""
SWITCH = 9.0
"""Cost of a limb's becoming swapped or unswapped in one view: -2 log of one in a hundred frames."""
DISAGREEMENT_CAP = 9.0
JUMP_CAP = 13.5
SIGMA_FLOOR = 0.004
"""Share of the height below which jumps and disagreement between views mean nothing."""


class Swap(NamedTuple):
    """Frames in which ``view`` had ``limb`` and its mirror exchanged."""

    limb: str
    view: str
    frames: tuple[int, ...]


class AsRead(NamedTuple):
    """A limb, by its own name or its mirror's, whose readings stay as they are, in one view (None: in all), from
    frame ``start`` up to ``stop``, not included (None: to the end)."""

    limb: str
    view: str | None = None
    start: int = 0
    stop: int | None = None


class Pair(NamedTuple):
    """A limb (by name) and its mirror: joint indices in corresponding order. The markers on it go where the
    joints go, but do not decide: half of them are hidden at any time."""

    limb: str
    joints: np.ndarray
    partners: np.ndarray
    markers: np.ndarray
    marker_partners: np.ndarray

    @property
    def exchange(self) -> tuple[np.ndarray, np.ndarray]:
        """All indices, and for each the one that it changes places with."""
        one, other = np.append(self.joints, self.markers), np.append(self.partners, self.marker_partners)
        return np.append(one, other), np.append(other, one)


def joint_limbs(skeleton: Skeleton) -> np.ndarray:
    """(J,) index of the limb each joint belongs to, -1 for none.

    A joint at the head of a limb's first bone belongs to that limb, though it is carried by the torso.
    """
    carried = skeleton.bone_limb[skeleton.joint_bones]
    for joint, point in enumerate(skeleton.joint_points):
        apart = np.linalg.norm(skeleton.heads - point, axis=1)
        starts = np.flatnonzero((apart < 1e-4 * skeleton.height) & (skeleton.bone_limb >= 0))
        if len(starts):
            carried[joint] = skeleton.bone_limb[starts[-1]]
    return carried


def limb_pairs(skeleton: Skeleton) -> list[Pair]:
    """Pairs of mirrored limbs, fingers and toes with the limb that holds them; mirrored joints of no limb
    pair form pairs by the bone they hang on."""
    limb_of = joint_limbs(skeleton)
    groups: dict[str, list[int]] = {}
    for joint, partner in enumerate(skeleton.joint_mirror):
        if partner <= joint:
            continue
        limb = _whole_limb(skeleton, limb_of[joint])
        sided = limb >= 0 and skeleton.limbs[limb].mirror >= 0
        bone = skeleton.bone_names[anchors(skeleton)[joint]]
        groups.setdefault(skeleton.limbs[limb].name if sided else bone, []).append(joint)
    pairs = []
    for name, members in groups.items():
        marker = skeleton.is_marker[members]
        joints, markers = np.array(members)[~marker], np.array(members)[marker]
        if len(joints):
            mirror = skeleton.joint_mirror
            pairs.append(Pair(name, joints, mirror[joints], markers, mirror[markers]))
    return pairs


def _whole_limb(skeleton: Skeleton, limb: int) -> int:
    """The arm of a finger, the leg of a toe; any other limb itself."""
    while limb >= 0 and skeleton.limbs[limb].kind in ("finger", "toe"):
        limb = int(skeleton.bone_limb[skeleton.bones[skeleton.limbs[limb].bones[0]].parent])
    return limb


def correct_swaps(
    skeleton: Skeleton, observations: Observations, as_read: Sequence[AsRead] = ()
) -> tuple[Observations, list[Swap]]:
    """The observations with swapped limbs exchanged back, but for those to be left ``as_read``, and what was
    exchanged. BadInput where ``as_read`` names a limb that has no mirror, or a view or frames that there are not."""
    positions, weights = observations.positions.copy(), observations.weights.copy()
    pairs = limb_pairs(skeleton)
    _check_as_read(skeleton, pairs, observations, as_read)
    swaps = []
    for pair in pairs:
        swapped = find_swaps(skeleton, observations, pair)
        for kept in as_read:
            if kept.limb in _names(skeleton, pair):
                views = [kept.view in (None, view) for view in observations.layout.names]
                swapped[kept.start : kept.stop, views] = False
        both, other = pair.exchange
        for v, name in enumerate(observations.layout.names):
            frames = np.flatnonzero(swapped[:, v])
            if len(frames):
                at, to = np.ix_(frames, both), np.ix_(frames, other)
                positions[:, v][at] = observations.positions[:, v][to]
                weights[:, v][at] = observations.weights[:, v][to]
                swaps.append(Swap(pair.limb, name, tuple(int(f) for f in frames)))
    return observations._replace(positions=positions, weights=weights), swaps


def _names(skeleton: Skeleton, pair: Pair) -> tuple[str, ...]:
    """The pair's limb and its mirror."""
    limbs = {limb.name: limb for limb in skeleton.limbs}
    found = limbs.get(pair.limb)
    return (pair.limb, skeleton.limbs[found.mirror].name) if found and found.mirror >= 0 else (pair.limb,)


def _check_as_read(
    skeleton: Skeleton, pairs: list[Pair], observations: Observations, as_read: Sequence[AsRead]
) -> None:
    views, frames = observations.layout.names, len(observations.positions)
    known = [name for pair in pairs for name in _names(skeleton, pair)]
    for kept in as_read:
        if kept.limb not in known:
            raise BadInput(
                f"as read: {kept.limb!r} is no limb with a mirror; there are {', '.join(known) or 'none'}"
            )
        if kept.view is not None and kept.view not in views:
            raise BadInput(f"as read: {kept.view!r} is no view; there are {', '.join(views)}")
        stop = frames if kept.stop is None else kept.stop
        if not 0 <= kept.start < stop <= frames:
            raise BadInput(
                f"as read: {kept.limb}, frames {kept.start} to {stop - 1}; the clip has 0 to {frames - 1}"
            )


def find_swaps(skeleton: Skeleton, observations: Observations, pair: Pair) -> np.ndarray:
    """(T, V) bool: where the pair is swapped, by Viterbi over the 2^V combinations of views."""
    floor = SIGMA_FLOOR * height_px(skeleton, observations.layout)
    sigma = np.maximum(observations.scale, floor)
    both = np.concatenate([pair.joints, pair.partners])
    other = np.concatenate([pair.partners, pair.joints])
    views = len(sigma)
    choices = [(_bridged(observations, both), both), (_bridged(observations, other), other)]
    states = np.array(list(itertools.product((0, 1), repeat=views)))
    jumps = _jump_costs([positions for positions, _ in choices], sigma)
    costs = PRICE * len(both) * states.sum(1) + np.stack(
        [_disagreement(observations, choices, state, sigma) for state in states], 1
    )
    steps = sum(jumps[:, v][:, states[:, v][:, None], states[:, v][None, :]] for v in range(views))
    return states[cheapest_path(costs, steps)].astype(bool)


def cheapest_path(costs: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Viterbi: state costs (T, S), step costs (T - 1, from S, to S) -> (T,) chosen states."""
    total = costs[0]
    best = np.zeros(costs.shape, int)
    for frame in range(1, len(costs)):
        reached = total[:, None] + steps[frame - 1]
        best[frame] = reached.argmin(0)
        total = reached.min(0) + costs[frame]
    path = np.empty(len(costs), int)
    path[-1] = total.argmin()
    for frame in range(len(costs) - 1, 0, -1):
        path[frame - 1] = best[frame, path[frame]]
    return path


def _bridged(observations: Observations, joints: np.ndarray) -> np.ndarray:
    """(T, V, N, 2) readings of joints with unread frames filled linearly."""
    positions = observations.positions[:, :, joints].copy()
    read = observations.read[:, :, joints]
    times = np.arange(len(positions))
    for v, joint in np.argwhere(~read.all(0) & read.any(0)):
        known = read[:, v, joint]
        for axis in range(2):
            values = positions[:, v, joint, axis]
            positions[:, v, joint, axis] = np.interp(times, times[known], values[known])
    return positions


def _jump_costs(choices: list[np.ndarray], sigma: np.ndarray) -> np.ndarray:
    """(T - 1, V, 2, 2): how far the tracks jump between as read / swapped and as read / swapped, beyond
    what the pair moves as a whole: a fast turn of the head must not look like two ears exchanged."""
    middle = np.median(choices[0], axis=2, keepdims=True)
    centred = [positions - middle for positions in choices]
    speed = np.linalg.norm(np.diff(centred[0], axis=0), axis=-1)
    usual = np.median(speed, axis=0) if len(speed) else np.zeros(speed.shape[1:])
    spread = 2 * sigma[:, None] ** 2 + np.maximum(1.5 * usual, 1.0) ** 2
    out = np.empty((len(speed), len(sigma), 2, 2))
    for before, after in itertools.product((0, 1), repeat=2):
        squared = ((centred[after][1:] - centred[before][:-1]) ** 2).sum(-1) / spread
        out[..., before, after] = np.minimum(squared, JUMP_CAP).sum(-1) + SWITCH * (before != after)
    return out


def _disagreement(
    observations: Observations, choices: list, state: np.ndarray, sigma: np.ndarray
) -> np.ndarray:
    """(T,) how badly the views triangulate when view v takes choice state[v]."""
    views = range(len(state))
    positions = np.stack([choices[state[v]][0][:, v] for v in views], 1)
    weights = np.stack([observations.weights[:, v][:, choices[state[v]][1]] for v in views], 1)
    seen = observations._replace(positions=positions, weights=(weights > 0).astype(float))
    points, _ = triangulate(seen)
    projected, _ = observations.cameras.project(points)
    squared = (((projected - positions) ** 2).sum(-1) / sigma[None, :, None] ** 2).sum(1)
    return np.where(np.isfinite(squared), np.minimum(squared, DISAGREEMENT_CAP), 0.0).sum(-1)
