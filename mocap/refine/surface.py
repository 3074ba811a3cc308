# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Pulls at points of the skin as a term of the solver's equations."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from ..raster.draw import KEPT
from ..skeleton import Posed, Skeleton
from ..skin import Skin
from ..solve.cameras import Cameras
from ..solve.twists import Wrenches

STRONGEST = 3
"""Bones that a point follows: with the strongest alone the slopes were measured to be 40% off."""


class Wanted(NamedTuple):
    """N points of the skin and where pictures want them, before any skeleton. All pixels are the layout's panels'."""

    frames: np.ndarray
    """(N,)"""
    views: np.ndarray
    """(N,)"""
    triangles: np.ndarray
    """(N,)"""
    places: np.ndarray
    """(N, 2) barycentric coordinates of the triangle's second and third corner."""
    targets: np.ndarray
    """(N, 2) pixels"""
    normals: np.ndarray
    """(N, 2) unit: only the distance along it counts; zero: the whole distance does."""
    weights: np.ndarray
    """(N,)"""
    scales: np.ndarray
    """(N,) pixels: standard deviation."""
    bends: np.ndarray
    """(N,) standard deviations from which Huber's loss grows linearly."""


class Surface(NamedTuple):
    """``Wanted`` bound to a rig: a term with a cost and wrenches. ``shares`` (N, 3) and ``arms`` (N, 3, 3): how much of
    each of the bones (N, 3) a point follows, and where it lies from that bone's head at rest."""

    wanted: Wanted
    bones: np.ndarray
    shares: np.ndarray
    arms: np.ndarray
    cameras: Cameras

    @classmethod
    def of(cls, wanted: Wanted, skeleton: Skeleton, skin: Skin, cameras: Cameras) -> Surface:
        corners = skin.triangles[wanted.triangles]
        share = np.concatenate([1 - wanted.places.sum(1, keepdims=True), wanted.places], 1)
        points = np.einsum("nk,nki->ni", share, skin.points[corners])
        bones, shares = _strongest(skin.bones, skin.weights, corners, share)
        return cls(wanted, bones, shares, points[:, None] - skeleton.heads[bones], cameras)

    def cost(self, posed: Posed) -> float:
        wanted = self.wanted
        if not len(wanted.frames):
            return 0.0
        points = _points(wanted.frames, self.bones, self.shares, self.arms, posed.turns, posed.heads)
        return _cost(points, *self._given())

    def wrenches(self, posed: Posed) -> Wrenches:
        """On twists about the root's head. The cameras are taken to be right."""
        wanted = self.wanted
        frames, bones = posed.heads.shape[:2]
        weight, pull = np.zeros((frames, bones, 6, 6)), np.zeros((frames, bones, 6))
        if len(wanted.frames):
            points = _points(wanted.frames, self.bones, self.shares, self.arms, posed.turns, posed.heads)
            _gather(
                points,
                *self._given(),
                self.bones,
                self.shares,
                self.arms,
                posed.turns,
                posed.heads,
                weight,
                pull,
            )
            weight += np.swapaxes(np.triu(weight, 1), -1, -2)
        return Wrenches(weight, pull[..., None])

    def _given(self) -> tuple[np.ndarray, ...]:
        wanted, cameras = self.wanted, self.cameras
        return (
            wanted.frames,
            wanted.views,
            wanted.targets,
            wanted.normals,
            wanted.weights,
            wanted.scales,
            wanted.bends,
            cameras.rotations,
            cameras.places,
            cameras.focals,
            cameras.centres,
        )


@numba.njit(cache=KEPT, nogil=True)
def _strongest(vertex_bones, vertex_weights, corners, share):
    """(N, 3) bones and their shares, which sum to one, of points between three vertices: corners (N, 3) and their
    share (N, 3). Where fewer bones hold a point, the rest have no share."""
    count, slots = len(corners), vertex_bones.shape[1]
    bones = np.zeros((count, STRONGEST), np.int32)
    shares = np.zeros((count, STRONGEST))
    found, held = np.empty(3 * slots, np.int32), np.empty(3 * slots)
    for n in range(count):
        known = 0
        for corner in range(3):
            vertex = corners[n, corner]
            for slot in range(slots):
                bone = vertex_bones[vertex, slot]
                at = 0
                while at < known and found[at] != bone:
                    at += 1
                if at == known:
                    found[at], held[at] = bone, 0.0
                    known += 1
                held[at] += share[n, corner] * vertex_weights[vertex, slot]
        total = 0.0
        for k in range(min(STRONGEST, known)):
            best = 0
            for at in range(1, known):
                if held[at] > held[best]:
                    best = at
            bones[n, k], shares[n, k] = found[best], held[best]
            total += held[best]
            held[best] = -1.0
        shares[n] /= total
    return bones, shares


@numba.njit(cache=KEPT, nogil=True)
def _points(frames, bones, shares, arms, turns, heads):
    """(N, 3) where the points are, world metres."""
    out = np.zeros((len(frames), 3))
    for n in range(len(frames)):
        t = frames[n]
        for k in range(bones.shape[1]):
            b = bones[n, k]
            for i in range(3):
                out[n, i] += shares[n, k] * (
                    heads[t, b, i]
                    + turns[t, b, i, 0] * arms[n, k, 0]
                    + turns[t, b, i, 1] * arms[n, k, 1]
                    + turns[t, b, i, 2] * arms[n, k, 2]
                )
    return out


@numba.njit(cache=KEPT, nogil=True, inline="always")
def _seen(point, place, rotation, focal, centre, seen):
    """Camera coordinates into ``seen`` (3,); returns the pixel."""
    for i in range(3):
        seen[i] = (
            rotation[i, 0] * (point[0] - place[0])
            + rotation[i, 1] * (point[1] - place[1])
            + rotation[i, 2] * (point[2] - place[2])
        )
    return centre[0] + focal * seen[0] / seen[2], centre[1] + focal * seen[1] / seen[2]


@numba.njit(cache=KEPT, nogil=True)
def _cost(
    points, frames, views, targets, normals, weights, scales, bends, rotations, places, focals, centres
):
    total = 0.0
    seen = np.empty(3)
    for n in range(len(frames)):
        t, v = frames[n], views[n]
        x, y = _seen(points[n], places[t, v], rotations[t, v], focals[t, v], centres[t, v], seen)
        dx, dy = (x - targets[n, 0]) / scales[n], (y - targets[n, 1]) / scales[n]
        along = dx * normals[n, 0] + dy * normals[n, 1]
        is_line = normals[n, 0] != 0.0 or normals[n, 1] != 0.0
        squared = along * along if is_line else dx * dx + dy * dy
        bend = bends[n]
        far = squared > bend * bend
        total += weights[n] * (2.0 * bend * np.sqrt(squared) - bend * bend if far else squared)
    return total


@numba.njit(cache=KEPT, nogil=True)
def _gather(
    points,
    frames,
    views,
    targets,
    normals,
    weights,
    scales,
    bends,
    rotations,
    places,
    focals,
    centres,
    bones,
    shares,
    arms,
    turns,
    heads,
    weight,
    pull,
):
    """Add every point's Gauss-Newton terms to its bones: the upper triangle of weight (T, B, 6, 6), pull (T, B, 6)."""
    seen, slope, rows, lever = np.empty(3), np.empty((2, 3)), np.empty((2, 6)), np.empty(3)
    residual = np.empty(2)
    for n in range(len(frames)):
        t, v = frames[n], views[n]
        x, y = _seen(points[n], places[t, v], rotations[t, v], focals[t, v], centres[t, v], seen)
        residual[0], residual[1] = (x - targets[n, 0]) / scales[n], (y - targets[n, 1]) / scales[n]
        reach = focals[t, v] / seen[2] / scales[n]
        for i in range(3):
            for a in range(2):
                slope[a, i] = reach * (rotations[t, v, a, i] - seen[a] / seen[2] * rotations[t, v, 2, i])
        lines = 2
        if normals[n, 0] != 0.0 or normals[n, 1] != 0.0:
            lines = 1
            residual[0] = normals[n, 0] * residual[0] + normals[n, 1] * residual[1]
            for i in range(3):
                slope[0, i] = normals[n, 0] * slope[0, i] + normals[n, 1] * slope[1, i]
        size = residual[0] * residual[0]
        if lines == 2:
            size += residual[1] * residual[1]
        size = np.sqrt(size)
        robust = weights[n] if size <= bends[n] else weights[n] * bends[n] / size
        for k in range(bones.shape[1]):
            share = shares[n, k]
            if share < 0.02:
                continue
            b = bones[n, k]
            for i in range(3):
                lever[i] = (
                    heads[t, b, i]
                    - heads[t, 0, i]
                    + turns[t, b, i, 0] * arms[n, k, 0]
                    + turns[t, b, i, 1] * arms[n, k, 1]
                    + turns[t, b, i, 2] * arms[n, k, 2]
                )
            for a in range(lines):
                g0, g1, g2 = slope[a, 0], slope[a, 1], slope[a, 2]
                rows[a, 0], rows[a, 1], rows[a, 2] = g0, g1, g2
                # A turn w moves the point by w x lever.
                rows[a, 3] = lever[1] * g2 - lever[2] * g1
                rows[a, 4] = lever[2] * g0 - lever[0] * g2
                rows[a, 5] = lever[0] * g1 - lever[1] * g0
                for i in range(6):
                    part = robust * share * rows[a, i]
                    pull[t, b, i] += part * residual[a]
                    for j in range(i, 6):
                        weight[t, b, i, j] += part * rows[a, j]
