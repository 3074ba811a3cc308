# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Triangulation and the closed-form first pose."""

from dataclasses import replace

import numpy as np
import pytest

from mocap import poses
from mocap import rotations as rot
from mocap.solve.initialise import anchors, bridge, fit_bones, initialise, kabsch, shortest_turn
from mocap.solve.observations import observe
from mocap.solve.settings import Settings
from mocap.solve.triangulate import triangulate
from tests.mocap import rigs


@pytest.fixture(scope="module")
def info():
    return rigs.rig_info()


@pytest.fixture(scope="module")
def joints(info):
    return poses.random_motion(info.skeleton, 2, 20, 24.0, info.digest).joints(info.skeleton)


def test_triangulation_recovers_points_exactly(info, joints):
    points, error = triangulate(observe(rigs.detections(info, joints), Settings(), info.skeleton))
    np.testing.assert_allclose(points, joints, atol=1e-9)
    assert error.max() < 1e-6


def test_triangulation_needs_two_views_of_a_joint(info, joints):
    detections = rigs.detections(info, joints)
    confidence = detections.confidence.copy()
    confidence[3, 1, 5] = 0
    points, _ = triangulate(observe(replace(detections, confidence=confidence), Settings(), info.skeleton))
    assert np.isnan(points[3, 5]).all()
    assert np.isfinite(np.delete(points[3], 5, 0)).all()


def test_reprojection_error_shows_views_that_disagree(info, joints):
    detections = rigs.detections(info, joints)
    positions = detections.positions.copy()
    positions[4, 0, 7, 1] += 40
    _, error = triangulate(observe(replace(detections, positions=positions), Settings(), info.skeleton))
    assert error[4, 7] > 15
    error[4, 7] = 0
    assert error.max() < 1e-6


def test_gaps_are_bridged_linearly():
    points = np.arange(10.0)[:, None, None] * np.ones((1, 2, 3))
    holed = points.copy()
    holed[3:6, 0] = np.nan
    holed[:, 1] = np.nan
    filled = bridge(holed)
    np.testing.assert_allclose(filled[:, 0], points[:, 0])
    assert np.isnan(filled[:, 1]).all(), "a joint that is never seen stays unknown"


def test_kabsch_finds_the_rotation_and_never_a_reflection():
    rng = np.random.default_rng(0)
    turn = rot.exp_so3(rng.normal(0, 1, (4, 3)))
    source = rng.normal(size=(5, 3))
    np.testing.assert_allclose(
        kabsch(source, source @ np.swapaxes(turn, -1, -2), np.ones(5)), turn, atol=1e-9
    )
    flat = source * [1, 1, 0]
    mirrored = flat[None] * [1, -1, 1]
    assert np.linalg.det(kabsch(flat, mirrored, np.ones(5))[0]) == pytest.approx(1)


def test_shortest_turn_does_not_depend_on_length():
    start, end = np.array([[2.0, 0, 0]]), np.array([[0, 0.3, 0]])
    np.testing.assert_allclose(shortest_turn(start, end)[0] @ [1, 0, 0], [0, 1, 0], atol=1e-12)


def test_bones_fitted_to_true_joints_put_the_joints_back(info, joints):
    state = fit_bones(info.skeleton, joints)
    back = info.skeleton.pose(*state).joints
    error = np.linalg.norm(back - joints, axis=-1)
    assert error.mean() < 0.02 * info.skeleton.height
    assert np.linalg.norm(state.quats, axis=-1) == pytest.approx(np.ones(state.quats.shape[:2]))


def test_a_joint_belongs_to_the_bone_that_moves_it_however_the_rig_says_it(info):
    skeleton = info.skeleton
    paw, forearm = skeleton.bone_index("paw.L"), skeleton.bone_index("forearm.L")
    joint = skeleton.joint_names.index("paw.L")
    assert anchors(skeleton)[joint] == forearm
    moved = list(skeleton.joints)
    moved[joint] = replace(moved[joint], bone=forearm)
    assert anchors(replace(skeleton, joints=tuple(moved)))[joint] == forearm
    assert anchors(skeleton)[skeleton.joint_names.index("paw.L.tip")] == paw


def test_first_pose_survives_stray_readings_and_unseen_joints(info, joints):
    detections = rigs.detections(info, joints, noise=2.0, missing=0.2, gross=0.05)
    confidence = detections.confidence.copy()
    confidence[:, 1, 4] = 0
    observations = observe(replace(detections, confidence=confidence), Settings(), info.skeleton)
    state = initialise(info.skeleton, observations, Settings())
    error = np.linalg.norm(info.skeleton.pose(*state).joints - joints, axis=-1)
    assert np.isfinite(error).all()
    assert np.median(error) < 0.04 * info.skeleton.height
