# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Shortest paths through a solid."""

from __future__ import annotations

import numpy as np

from .voxels import Solid


def distances(solid: Solid, sources: np.ndarray, toll: np.ndarray | None = None) -> np.ndarray:
    """(N,) length of the shortest path from the nearest source voxel to each voxel.

    toll (N,): what a unit of length costs in each voxel (None: 1, plain geodesic distance). All voxels
    whose distance fell spread it on together, nearest first (delta-stepping, Meyer & Sanders 2003).
    """
    found = np.full(len(solid.points), np.inf)
    found[sources] = 0.0
    frontier = np.unique(sources)
    step = 2 * solid.size * (1.0 if toll is None else float(np.median(toll)))
    while len(frontier):
        ready = found[frontier] <= found[frontier].min() + step
        active, waiting = frontier[ready], frontier[~ready]
        around = solid.neighbours[active]
        cost = solid.steps
        if toll is not None:
            cost = cost * 0.5 * (toll[active][:, None] + toll[around])
        reach = found[active][:, None] + cost
        better = (around >= 0) & (reach < found[around] - 1e-12)
        np.minimum.at(found, around[better], reach[better])
        frontier = np.unique(np.concatenate([waiting, around[better]]))
    return found


def centring_toll(solid: Solid, deep: float = 1.0) -> np.ndarray:
    """(N,) a toll that is dear near the surface, so that cheapest paths run along the medial axis. Beyond
    ``deep`` (a share of the greatest depth) nothing gets cheaper."""
    enough = deep * solid.depth.max()
    return (enough / np.minimum(solid.depth, enough)) ** 2


def descend(solid: Solid, found: np.ndarray, start: int, toll: np.ndarray | None = None) -> np.ndarray:
    """Voxels of the shortest path from ``start`` back to the source of ``distances``, start first."""
    path = [int(start)]
    while found[path[-1]] > 0:
        here = path[-1]
        around = solid.neighbours[here]
        cost = solid.steps if toll is None else solid.steps * 0.5 * (toll[here] + toll[around])
        total = np.where(around >= 0, found[around] + cost, np.inf)
        # The way that explains this voxel's distance; among rounding ties the nearest to the source.
        total = np.where(found[around] < found[here], total, np.inf)
        path.append(int(around[total.argmin()]))
    return np.array(path)
