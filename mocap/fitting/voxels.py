# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A solid on a voxel grid from any soup of triangles: open, in several parts, self-intersecting.

A voxel belongs to the solid where the surface passes through it, where the outside cannot reach it, or
where rays along at least two of three axes cross more surface inwards than outwards (the non-zero
winding rule, so that overlapping parts do not cancel each other).
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..errors import BadInput

RESOLUTION = 160
"""Voxels along the longest extent: the thin legs of insects still get two or three."""
MOST = 200_000
"""Voxels of a solid: bulky bodies get a coarser grid, they have no thin legs to lose."""
COARSE = 48
DIRECTIONS = np.array(
    [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) != (0, 0, 0)]
)
SPECK = 0.002
"""Parts smaller than this share of the solid are left out rather than bridged."""


class Block(NamedTuple):
    """A plain grid: filled (nx, ny, nz) bool, the centre of voxel (0, 0, 0), and the edge of a voxel."""

    filled: np.ndarray
    origin: np.ndarray
    size: float


class Solid:
    """N filled voxels: ``points`` (N, 3) centres, ``depth`` (N,) distance to the outside, ``size`` edge."""

    def __init__(self, filled: np.ndarray, origin: np.ndarray, size: float):
        """filled (nx, ny, nz) bool with an empty border; origin: centre of voxel (0, 0, 0)."""
        self.filled, self.origin, self.size = filled, origin, size
        self.cells = np.argwhere(filled)
        self.points = origin + self.cells * size
        self.number = np.full(filled.shape, -1, np.int32)
        self.number[tuple(self.cells.T)] = np.arange(len(self.cells))
        self.depth = _depth(filled)[tuple(self.cells.T)] * size

    @cached_property
    def neighbours(self) -> np.ndarray:
        """(N, 26) numbers of the voxels around each, in the order of DIRECTIONS; -1 where empty."""
        around = self.cells[:, None, :] + DIRECTIONS
        return self.number[around[..., 0], around[..., 1], around[..., 2]]

    @cached_property
    def steps(self) -> np.ndarray:
        """(26,) distance to the neighbours."""
        return np.linalg.norm(DIRECTIONS, axis=1) * self.size

    @cached_property
    def edges(self) -> np.ndarray:
        """(E, 2) each pair of neighbours once."""
        half = self.neighbours[:, 13:]
        first, second = np.nonzero(half >= 0)
        return np.stack([first, half[first, second]], 1)

    def nearest(self, points: np.ndarray) -> np.ndarray:
        """(K,) number of the voxel nearest to each of the points (K, 3)."""
        points = np.asarray(points, float).reshape(-1, 3)
        return np.array([int(((self.points - p) ** 2).sum(1).argmin()) for p in points])

    def contains(self, points: np.ndarray) -> np.ndarray:
        """(K,) bool: inside the solid."""
        cells = np.round((np.asarray(points, float).reshape(-1, 3) - self.origin) / self.size).astype(int)
        inside = ((cells >= 0) & (cells < self.filled.shape)).all(1)
        cells = np.clip(cells, 0, np.array(self.filled.shape) - 1)
        return inside & self.filled[tuple(cells.T)]


class _Grid(NamedTuple):
    origin: np.ndarray
    size: float
    shape: tuple[int, int, int]


def solid(points: np.ndarray, triangles: np.ndarray, resolution: int | None = None) -> Solid:
    """points (V, 3), triangles (F, 3). One connected solid; parts that touch nothing are bridged to the
    nearest by the shortest straight line. resolution: voxels along the longest extent; None: RESOLUTION,
    or what MOST allows. Raises BadInput where there is nothing to fill."""
    if not len(triangles):
        raise BadInput("the mesh has no faces: there is no body to put bones into")
    corners = points[triangles]
    low, extent = corners.min((0, 1)), np.ptp(corners.reshape(-1, 3), axis=0)
    if not extent.max() > 0:
        raise BadInput("the mesh has no size: all its points coincide")
    if resolution is None:
        coarse = int(_filled(_grid(low, extent, COARSE), corners).sum())
        resolution = int(min(RESOLUTION, COARSE * (MOST / coarse) ** (1 / 3)))
    grid = _grid(low, extent, resolution)
    return Solid(_bridged(_filled(grid, corners)), grid.origin, grid.size)


def _grid(low: np.ndarray, extent: np.ndarray, resolution: int) -> _Grid:
    size = float(extent.max()) / resolution
    return _Grid(low - 2 * size, size, tuple(np.ceil(extent / size).astype(int) + 5))


def _filled(grid: _Grid, corners: np.ndarray) -> np.ndarray:
    shell = _shell(grid, corners)
    return shell | ~_outside(shell) | _wound(grid, corners)


def _shell(grid: _Grid, corners: np.ndarray) -> np.ndarray:
    """Voxels that the surface passes through, by points spread over every triangle."""
    shell = np.zeros(grid.shape, bool)
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(1)
    parts = np.maximum(1, np.ceil(longest / (0.5 * grid.size))).astype(int)
    for count in np.unique(parts):
        a, b = np.meshgrid(np.arange(count + 1), np.arange(count + 1), indexing="ij")
        a, b = a[a + b <= count] / count, b[a + b <= count] / count
        share = np.stack([1 - a - b, a, b], 1)
        group = corners[parts == count]
        for piece in np.array_split(group, max(1, len(group) * len(share) // 500_000)):
            spread = np.einsum("sk,fkd->fsd", share, piece).reshape(-1, 3)
            shell[tuple(np.round((spread - grid.origin) / grid.size).astype(int).T)] = True
    return shell


def _outside(shell: np.ndarray) -> np.ndarray:
    """Voxels that the border reaches without crossing the shell: sweeps until nothing changes."""
    free = ~shell
    reached = np.zeros_like(shell)
    for axis in range(3):
        np.moveaxis(reached, axis, 0)[[0, -1]] = True
    reached &= free
    while True:
        before = int(reached.sum())
        for axis in range(3):
            for order in (slice(None), slice(None, None, -1)):
                line, open_line = (np.moveaxis(a, axis, 0)[order] for a in (reached, free))
                for at in range(1, len(line)):
                    line[at] |= line[at - 1] & open_line[at]
        if int(reached.sum()) == before:
            return reached


def _wound(grid: _Grid, corners: np.ndarray) -> np.ndarray:
    """Voxels whose centre lies inside by the winding along at least two of the three axes."""
    votes = np.zeros(grid.shape, np.int8)
    for axis in range(3):
        crossings = _crossings(grid, corners, axis)
        line = np.moveaxis(crossings, axis, 0)
        before = np.cumsum(line, 0)
        after = before - before[-1:]
        # Read from either end the winding must not be zero: an open surface disagrees with itself.
        votes += np.moveaxis(((before != 0) & (after != 0)).astype(np.int8), 0, axis)
    return votes >= 2


def _crossings(grid: _Grid, corners: np.ndarray, axis: int) -> np.ndarray:
    """(nx, ny, nz) signed crossings, in each voxel, of rays through the voxel centres along an axis."""
    u, v = (axis + 1) % 3, (axis + 2) % 3
    flat = (corners - grid.origin) / grid.size
    # Rays a hair off the centres, so that they do not run along edges of axis-aligned meshes.
    flat = flat + np.array([1.3e-4, 2.1e-4, 3.7e-4])
    count = np.zeros(grid.shape, np.int32)
    low = np.ceil(flat[..., [u, v]].min(1)).astype(int)
    high = np.floor(flat[..., [u, v]].max(1)).astype(int)
    sizes = np.maximum(high - low + 1, 0)
    rays = sizes[:, 0] * sizes[:, 1]
    face = np.repeat(np.arange(len(corners)), rays)
    place = np.arange(len(face)) - np.repeat(np.cumsum(rays) - rays, rays)
    width = np.maximum(sizes[face, 1], 1)
    at = np.stack([low[face, 0] + place // width, low[face, 1] + place % width], 1)
    a, b, c = (flat[face, k] for k in range(3))
    area = _cross2(b[:, [u, v]] - a[:, [u, v]], c[:, [u, v]] - a[:, [u, v]])
    whole = np.where(np.abs(area) > 1e-12, area, np.inf)
    wb = _cross2(at - a[:, [u, v]], c[:, [u, v]] - a[:, [u, v]]) / whole
    wc = _cross2(b[:, [u, v]] - a[:, [u, v]], at - a[:, [u, v]]) / whole
    hit = np.isfinite(whole) & (wb >= 0) & (wc >= 0) & (wb + wc <= 1)
    along = a[:, axis] + wb * (b[:, axis] - a[:, axis]) + wc * (c[:, axis] - a[:, axis])
    cells = np.empty((int(hit.sum()), 3), int)
    cells[:, axis] = np.ceil(along[hit]).astype(int)
    cells[:, [u, v]] = at[hit]
    np.add.at(count, tuple(cells.T), np.sign(area[hit]).astype(np.int32))
    return count


def _cross2(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


def _depth(filled: np.ndarray) -> np.ndarray:
    """Exact distance (in voxels) from each filled voxel to the nearest empty one: squared distances by
    the minimum over shifted parabolas, axis by axis (Saito & Toriwaki 1994)."""
    far = float(sum(n * n for n in filled.shape))
    square = np.where(filled, far, 0.0)
    for axis in range(3):
        line = np.moveaxis(square, axis, 0)
        best, shift = line.copy(), 1
        while shift < len(line) and shift * shift < best.max():
            np.minimum(best[shift:], line[:-shift] + shift * shift, out=best[shift:])
            np.minimum(best[:-shift], line[shift:] + shift * shift, out=best[:-shift])
            shift += 1
        square = np.moveaxis(best, 0, axis)
    return np.sqrt(square)


def _bridged(filled: np.ndarray) -> np.ndarray:
    """The largest part, and lines of voxels to every other part that is more than a speck."""
    cells = np.argwhere(filled)
    number = np.full(filled.shape, -1, np.int32)
    number[tuple(cells.T)] = np.arange(len(cells))
    pairs = []
    for step in DIRECTIONS[13:]:
        other = number[tuple((cells + step).T)]
        pairs.append(np.stack([np.flatnonzero(other >= 0), other[other >= 0]], 1))
    label = components(len(cells), np.concatenate(pairs))
    names, counts = np.unique(label, return_counts=True)
    order = names[np.argsort(-counts)]
    joined = cells[label == order[0]]
    out = np.zeros_like(filled)
    out[tuple(joined.T)] = True
    for name in order[1:]:
        part = cells[label == name]
        if len(part) < SPECK * len(cells):
            break
        line = _shortest_line(part, joined)
        joined = np.concatenate([joined, part, line])
        out[tuple(part.T)] = True
        out[tuple(line.T)] = True
    return out


def _shortest_line(part: np.ndarray, joined: np.ndarray) -> np.ndarray:
    """Voxels between the two nearest cells of two sets (thinned: a bridge need not be the very best)."""
    a = part[:: max(1, len(part) // 400)]
    b = joined[:: max(1, len(joined) // 8000)]
    start = a[((a[:, None] - b) ** 2).sum(2).min(1).argmin()]
    end = joined[((joined - start) ** 2).sum(1).argmin()]
    start = part[((part - end) ** 2).sum(1).argmin()]
    count = int(np.abs(end - start).max()) + 1
    return np.unique(np.round(np.linspace(start, end, count + 1)).astype(int), axis=0)


def components(count: int, pairs: np.ndarray) -> np.ndarray:
    """(count,) label of the connected component of each node; pairs (E, 2). Labels are node numbers:
    the smallest of the component (hooking and pointer jumping)."""
    label = np.arange(count)
    while True:
        low = np.minimum(label[pairs[:, 0]], label[pairs[:, 1]])
        before = label.copy()
        for side in (0, 1):
            np.minimum.at(label, label[pairs[:, side]], low)
            np.minimum.at(label, pairs[:, side], low)
        while not np.array_equal(label, label[label]):
            label = label[label]
        if np.array_equal(label, before):
            return label
