# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Cameras: projection, its derivative, rays, and the layout fitted to poses."""

import numpy as np
import pytest

from mocap import poses
from mocap.layout import Layout, fit
from tests.mocap import rigs


@pytest.fixture(scope="module")
def layout() -> Layout:
    return rigs.rig_info().layout


def points(count=50):
    return np.random.default_rng(3).uniform(-0.6, 0.6, (count, 3)) + np.array([0, 0, 0.6])


def test_projection_is_the_camera_matrix(layout):
    world = points()
    for view in layout.views:
        pixels, depth = view.project(world)
        homogeneous = np.concatenate([world, np.ones((len(world), 1))], 1) @ view.matrix.T
        np.testing.assert_allclose(pixels, homogeneous[:, :2] / homogeneous[:, 2:], atol=1e-9)
        np.testing.assert_allclose(depth, homogeneous[:, 2], atol=1e-9)


def test_rays_pass_through_the_points_they_show(layout):
    world = points()
    for view in layout.views:
        pixels, depth = view.project(world)
        rays = view.rays(pixels)
        distance = np.linalg.norm(world - np.array(view.position), axis=1)
        np.testing.assert_allclose(np.array(view.position) + rays * distance[:, None], world, atol=1e-9)
        assert (depth > 0).all()


def test_jacobian_is_the_slope_of_projection(layout):
    world, step = points(), 1e-6
    for view in layout.views:
        slope = view.project_jacobian(world)
        for axis in range(3):
            offset = np.eye(3)[axis] * step
            numeric = (view.project(world + offset)[0] - view.project(world - offset)[0]) / (2 * step)
            np.testing.assert_allclose(slope[..., axis], numeric, atol=1e-4)


def test_each_view_shows_the_right_sides(layout):
    front, side = layout.views
    left, nose = np.array([0.1, 0, 0.6]), np.array([0, -0.7, 0.9])
    middle = np.array([0, 0, 0.6])
    assert front.project(left)[0][0] > front.project(middle)[0][0], "seen from the front, left is right"
    assert side.project(nose)[0][0] < side.project(middle)[0][0], "seen from its left, it faces left"
    assert side.project(left)[1] < side.project(-left)[1], "the side camera stands on its left"
    for view in layout.views:
        assert view.project(middle + np.array([0, 0, 0.1]))[0][1] < view.project(middle)[0][1], (
            "y counts down"
        )


def test_fitted_layout_shows_nearly_every_pose_whole():
    skeleton = rigs.quadruped()
    drawn = [poses.random_pose(skeleton, poses.sample_rng(5, i)) for i in range(200)]
    joints = skeleton.pose(np.stack([p.root for p in drawn]), np.stack([p.quats for p in drawn])).joints
    layout = fit(joints, skeleton.height, size=320)
    pixels, _ = layout.project(joints)
    whole = ((pixels > 0) & (pixels < 320)).all((-1, -2))
    assert whole.mean() > 0.96
    filled = np.ptp(pixels, axis=2).max((1, 2)) / 320
    assert np.median(filled) > 0.4, "the creature should fill the panel"
    assert layout.sheet_size == (640, 320)
    assert layout.views[0].focal == layout.views[1].focal


def test_json_round_trip(layout):
    assert Layout.from_json(layout.to_json()) == layout


def test_unusable_layouts_are_refused(layout):
    data = layout.to_json()
    data["views"][1]["focal_px"] = 0
    with pytest.raises(ValueError, match="side"):
        Layout.from_json(data)
    with pytest.raises(ValueError, match="at least one view"):
        Layout(())
