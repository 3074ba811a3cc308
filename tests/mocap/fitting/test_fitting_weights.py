# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Weights that follow the flesh and do not tear."""

from __future__ import annotations

import numpy as np
import pytest

from mocap.fitting import weights
from tests.mocap.fitting import shapes


def test_geodesic_weights_do_not_jump_across_a_gap():
    """Two long fingers side by side, joined at the base: near in space, far through the flesh."""
    fingers = [shapes.tube([(x, y, 0) for y in np.linspace(0, 2, 12)], 0.12) for x in (-0.2, 0.2)]
    points, triangles = shapes.join(shapes.tube([(-0.4, 0, 0), (0, 0, 0), (0.4, 0, 0)], 0.2), *fingers)
    heads = np.array([[0, 0, 0], [-0.2, 0.3, 0], [0.2, 0.3, 0.0]])
    tails = np.array([[0, 0.3, 0], [-0.2, 2, 0], [0.2, 2, 0.0]])
    table = weights.geodesic(points, triangles, heads, tails)
    assert table.sum(1) == pytest.approx(np.ones(len(points)))
    tip = (points[:, 0] > 0.05) & (points[:, 1] > 1.5)
    assert table[tip, 2].min() > 0.9
    assert table[tip, 1].max() < 0.05


def test_smoothing_ties_the_shortest_edges_most():
    points = np.array([[0, 0, 0], [0.01, 0, 0], [1, 0, 0]])
    edges = np.array([[0, 1], [1, 2]])
    table = weights.smoothed(np.array([[1.0, 0], [0, 1.0], [0, 1.0]]), points, edges, 4)
    assert abs(table[0, 0] - table[1, 0]) < 0.1
    assert table[2, 1] > 0.5


def test_empty_rows_take_their_neighbours_weights():
    points = np.array([[float(i), 0, 0] for i in range(5)])
    table = np.zeros((5, 2))
    table[0] = [0.2, 0.8]
    edges = np.array([[0, 1], [1, 2], [3, 4]])
    assert weights.filled(table, points, edges) == pytest.approx(np.tile([0.2, 0.8], (5, 1)))


def test_small_loose_parts_ride_as_a_whole():
    large = shapes.box([0, 0, 0], [4, 1, 1])
    points, triangles = shapes.join(large, shapes.box([3.9, 0.4, 1], [4.0, 0.6, 1.1]))
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    table = np.stack([1 - points[:, 0] / 4, points[:, 0] / 4], 1)
    table[8:] = [1.0, 0.0]
    ridden, count = weights.ride(table, points, edges, 0.5)
    assert count == 1
    assert np.ptp(ridden[8:], axis=0).max() < 1e-9
    assert ridden[8, 1] > 0.9
    assert ridden[:8] == pytest.approx(table[:8])


def test_only_the_largest_weights_are_left():
    table = weights.normalised(np.array([[5.0, 4, 3, 2, 1], [0, 0, 0, 0, 0]]))
    assert table[0] == pytest.approx(np.array([5, 4, 3, 2, 0]) / 14)
    assert table[1].sum() == 0
