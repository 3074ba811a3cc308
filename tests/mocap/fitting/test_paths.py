# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Shortest and centred paths, and the ends they lead to."""

from __future__ import annotations

import numpy as np
import pytest

from mocap.fitting import body, extremities, paths, voxels
from tests.mocap.fitting import shapes


def test_distances_go_round_corners():
    solid = voxels.solid(*shapes.tube([(0, 0, 0), (2, 0, 0), (2, 2, 0)], 0.15), 60)
    ends = solid.nearest([[0, 0, 0], [2, 2, 0]])
    away = paths.distances(solid, ends[:1])
    assert away[ends[1]] == pytest.approx(4.0, rel=0.08)
    way = paths.descend(solid, away, ends[1])
    assert (way[0], way[-1]) == (ends[1], ends[0])


def test_the_centred_path_stays_in_the_middle():
    solid = voxels.solid(*shapes.tube([(0, 0, 0), (3, 0, 0)], 0.4), 60)
    toll = paths.centring_toll(solid)
    start, goal = solid.nearest([[0.4, 0.3, 0], [2.6, -0.3, 0]])
    way = paths.descend(solid, paths.distances(solid, np.array([goal]), toll), start, toll)
    middle = solid.points[way][len(way) // 3 : 2 * len(way) // 3]
    assert np.linalg.norm(middle[:, 1:], axis=1).max() < 2 * solid.size


def test_every_arm_of_a_star_is_an_extremity():
    turns = np.linspace(0, 2 * np.pi, 5, endpoint=False)
    tips = np.stack([2 * np.cos(turns), 2 * np.sin(turns), 0 * turns], 1)
    solid = voxels.solid(*shapes.join(*[shapes.tube([(0, 0, 0), tip], [0.3, 0.1]) for tip in tips]), 80)
    ends = extremities.find(solid, 0.4)
    assert len(ends) == 5
    for tip in tips:
        assert min(np.linalg.norm(end.tip - tip) for end in ends) < 0.15


def test_a_body_has_pairs_and_middle_ends():
    seen = body.read(*shapes.quadruped())
    assert seen.symmetric
    assert abs(seen.plane) < 0.02
    assert len(seen.pairs) == 2
    assert sorted(round(float(part.tip[1]), 1) for part in seen.middle) == [-1.5, 1.8]


def test_toes_are_one_foot():
    leg = shapes.both([(0.3, 0, 1), (0.3, 0, 0)], 0.06)
    toes = [t for x in (-0.15, 0, 0.15) for t in shapes.both([(0.3, 0, 0.04), (0.3 + x, -0.3, 0.04)], 0.035)]
    trunk = shapes.tube([(0, 0.4, 1), (0, -0.4, 1)], [0.4, 0.4])
    seen = body.read(*shapes.join(trunk, *leg, *toes))
    feet = [pair for pair in seen.pairs if pair.tip[2] < 0.2]
    assert len(feet) == 1
    assert feet[0].left.tip[0] == pytest.approx(0.3, abs=0.08)
