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
from ...mocap.skeleton import Joint, Posed, Skeleton
from . import symmetry

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


class Skin(NamedTuple):
    """The clean mesh at rest: points (V, 3) world metres, weights (V, B) rows sum to one, triangles (F, 3)."""

    points: np.ndarray
    weights: np.ndarray
    triangles: np.ndarray


class _Candidates(NamedTuple):
    """C vertices that might become markers: vertex (C,), bone (C,), and told (N, C), what a reading of each
    in pose n tells about its bone's twist, per square radian."""

    vertex: np.ndarray
    bone: np.ndarray
    told: np.ndarray


def added(skeleton: Skeleton, layout: Layout, skin: Skin) -> Skeleton:
    """The skeleton with its markers behind its joints."""
    return replace(skeleton, joints=(*skeleton.joints, *choose(skeleton, layout, skin)))


def choose(skeleton: Skeleton, layout: Layout, skin: Skin) -> list[Joint]:
    """Markers as joints, to be appended to the skeleton's own; ``mirror`` counts from the first of those."""
    found = _candidates(skeleton, layout, skin)
    known = 1 / _PRIOR**2 + _told_by_joints(skeleton)
    partner = symmetry.mirror_bones(
        skeleton.parents.tolist(),
        skeleton.heads / skeleton.height,
        np.array([bone.tail for bone in skeleton.bones]) / skeleton.height,
    )
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
            tuple(round(float(v), 6) + 0.0 for v in skin.points[found.vertex[at]]),
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
    normals = _normals(skin)[vertices]
    told = np.zeros((_POSES, len(vertices)))
    sheet = _Sheet.of(skin, layout)
    for number in range(_POSES):
        turns = posed.turns[number, bones]
        arms = np.einsum("cij,cj->ci", turns, offsets)
        axes = np.einsum("cij,cjk,ck->ci", turns, skeleton.rest[bones], skeleton.axes[bones])
        moves = np.cross(axes, arms) / skeleton.height
        outward = np.einsum("cij,cj->ci", turns, normals)
        surface = sheet.posed(skeleton, skin, posed, number)
        for view in layout.views:
            points = posed.heads[number, bones] + arms
            seen = _visible(view, surface, points, outward, skeleton.height)
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


def _normals(skin: Skin) -> np.ndarray:
    """(V, 3) unit normals at rest, triangles weighted by area."""
    a, b, c = (skin.points[skin.triangles[:, corner]] for corner in range(3))
    face = np.cross(b - a, c - a)
    out = np.zeros_like(skin.points)
    for corner in range(3):
        np.add.at(out, skin.triangles[:, corner], face)
    return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-12)


class _Sheet(NamedTuple):
    """Points strewn over the surface, so densely that a depth picture of them has no holes: corners (S, 3)
    vertices and shares (S, 3) of each."""

    corners: np.ndarray
    shares: np.ndarray

    @classmethod
    def of(cls, skin: Skin, layout: Layout) -> _Sheet:
        view = layout.views[0]
        distance = float(np.linalg.norm(np.array(view.position) - skin.points.mean(0)))
        cell = distance / view.focal * view.size[0] / _CELLS
        a, b, c = (skin.points[skin.triangles[:, corner]] for corner in range(3))
        area = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
        count = np.ceil(2 * area / cell**2).astype(int) + 1
        which = np.repeat(np.arange(len(count)), count)
        # A low-discrepancy sequence fills triangles evenly; the square folds onto the triangle.
        square = (np.arange(len(which))[:, None] * np.array([0.7548776662, 0.5698402910])) % 1.0
        square = np.where(square.sum(1, keepdims=True) > 1, 1 - square, square)
        shares = np.concatenate([square, 1 - square.sum(1, keepdims=True)], 1)
        return cls(skin.triangles[which], shares)

    def posed(self, skeleton: Skeleton, skin: Skin, posed: Posed, number: int) -> np.ndarray:
        """(S, 3) the strewn points in pose ``number``, by linear blend skinning."""
        turns = posed.turns[number]
        moves = posed.heads[number] - np.einsum("bij,bj->bi", turns, skeleton.heads)
        blended = skin.weights @ np.concatenate([turns.reshape(len(turns), 9), moves], 1)
        points = np.einsum("vij,vj->vi", blended[:, :9].reshape(-1, 3, 3), skin.points) + blended[:, 9:]
        return np.einsum("sk,ski->si", self.shares, points[self.corners])


_CELLS = 128
"""Side of the depth picture."""
_DEPTH_SLACK = 0.025
"""A point this much behind the nearest surface of its cell, in heights, still is that surface."""
_GRAZING = 0.15
"""Cosine between normal and view below which a point is as good as hidden."""


def _visible(view, surface: np.ndarray, points: np.ndarray, outward: np.ndarray, height: float) -> np.ndarray:
    """(C,) bool: points (C, 3) with normals (C, 3) that the view sees before all of surface (S, 3)."""
    pixels, depth = view.project(surface)
    scale = np.array(view.size) / _CELLS
    nearest = np.full((_CELLS, _CELLS), np.inf)
    cells = np.floor(pixels / scale).astype(int)
    inside = ((cells >= 0) & (cells < _CELLS)).all(1)
    np.minimum.at(nearest, tuple(cells[inside].T), depth[inside])
    pixels, depth = view.project(points)
    cells = np.floor(pixels / scale).astype(int)
    shown = ((cells >= 0) & (cells < _CELLS)).all(1)
    front = nearest[tuple(np.clip(cells, 0, _CELLS - 1).T)]
    towards = np.array(view.position) - points
    facing = (outward * towards).sum(1) > _GRAZING * np.linalg.norm(towards, axis=1)
    return shown & facing & (depth < front + _DEPTH_SLACK * height)
