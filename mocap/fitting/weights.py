# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Skin weights in pure numpy: by geodesic distance through the solid, and the care that all weights need.

Distances run through the flesh, so a hand that hangs beside a thigh does not follow it, and nothing is
asked of the surface: it may be open, in parts, or crossing itself (Geodesic Voxel Binding, Dionne &
de Lasa 2013).
"""

from __future__ import annotations

import numpy as np

from . import paths, voxels

RESOLUTION = 80
FALLOFF = 0.7
"""Share of the squared distance in the falloff (the paper's alpha is near this for characters)."""
MOST = 4
"""Bones that a vertex follows."""


def geodesic(points: np.ndarray, triangles: np.ndarray, heads: np.ndarray, tails: np.ndarray) -> np.ndarray:
    """points (V, 3), triangles (F, 3), heads and tails (B, 3) of the bones -> weights (V, B)."""
    solid = voxels.solid(points, triangles, RESOLUTION)
    at = solid.number[tuple(np.round((points - solid.origin) / solid.size).astype(int).T)]
    loose = np.flatnonzero(at < 0)
    at[loose] = solid.nearest(points[loose])
    extent = float(np.ptp(points, axis=0).max())
    table = np.empty((len(points), len(heads)))
    for bone, (head, tail) in enumerate(zip(heads, tails)):
        count = max(2, int(2 * np.linalg.norm(tail - head) / solid.size))
        along = head + np.linspace(0, 1, count)[:, None] * (tail - head)
        away = paths.distances(solid, solid.nearest(along))[at]
        away = np.maximum(away, solid.size) / extent
        table[:, bone] = ((1 - FALLOFF) * away + FALLOFF * away**2) ** -2.0
    # The square makes the nearest bone lead clearly; far bones would otherwise all pull a little.
    return normalised(table**2)


def normalised(table: np.ndarray) -> np.ndarray:
    """Rows of the MOST largest weights, summing to one; rows without weight stay zero."""
    if table.shape[1] > MOST:
        least = np.sort(table, 1)[:, -MOST][:, None]
        table = np.where(table >= least, table, 0.0)
    total = table.sum(1, keepdims=True)
    return np.divide(table, total, out=np.zeros_like(table), where=total > 1e-12)


def smoothed(table: np.ndarray, points: np.ndarray, edges: np.ndarray, rounds: int) -> np.ndarray:
    """Half-way to the mean of the neighbours, ``rounds`` times; near neighbours count more (by one over the
    distance), as the shortest edges tear first. points (V, 3), edges (E, 2)."""
    length = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1)
    pull = 1.0 / np.maximum(length, 1e-3 * length.max())
    total = np.zeros(len(table))
    for side in (0, 1):
        np.add.at(total, edges[:, side], pull)
    tied = total > 0
    for _ in range(rounds):
        mean = np.zeros_like(table)
        np.add.at(mean, edges[:, 0], pull[:, None] * table[edges[:, 1]])
        np.add.at(mean, edges[:, 1], pull[:, None] * table[edges[:, 0]])
        table = table.copy()
        table[tied] = 0.5 * table[tied] + 0.5 * mean[tied] / total[tied, None]
    return normalised(table)


def filled(table: np.ndarray, points: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Rows without weight take the mean of their neighbours' (spreading inwards), then, on parts where no
    vertex has any, the nearest vertex's."""
    table = table.copy()
    while True:
        empty = table.sum(1) < 1e-9
        for a, b in (edges.T, edges[:, ::-1].T):
            gain = empty[a] & ~empty[b]
            np.add.at(table, a[gain], table[b[gain]])
        table = normalised(table)
        if (table.sum(1) < 1e-9).sum() == empty.sum():
            break
    known = np.flatnonzero(~empty)
    for vertex in np.flatnonzero(empty):
        table[vertex] = table[known[((points[known] - points[vertex]) ** 2).sum(1).argmin()]]
    return table


def ride(table: np.ndarray, points: np.ndarray, edges: np.ndarray, small: float) -> tuple[np.ndarray, int]:
    """Loose parts no larger than ``small`` (a length: eyes, teeth, claws) follow, as a whole, the skin of
    the larger part they sit on. Returns the weights and how many parts ride."""
    part = voxels.components(len(points), edges)
    names = np.unique(part)
    size = {name: float(np.ptp(points[part == name], axis=0).max()) for name in names}
    loose = [name for name in names if size[name] <= small]
    carriers = np.flatnonzero(~np.isin(part, loose))
    if not len(loose) or not len(carriers):
        return table, 0
    table = table.copy()
    for name in loose:
        own = np.flatnonzero(part == name)
        touching = _touching(points[own], points[carriers], size[name])
        table[own] = table[carriers[touching]].mean(0)
    return normalised(table), len(loose)


def _touching(own: np.ndarray, carriers: np.ndarray, size: float) -> np.ndarray:
    """Indices of the carriers (C, 3) nearest to those of a part's points (P, 3) that come nearest to any."""
    from_middle = np.linalg.norm(carriers - own.mean(0), axis=1)
    close = np.flatnonzero(from_middle <= from_middle.min() + size)
    some = own[:: max(1, len(own) // 100)]
    gap = np.sqrt(((some[:, None] - carriers[close]) ** 2).sum(2))
    near = gap.min(1) <= gap.min() + 0.2 * size
    return close[gap.argmin(1)[near]]
