# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Joints along a centre line."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from mocap.fitting import curves


def line(*corners) -> curves.Curve:
    points = np.concatenate([np.linspace(a, b, 40) for a, b in pairwise(corners)])
    return curves.smooth(points, np.ones(len(points)), 0.01)


def test_smoothing_keeps_the_ends_and_spaces_evenly():
    curve = line((0, 0, 0), (1, 0, 0), (1, 1, 0))
    assert np.allclose(curve.points[[0, -1]], [[0, 0, 0], [1, 1, 0]], atol=1e-6)
    steps = np.linalg.norm(np.diff(curve.points, axis=0), axis=1)
    assert steps.min() > 0.7 * steps.max()


def test_a_joint_goes_to_the_bend():
    curve = line((0, 0, 0), (0.7, 0, 0), (0.7, 0.3, 0))
    (found,) = curves.joints(curve, (0.5,), (False,), (None,))
    assert found == pytest.approx(0.7, abs=0.05)


def test_without_a_bend_it_stays_where_it_is_expected():
    found = curves.joints(line((0, 0, 0), (1, 0, 0)), (0.3, 0.8), (False, False), (None, None))
    assert found == pytest.approx([0.3, 0.8], abs=0.02)


def test_a_thin_place_draws_the_joint():
    curve = line((0, 0, 0), (1, 0, 0))
    place = np.linspace(0, 1, len(curve.depth))
    thin = curve._replace(depth=1 - 0.9 * np.exp(-(((place - 0.6) / 0.05) ** 2)))
    (found,) = curves.joints(thin, (0.5,), (True,), (None,))
    assert found == pytest.approx(0.6, abs=0.05)


def test_given_joints_stay_and_the_others_keep_their_order():
    found = curves.joints(line((0, 0, 0), (1, 0, 0)), (0.3, 0.6), (False, False), (0.5, None))
    assert found[0] == pytest.approx(0.5, abs=0.01)
    assert found[1] > 0.5


def test_the_corner_points_out_of_the_bend():
    outwards, turn = curves.corner(np.zeros(3), np.array([1.0, 0, 0]), np.array([1.0, 1, 0]))
    assert turn == pytest.approx(np.pi / 2)
    assert outwards == pytest.approx([np.sqrt(0.5), -np.sqrt(0.5), 0])
