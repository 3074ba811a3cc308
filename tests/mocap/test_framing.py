# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocap import framing


def blob(size: int, at: tuple[float, float]) -> np.ndarray:
    y, x = np.mgrid[:size, :size] + 0.5
    value = 255 * np.exp(-((x - at[0]) ** 2 + (y - at[1]) ** 2) / (2 * 4**2))
    return np.repeat(value.astype(np.uint8)[..., None], 3, 2)


def centroid(image: np.ndarray) -> np.ndarray:
    weight = image[..., 0].astype(float)
    y, x = np.mgrid[: image.shape[0], : image.shape[1]] + 0.5
    return np.array([(x * weight).sum(), (y * weight).sum()]) / weight.sum()


@settings(max_examples=30, deadline=None)
@given(st.floats(20, 300), st.floats(20, 300), st.floats(30, 400), st.floats(30, 400), st.floats(-0.5, 0.5))
def test_invert_undoes_apply(cx, cy, width, height, turn):
    view = framing.place(np.array([cx, cy]), np.array([width, height]), 192, turn)
    points = np.array([[0.0, 0.0], [cx, cy], [384.0, 17.0]])
    assert np.allclose(framing.apply(framing.invert(view), framing.apply(view, points)), points)
    assert np.allclose(framing.apply(view, np.array([[cx, cy]])), [[96, 96]])


def test_in_panel_reaches_from_minus_one_to_one_along_the_larger_side():
    for width, height in ((384, 384), (640, 320)):
        view = framing.place(np.array([100.0, 90.0]), np.array([80.0, 60.0]), 192, 0.3)
        places = np.array([[width / 2, height / 2], [0.0, height / 2], [width, height / 2]])
        found = framing.apply(framing.in_panel(view, np.array([width, height])), framing.apply(view, places))
        assert np.allclose(found, [[0, 0], [-1, 0], [1, 0]])


@pytest.mark.parametrize("side", [300.0, 200.0, 100.0])
def test_cut_moves_the_picture_as_apply_moves_the_labels(side):
    """Halved or not: the middle of a spot lies where its label does, to a tenth of a pixel."""
    where = (101.3, 120.8)
    view = framing.place(np.array([110.0, 115.0]), np.array([side, side * 0.8]), 96, 0.1)
    seen = framing.cut(blob(256, where), view, 96)
    assert np.abs(centroid(seen) - framing.apply(view, np.array([where]))[0]).max() < 0.1


def test_tight_box_holds_the_points_and_caps_the_stretch():
    points = np.array([[100.0, 50.0], [110.0, 250.0], [105.0, 100.0]])
    centre, sides = framing.tight_box(points)
    view = framing.place(centre, sides, 192)
    inside = framing.apply(view, points)
    assert (inside > 0).all()
    assert (inside < 192).all()
    assert sides[1] / sides[0] <= framing.STRETCH


def test_scale_is_the_geometric_mean():
    view = framing.place(np.zeros(2), np.array([96.0, 384.0]), 192)
    assert framing.scale(view) == pytest.approx(1.0)
    assert framing.halves(framing.place(np.zeros(2), np.array([384.0, 384.0]), 192))
    assert not framing.halves(view)


def test_whole_box_of_a_wide_panel_is_a_square():
    centre, sides = framing.whole_box((200, 100))
    assert sides.tolist() == [200, 200]
    assert centre.tolist() == [100, 50]


def test_border_is_repeated():
    grey = np.full((64, 64, 3), 77, np.uint8)
    seen = framing.cut(grey, framing.place(np.zeros(2), np.array([64.0, 64.0]), 64), 64)
    assert (seen == 77).all()
