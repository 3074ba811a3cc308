# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A solid from any soup of triangles."""

from __future__ import annotations

import numpy as np
import pytest

from mocap.errors import BadInput
from mocap.fitting import voxels
from tests.mocap.fitting import shapes


def volume(solid: voxels.Solid) -> float:
    return len(solid.points) * solid.size**3


def test_a_box_is_filled_and_its_middle_is_deepest():
    solid = voxels.solid(*shapes.box([0, 0, 0], [2, 1, 1]), 40)
    assert volume(solid) == pytest.approx(2 * 1.1 * 1.1, rel=0.1)
    assert np.abs(solid.points[solid.depth.argmax()][1:] - 0.5).max() < 2 * solid.size
    assert solid.depth.max() == pytest.approx(0.5, abs=2 * solid.size)
    assert solid.contains([[1, 0.5, 0.5], [1, 0.5, 1.3], [9, 9, 9]]).tolist() == [True, False, False]


def test_an_open_box_is_filled_too():
    points, triangles = shapes.box([0, 0, 0], [2, 1, 1])
    lidless = voxels.solid(points, triangles[2:], 40)
    assert volume(lidless) == pytest.approx(volume(voxels.solid(points, triangles, 40)), rel=0.05)


def test_overlapping_parts_do_not_cancel_each_other():
    soup = shapes.join(shapes.box([0, 0, 0], [2, 1, 1]), shapes.box([0.5, 0.2, 0.2], [1.5, 0.8, 0.8]))
    assert volume(voxels.solid(*soup, 40)) == pytest.approx(2.4, rel=0.1)


def test_flipped_faces_do_no_harm():
    points, triangles = shapes.box([0, 0, 0], [2, 1, 1])
    flipped = triangles.copy()
    flipped[::3] = flipped[::3, ::-1]
    assert volume(voxels.solid(points, flipped, 40)) == volume(voxels.solid(points, triangles, 40))


def test_parts_that_touch_nothing_are_bridged():
    solid = voxels.solid(
        *shapes.join(shapes.box([0, 0, 0], [2, 1, 1]), shapes.box([2.4, 0, 0], [3, 1, 1])), 40
    )
    assert len(np.unique(voxels.components(len(solid.points), solid.edges))) == 1


def test_nothing_to_fill_is_refused():
    with pytest.raises(BadInput, match="no faces"):
        voxels.solid(np.zeros((3, 3)), np.empty((0, 3), int))
    with pytest.raises(BadInput, match="no size"):
        voxels.solid(np.zeros((3, 3)), np.array([[0, 1, 2]]))
