# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Random poses and motions stay inside the limits and are decided by their seed."""

import numpy as np
import pytest

from mocap import poses
from mocap import rotations as rot
from tests.mocap import rigs


@pytest.fixture(scope="module")
def skeleton():
    return rigs.quadruped()


def breach(skeleton, quats):
    low, high = skeleton.limits[1:, :, 0], skeleton.limits[1:, :, 1]
    angles = rot.euler_near(rot.matrix_to_euler(rot.quat_to_matrix(quats[..., 1:, :])), low, high)
    return np.maximum(low - angles, 0) + np.maximum(angles - high, 0)


def test_poses_stay_inside_the_limits(skeleton):
    drawn = [poses.random_pose(skeleton, poses.sample_rng(2, i)) for i in range(200)]
    assert breach(skeleton, np.stack([p.quats for p in drawn])).max() < 1e-6


def test_poses_reach_most_of_the_range(skeleton):
    drawn = np.stack([poses.random_pose(skeleton, poses.sample_rng(2, i)).quats for i in range(300)])
    angles = rot.matrix_to_euler(rot.quat_to_matrix(drawn[:, 1:]))
    reach = np.ptp(angles, axis=0) / (skeleton.limits[1:, :, 1] - skeleton.limits[1:, :, 0])
    assert reach.min() > 0.9


def test_a_sample_is_decided_by_seed_and_index(skeleton):
    first, again = (poses.random_pose(skeleton, poses.sample_rng(4, 17)) for _ in range(2))
    np.testing.assert_array_equal(first.quats, again.quats)
    other = poses.random_pose(skeleton, poses.sample_rng(4, 18))
    assert not np.allclose(first.quats, other.quats)


def test_nothing_is_below_the_ground(skeleton):
    ground = skeleton.joint_points[:, 2].min()
    drawn = [poses.random_pose(skeleton, poses.sample_rng(2, i)) for i in range(100)]
    joints = skeleton.pose(np.stack([p.root for p in drawn]), np.stack([p.quats for p in drawn])).joints
    lowest = joints[..., 2].min(1) - ground
    assert lowest.min() > -1e-9
    assert 0.1 < (lowest > 1e-6).mean() < 0.6, "some poses are in the air, most stand"


def test_blurred_poses_pass_through_their_label(skeleton):
    pose = next(
        p for p in (poses.random_pose(skeleton, poses.sample_rng(6, i)) for i in range(20)) if p.blurred
    )
    root, quats = pose.at(0.0)
    np.testing.assert_allclose(root, pose.root)
    np.testing.assert_allclose(quats, pose.quats, atol=1e-12)
    early, late = pose.at(-0.5)[0], pose.at(0.5)[0]
    np.testing.assert_allclose(late - early, pose.drift, atol=1e-12)


def test_random_motion_is_smooth_grounded_and_inside_limits(skeleton):
    motion = poses.random_motion(skeleton, 3, 96, 24.0, "digest")
    assert breach(skeleton, motion.quats).max() < 1e-6
    joints = motion.joints(skeleton)
    np.testing.assert_allclose(joints[..., 2].min(1), skeleton.joint_points[:, 2].min(), atol=1e-9)
    step = rot.quat_multiply(rot.quat_conjugate(motion.quats[:-1]), motion.quats[1:])
    assert np.degrees(np.linalg.norm(rot.quat_to_rotvec(step), axis=-1)).max() < 20
    assert ((motion.quats[1:] * motion.quats[:-1]).sum(-1) > 0).all()
    moved = np.ptp(motion.quats, axis=0).max(-1)
    assert (moved > 0.01).all(), "every bone moves"


def test_random_motion_is_decided_by_its_seed(skeleton):
    first, again, other = (poses.random_motion(skeleton, s, 20, 24.0, "digest") for s in (1, 1, 2))
    np.testing.assert_array_equal(first.quats, again.quats)
    assert not np.allclose(first.quats, other.quats)
