# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The ends of a body: where geodesic distance from its core has a peak that stands out.

The sets of voxels farther than d from the core fall apart into more and more pieces as d grows; every
piece that lasts is a limb (the level-set tree of Verroust & Lazarus 1999; how long a piece lasts before
it joins a longer one is its persistence, Edelsbrunner et al. 2002).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import paths
from .voxels import Solid, components


class End(NamedTuple):
    """One extremity."""

    tip: np.ndarray
    """(3,) its farthest point."""
    voxel: int
    reach: float
    """Geodesic distance from the core."""
    length: float
    """How far it stands out from what it joins (persistence); equals reach for the farthest one."""
    base: np.ndarray
    """(3,) middle of the place where it joins a longer limb or the body."""
    parent: int
    """The voxel that is the tip of the longer limb it joins, -1 for the farthest end."""


def core(solid: Solid) -> int:
    """The voxel deepest inside."""
    return int(solid.depth.argmax())


def find(solid: Solid, least: float, source: int | None = None) -> list[End]:
    """Extremities that stand out by at least ``least`` (a length), the longest first."""
    away = paths.distances(solid, np.array([core(solid) if source is None else source]))
    band = (away / (1.5 * solid.size)).astype(int)
    first, second = solid.edges.T
    same = band[first] == band[second]
    label = components(len(away), solid.edges[same])
    nodes, node_of = np.unique(label, return_inverse=True)
    links = np.unique(node_of[solid.edges[~same]], axis=0)
    return _ends(solid, away, node_of, len(nodes), links, least)


def _ends(
    solid: Solid, away: np.ndarray, node_of: np.ndarray, count: int, links: np.ndarray, least: float
) -> list[End]:
    """Join pieces from the outside in; a piece that joins a farther one ends there."""
    order = np.argsort(away)
    peak = np.empty(count, int)
    peak[node_of[order]] = order
    low = np.full(count, np.inf)
    np.minimum.at(low, node_of, away)
    sums = np.stack([np.bincount(node_of, solid.points[:, axis], count) for axis in range(3)], 1)
    middle = sums / np.bincount(node_of, minlength=count)[:, None]
    near: list[list[int]] = [[] for _ in range(count)]
    for a, b in links:
        near[a].append(b)
        near[b].append(a)
    root = np.full(count, -1)
    top = peak.copy()
    ends = []
    for node in np.argsort(-low):
        root[node] = node
        for other in near[node]:
            if root[other] < 0:
                continue
            a, b = _root(root, node), _root(root, other)
            if a == b:
                continue
            keep, lose = (a, b) if away[top[a]] >= away[top[b]] else (b, a)
            length = away[top[lose]] - low[node]
            if length >= least:
                tip, joined = int(top[lose]), int(top[keep])
                ends.append(
                    End(solid.points[tip], tip, float(away[tip]), float(length), middle[node], joined)
                )
            root[lose] = keep
    tip = int(away.argmax())
    ends.append(
        End(solid.points[tip], tip, float(away[tip]), float(away[tip]), solid.points[away.argmin()], -1)
    )
    return sorted(ends, key=lambda end: -end.length)


def _root(root: np.ndarray, node: int) -> int:
    while root[node] != node:
        root[node] = root[root[node]]
        node = root[node]
    return node
