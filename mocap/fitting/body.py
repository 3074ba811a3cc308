# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The mesh as a body: its solid, its symmetry plane, and its extremities as pairs and middle parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from . import extremities, symmetry, voxels

LEAST = 0.05
"""An extremity stands out by at least this share of the body's scale."""
SYMMETRIC = 0.8
"""A body whose mirror image covers this share of it is taken for symmetric: both sides get one answer."""


@dataclass(frozen=True, eq=False)
class Part:
    """An extremity; toes and fingers are one with their foot or hand."""

    tip: np.ndarray
    voxel: int
    length: float
    """How far it stands out."""
    base: np.ndarray

    @property
    def rise(self) -> float:
        """-1 straight down to +1 straight up."""
        offset = self.tip - self.base
        return float(offset[2] / max(np.linalg.norm(offset), 1e-12))


@dataclass(frozen=True, eq=False)
class Pair:
    left: Part
    right: Part

    @property
    def length(self) -> float:
        # The longer one may be the end of the whole tree, whose length counts from the core.
        return min(self.left.length, self.right.length)

    @property
    def tip(self) -> np.ndarray:
        """(3,) mean of both tips."""
        return (self.left.tip + self.right.tip) / 2

    @property
    def rise(self) -> float:
        return (self.left.rise + self.right.rise) / 2


class Body(NamedTuple):
    solid: voxels.Solid
    plane: float
    """x of the symmetry plane."""
    symmetric: bool
    low: np.ndarray
    high: np.ndarray
    scale: float
    """Geometric mean of height and longest extent: a length for thresholds, also for flat bodies."""
    pairs: list[Pair]
    """The longest first."""
    middle: list[Part]
    """On the symmetry plane, the longest first."""
    strays: list[Part]
    """On one side, without a partner."""

    @property
    def height(self) -> float:
        return float(self.high[2] - self.low[2])

    def share_of_height(self, z: float) -> float:
        return (z - float(self.low[2])) / self.height


def read(points: np.ndarray, triangles: np.ndarray) -> Body:
    """points (V, 3), triangles (F, 3); Z up, facing -Y."""
    solid = voxels.solid(points, triangles)
    low, high = solid.points.min(0), solid.points.max(0)
    extent = np.maximum(high - low, solid.size)
    scale = float(np.sqrt(extent[2] * extent.max()))
    plane, share = symmetry.plane(solid)
    ends = extremities.find(solid, LEAST * scale)
    pairs, middle, strays = _paired(solid, _parts(solid, ends, plane, scale), plane, scale)
    return Body(solid, plane, share >= SYMMETRIC, low, high, scale, pairs, middle, strays)


def _parts(solid: voxels.Solid, ends: list[extremities.End], plane: float, scale: float) -> list[Part]:
    """Merge toes: short ends that leave their limb late, are about as long as what is left of it, and lie
    on the same side. The part's tip is the middle of its toes' tips."""
    side = {end.voxel: _side(end.tip[0] - plane, 0.05 * scale) for end in ends}
    at = {end.voxel: end for end in ends}
    owner = {}
    for end in ends:
        parent = at.get(end.parent)
        owner[end.voxel] = end.voxel
        if parent is None or side[parent.voxel] != side[end.voxel] or not side[end.voxel]:
            continue
        rest = parent.reach - (end.reach - end.length)
        if end.length >= 0.45 * rest and rest <= min(0.45 * parent.length, 0.25 * scale):
            owner[end.voxel] = owner.get(parent.voxel, parent.voxel)
    parts = []
    for end in ends:
        toes = [e for e in ends if owner[e.voxel] == end.voxel]
        if owner[end.voxel] != end.voxel:
            continue
        tip = np.mean([e.tip for e in toes], 0)
        voxel = end.voxel
        if len(toes) > 1:
            voxel = int(solid.nearest(tip)[0])
            tip = solid.points[voxel]
        parts.append(Part(tip, voxel, end.length, end.base))
    return parts


def _side(x: float, near: float) -> int:
    return 0 if abs(x) <= near else int(np.sign(x))


def _paired(
    solid: voxels.Solid, parts: list[Part], plane: float, scale: float
) -> tuple[list[Pair], list[Part], list[Part]]:
    """Match each part left of the plane with one right of it: first where tips mirror each other, then, of
    what is left (legs in mid-stride), where they leave the body alike."""
    near = 0.03 * scale
    left = [p for p in parts if p.tip[0] - plane > near]
    right = [p for p in parts if p.tip[0] - plane < -near]
    pairs = _matched(left, right, lambda a, b: _tip_miss(a, b, plane, scale))
    taken = {id(part) for pair in pairs for part in (pair.left, pair.right)}
    left, right = ([p for p in side if id(p) not in taken] for side in (left, right))
    pairs += _matched(left, right, lambda a, b: _stride_miss(a, b, plane, scale))
    taken = {id(part) for pair in pairs for part in (pair.left, pair.right)}
    loose = [_centred(solid, p, plane) for p in parts if id(p) not in taken]
    middle = [p for p in loose if abs(p.tip[0] - plane) <= 0.07 * scale]
    strays = [p for p in loose if abs(p.tip[0] - plane) > 0.07 * scale]
    return sorted(pairs, key=lambda pair: -pair.length), middle, strays


def _matched(left: list[Part], right: list[Part], miss: Callable[[Part, Part], float | None]) -> list[Pair]:
    """Best matches first; None is no match."""
    costs = sorted(
        (cost, i, j)
        for i, a in enumerate(left)
        for j, b in enumerate(right)
        if (cost := miss(a, b)) is not None
    )
    taken: tuple[set[int], set[int]] = (set(), set())
    pairs = []
    for _, i, j in costs:
        if i not in taken[0] and j not in taken[1]:
            taken[0].add(i)
            taken[1].add(j)
            pairs.append(Pair(left[i], right[j]))
    return pairs


def _mirror_distance(a: np.ndarray, b: np.ndarray, plane: float) -> float:
    return float(np.linalg.norm(a - b * [-1, 1, 1] - [2 * plane, 0, 0]))


def _tip_miss(a: Part, b: Part, plane: float, scale: float) -> float | None:
    miss = _mirror_distance(a.tip, b.tip, plane)
    return miss if miss < max(0.1 * scale, 0.35 * min(a.length, b.length)) else None


def _stride_miss(a: Part, b: Part, plane: float, scale: float) -> float | None:
    """Legs of one pair leave the body at one place, point down or up alike, and are no farther apart than
    a stride."""
    swing = _mirror_distance(a.tip, b.tip, plane)
    if a.rise * b.rise < 0 or swing > 1.5 * min(a.length, b.length):
        return None
    if min(a.length, b.length) < 0.15 * scale:
        return None
    return _mirror_distance(a.base, b.base, plane) + 0.25 * swing


def _centred(solid: voxels.Solid, part: Part, plane: float) -> Part:
    """The farthest point of a blunt end (a broad muzzle) is one of its corners: take its middle where the
    body reaches as far there."""
    image = np.array([plane, part.tip[1], part.tip[2]])
    voxel = int(solid.nearest(image)[0])
    if np.linalg.norm(solid.points[voxel] - image) > 2.5 * solid.size:
        return part
    return replace(part, tip=solid.points[voxel], voxel=voxel)
