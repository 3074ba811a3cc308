# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits as cones and arcs: their opening is the range."""

from __future__ import annotations

import numpy as np
import pytest
from anymove.addon.overlay import shapes

ALONG = np.array([0.0, 1.0, 0.0])


def limits(*degrees):
    return np.radians(np.array(degrees, float))


def test_a_cone_opens_as_far_as_the_swing_may_go():
    loop = shapes.cone(limits((-30, 10), (-90, 90), (-20, 20)), ALONG)
    assert np.linalg.norm(loop, axis=1) == pytest.approx(np.ones(len(loop)))
    bend = np.degrees(np.arctan2(loop[:, 2], loop[:, 1]))
    assert (bend.min(), bend.max()) == (pytest.approx(-30, abs=2.1), pytest.approx(10, abs=1))
    side = np.degrees(np.arcsin(loop[:, 0]))
    assert np.abs(side).max() == pytest.approx(20, abs=0.1)


def test_a_hinge_is_a_fan_and_a_fixed_joint_a_line():
    fan = shapes.cone(limits((-40, 0), (0, 0), (0, 0)), ALONG)
    assert np.abs(fan[:, 0]).max() < 1e-9
    fixed = shapes.cone(limits((0, 0), (0, 0), (0, 0)), ALONG)
    assert np.abs(fixed - ALONG).max() < 1e-9


def test_an_arc_is_as_long_as_the_twist_and_across_the_bone():
    arc = shapes.arc(limits((-1, 1), (-25, 60), (-1, 1)), ALONG)
    assert np.abs(arc @ ALONG).max() < 1e-9
    assert np.degrees(np.arccos(arc[0] @ arc[-1])) == pytest.approx(85, abs=1e-6)


def test_twist_follows_the_bones_geometry_not_its_y_axis():
    assert shapes.twist_axis(np.array([0.9, 0.3, 0.1])) == 0


def test_segments_close_or_not():
    points = np.eye(3)
    assert shapes.segments(points).shape == (2, 2, 3)
    assert np.array_equal(shapes.segments(points, closed=True)[-1], [points[2], points[0]])
