# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Choose markers: surface points beside a bone's axis, which show its twist as joints do not. Pure numpy.

A point's worth is what it tells about the twist over random poses: in every view that sees it, the square of
how far it moves across that view per radian (Fisher information of a reading), added to what the bone's own
joints tell already. Points are taken greedily by the expected gain in log information, so a second one is
chosen for the poses in which the first is hidden.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...mocap import poses
from ...mocap.layout import Layout
from ...mocap.skeleton import Joint, Skeleton
from . import sight
from .sight import Skin

MOST = 2
"""Markers of one bone."""
RIGID = (0.75, 0.5)
"""A marker's vertex follows its bone at least this much, for it is taken to be fixed to it; the second where a
bone has fewer than three that do (blended necks)."""
LEAST_GAIN = 0.08
"""Nats of expected information about the twist; what tells less is not worth a heatmap."""
LEAST_LEVER = 0.018
"""Distance from the axis, in heights: nearer, a reading's error hides any twist."""
APART = 0.03
"""Markers are at least this far from each other, in heights, and two thirds of it from joints."""
MIRRORED = 0.02
"""A point's mirror image is a vertex of the partner within this distance, in heights."""
_POSES = 40
_SEED = 0x6D61
_CANDIDATES = 40
_NOISE = 0.02
"""Standard deviation of a reading, in heights."""
_PRIOR = np.radians(15.0)
"""What is known of a twist without any reading (as in the solver's rest prior)."""


class _Candidates(NamedTuple):
    """C vertices that might become markers: vertex (C,), bone (C,), and told (N, C), what a reading of each
    in pose n tells about its bone's twist, per square radian."""

    vertex: np.ndarray
    bone: np.ndarray
    told: np.ndarray


def added(skeleton: Skeleton, layout: Layout, skin: Skin, partner: list[int]) -> Skeleton:
    """The skeleton with its markers behind its joints. partner (B,): each bone's mirror image (symmetry)."""
    return replace(skeleton, joints=(*skeleton.joints, *choose(skeleton, layout, skin, partner)))


def choose(skeleton: Skeleton, layout: Layout, skin: Skin, partner: list[int]) -> list[Joint]:
    """Markers as joints, to be appended to the skeleton's own; ``mirror`` counts from the first of those."""
    found = _candidates(skeleton, layout, skin)
    known = 1 / _PRIOR**2 + _told_by_joints(skeleton)
    taken: list[np.ndarray] = list(skeleton.joint_points)
    chosen: list[tuple[int, int, int]] = []
    for bone, other in enumerate(partner):
        if 0 <= other < bone:
            continue
        pairs = _pairs(skeleton, skin, found, bone, other)
        for number, (one, image) in enumerate(_greedy(skeleton, skin, found, known[bone], pairs, taken), 1):
            chosen.append((one, number, -1 if image == one else len(chosen) + 1))
            if image != one:
                chosen.append((image, number, len(chosen) - 1))
    first = len(skeleton.joints)
    return [
        Joint(
            f"{skeleton.bone_names[found.bone[at]]}_m{number}",
            int(found.bone[at]),
            tuple(round(float(v), 8) + 0.0 for v in skin.points[found.vertex[at]]),
            "marker",
            mirror + first if mirror >= 0 else -1,
        )
        for at, number, mirror in chosen
    ]


def _greedy(
    skeleton: Skeleton,
    skin: Skin,
    found: _Candidates,
    known: float,
    pairs: np.ndarray,
    taken: list[np.ndarray],
) -> list[tuple[int, int]]:
    """Rows of ``pairs`` (K, 2), candidates and their mirror images (itself where there is none), best first.
    Adds their places to ``taken``."""
    out = []
    told = np.stack([found.told[:, pairs[:, side]] for side in (0, 1)]) if len(pairs) else None
    have = np.full((2, _POSES, 1), known)
    while len(pairs) and len(out) < MOST:
        gain = 0.5 * np.log1p(told / have).mean((0, 1))
        gain[~_free(skeleton, skin, found, pairs, taken)] = -1.0
        best = int(gain.argmax())
        if gain[best] < LEAST_GAIN:
            break
        have = have + told[:, :, best, None]
        out.append((int(pairs[best, 0]), int(pairs[best, 1])))
        taken += [skin.points[found.vertex[at]] for at in set(out[-1])]
    return out


def _free(
    skeleton: Skeleton, skin: Skin, found: _Candidates, pairs: np.ndarray, taken: list[np.ndarray]
) -> np.ndarray:
    """(K,) bool: far enough from everything taken, on both sides."""
    places = skin.points[found.vertex[pairs]]
    apart = np.linalg.norm(places[:, :, None] - np.array(taken), axis=-1).min(1)
    least = np.full(len(taken), APART * skeleton.height)
    least[: len(skeleton.joints)] *= 2 / 3
    return (apart > least).all(1)


def _pairs(skeleton: Skeleton, skin: Skin, found: _Candidates, bone: int, other: int) -> np.ndarray:
    """(K, 2) candidates of ``bone`` and their mirror images on its partner."""
    own = np.flatnonzero(found.bone == bone)
    if other < 0 or other == bone:
        return np.stack([own, own], 1)
    images = np.flatnonzero(found.bone == other)
    if not len(own) or not len(images):
        return np.zeros((0, 2), int)
    flipped = skin.points[found.vertex[own]] * np.array([-1.0, 1.0, 1.0])
    gap = np.linalg.norm(flipped[:, None] - skin.points[found.vertex[images]], axis=-1)
    close = gap.min(1) < MIRRORED * skeleton.height
    return np.stack([own, images[gap.argmin(1)]], 1)[close]


def _told_by_joints(skeleton: Skeleton) -> np.ndarray:
    """(B,) what the joints on each bone, read in one view, tell about its twist, per square radian."""
    bones = skeleton.joint_bones
    lever = _levers(skeleton, skeleton.joint_points, bones) / skeleton.height
    told = np.zeros(len(skeleton.bones))
    np.add.at(told, bones, (lever / _NOISE) ** 2)
    return told


def _levers(skeleton: Skeleton, points: np.ndarray, bones: np.ndarray) -> np.ndarray:
    """(C,) distance of rest points (C, 3) from the geometric axes of the bones (C,) they ride on, metres."""
    axes = np.einsum("cij,cj->ci", skeleton.rest[bones], skeleton.axes[bones])
    return np.linalg.norm(np.cross(axes, points - skeleton.heads[bones]), axis=1)


def _candidates(skeleton: Skeleton, layout: Layout, skin: Skin) -> _Candidates:
    vertices, bones = _eligible(skeleton, skin)
    drawn = [poses.random_pose(skeleton, poses.sample_rng(_SEED, index)) for index in range(_POSES)]
    posed = skeleton.pose(np.stack([p.root for p in drawn]), np.stack([p.quats for p in drawn]))
    offsets = skin.points[vertices] - skeleton.heads[bones]
    normals = sight.normals(skin)[vertices]
    told = np.zeros((_POSES, len(vertices)))
    sheet = sight.Sheet.of(skin, layout)
    for number in range(_POSES):
        turns = posed.turns[number, bones]
        arms = np.einsum("cij,cj->ci", turns, offsets)
        axes = np.einsum("cij,cjk,ck->ci", turns, skeleton.rest[bones], skeleton.axes[bones])
        moves = np.cross(axes, arms) / skeleton.height
        outward = np.einsum("cij,cj->ci", turns, normals)
        surface = sheet.posed(skeleton, skin, posed, number)
        for view in layout.views:
            points = posed.heads[number, bones] + arms
            seen = sight.visible(view, surface, points, outward, skeleton.height)
            across = moves - (moves @ view.R[2])[:, None] * view.R[2]
            told[number] += seen * (across**2).sum(1) / _NOISE**2
    return _Candidates(vertices, bones, told)


def _eligible(skeleton: Skeleton, skin: Skin) -> tuple[np.ndarray, np.ndarray]:
    """Vertices that ride rigidly on a bone, beside its axis, spread over each bone's skin; and their bones."""
    owner = skin.weights.argmax(1)
    follows = skin.weights[np.arange(len(owner)), owner]
    aside = _levers(skeleton, skin.points, owner) >= LEAST_LEVER * skeleton.height
    vertices = []
    for bone in range(len(skeleton.bones)):
        own = [np.flatnonzero(aside & (owner == bone) & (follows >= least)) for least in RIGID]
        vertices.append(_spread(own[0] if len(own[0]) >= 3 else own[1], skin.points))
    chosen = np.concatenate(vertices)
    return chosen, owner[chosen]


def _spread(vertices: np.ndarray, points: np.ndarray) -> np.ndarray:
    """At most _CANDIDATES of ``vertices``, each as far as can be from those before (Gonzalez 1985)."""
    if len(vertices) <= _CANDIDATES:
        return vertices
    places = points[vertices]
    picked = [int(np.linalg.norm(places - places.mean(0), axis=1).argmax())]
    apart = np.linalg.norm(places - places[picked[0]], axis=1)
    while len(picked) < _CANDIDATES:
        picked.append(int(apart.argmax()))
        apart = np.minimum(apart, np.linalg.norm(places - places[picked[-1]], axis=1))
    return vertices[picked]
