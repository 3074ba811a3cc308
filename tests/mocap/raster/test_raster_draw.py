# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The z-buffer against exact geometry."""

import numpy as np
import pytest

from mocap.raster import draw


def square(x0, y0, x1, y1, depth):
    """Two triangles; fine pixels (4, 2), depth (4,)."""
    return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], float), np.full(4, float(depth))


FACES = np.array([[0, 1, 2], [0, 2, 3]], np.int32)


def test_a_square_covers_exactly_its_pixels():
    fine, depth = square(2, 3, 6, 5, 7)
    near, owner, _ = draw.depth_buffer(fine, depth, FACES, 8, 10)
    wanted = np.zeros((8, 10), bool)
    wanted[3:5, 2:6] = True
    assert ((owner >= 0) == wanted).all()
    assert np.allclose(near[wanted], 7)
    assert np.isinf(near[~wanted]).all()


def test_the_nearer_surface_wins_whatever_the_order():
    far, near = square(0, 0, 8, 8, 5), square(2, 2, 6, 6, 3)
    for first, second in ((far, near), (near, far)):
        fine, depth = np.concatenate([first[0], second[0]]), np.concatenate([first[1], second[1]])
        found = draw.depth_buffer(fine, depth, np.concatenate([FACES, FACES + 4]), 8, 8)[0]
        assert np.allclose(found[2:6, 2:6], 3)
        assert np.allclose(found[0], 5)


def test_depth_is_that_of_the_plane_in_perspective():
    """A plane tilted away from a pinhole camera: depth at a pixel is the ray's meeting with it."""
    focal, centre = 40.0, 20.0
    points = np.array([(-2, -2, 4), (2, -2, 6), (2, 2, 6), (-2, 2, 4)], float)
    fine = points[:, :2] * focal / points[:, 2:] + centre
    near, owner, place = draw.depth_buffer(fine, points[:, 2].copy(), FACES, 40, 40)
    y, x = np.nonzero(owner >= 0)
    ray = np.stack([(x + 0.5 - centre) / focal, (y + 0.5 - centre) / focal, np.ones(len(x))], 1)
    # The plane is z = 5 + x / 2.
    wanted = 5 / (1 - ray[:, 0] / 2)
    assert len(x) > 500
    assert np.allclose(near[y, x], wanted, rtol=1e-9)
    corners = points[FACES[owner[y, x]]]
    w1, w2 = place[y, x].T
    found = corners[:, 0] * (1 - w1 - w2)[:, None] + corners[:, 1] * w1[:, None] + corners[:, 2] * w2[:, None]
    assert np.allclose(found, ray * wanted[:, None], atol=1e-4)


def test_what_lies_behind_the_camera_is_left_out():
    fine, depth = square(0, 0, 8, 8, -1)
    assert (draw.depth_buffer(fine, depth, FACES, 8, 8)[1] == -1).all()


def test_a_part_needs_most_of_a_pixel():
    owner = np.array([[0, 0, -1, -1], [0, 1, -1, 0]], np.int32)
    place = np.zeros((2, 4, 2), np.float32)
    triangles = np.array([[0, 0, 0], [1, 1, 1]], np.int32)
    found = draw.parts(owner, place, triangles, np.array([5, 6], np.uint8), np.uint8(9))
    assert found.tolist() == [[5, 9]]


@pytest.mark.parametrize("influences", [1, 2])
def test_skinning_is_the_weighted_mean_of_the_bones_motions(influences):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(5, 3))
    turns = np.linalg.qr(rng.normal(size=(3, 3, 3)))[0]
    moves = rng.normal(size=(3, 3))
    bones = rng.integers(0, 3, (5, 4)).astype(np.int32)
    weights = np.zeros((5, 4), np.float32)
    weights[:, :influences] = 1 / influences
    wanted = sum(
        weights[:, k, None] * (np.einsum("vij,vj->vi", turns[bones[:, k]], points) + moves[bones[:, k]])
        for k in range(4)
    )
    assert np.allclose(draw.blended(points, bones, weights, turns, moves), wanted)
