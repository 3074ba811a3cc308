# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which points of a posed surface a view sees, by a coarse depth picture of it. Pure numpy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...mocap.layout import Layout, View
from ...mocap.skeleton import Posed, Skeleton

_CELLS = 128
"""Side of the depth picture."""
_DEPTH_SLACK = 0.025
"""A point this much behind the nearest surface of its cell, in heights, still is that surface."""
_GRAZING = 0.15
"""Cosine between normal and view below which a point is as good as hidden."""


class Skin(NamedTuple):
    """The clean mesh at rest: points (V, 3) world metres, weights (V, B) rows sum to one, triangles (F, 3)."""

    points: np.ndarray
    weights: np.ndarray
    triangles: np.ndarray


def normals(skin: Skin) -> np.ndarray:
    """(V, 3) unit normals at rest, triangles weighted by area."""
    a, b, c = (skin.points[skin.triangles[:, corner]] for corner in range(3))
    face = np.cross(b - a, c - a)
    out = np.zeros_like(skin.points)
    for corner in range(3):
        np.add.at(out, skin.triangles[:, corner], face)
    return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-12)


class Sheet(NamedTuple):
    """Points strewn over the surface, so densely that a depth picture of them has no holes: corners (S, 3)
    vertices and shares (S, 3) of each."""

    corners: np.ndarray
    shares: np.ndarray

    @classmethod
    def of(cls, skin: Skin, layout: Layout) -> Sheet:
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


def visible(
    view: View, surface: np.ndarray, points: np.ndarray, outward: np.ndarray, height: float
) -> np.ndarray:
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
