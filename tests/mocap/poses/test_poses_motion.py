# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Random motions are smooth, step on the ground, and keep limbs apart."""

import numpy as np
import pytest

from mocap import poses
from mocap import rotations as rot
from mocap.poses import capsules, feet
from tests.mocap import rigs


def test_random_motion_is_smooth_grounded_and_inside_limits(skeleton):
    motion = poses.random_motion(skeleton, 3, 96, 24.0, "digest")
    assert rigs.breach(skeleton, motion.quats).max() < 1e-6
    lowest = motion.joints(skeleton)[..., 2].min(1) - skeleton.joint_points[:, 2].min()
    assert lowest.min() > -1e-9
    assert lowest.max() < 0.03, "what is lowest, joint or skin, touches the ground"
    step = rot.quat_multiply(rot.quat_conjugate(motion.quats[:-1]), motion.quats[1:])
    assert np.degrees(np.linalg.norm(rot.quat_to_rotvec(step), axis=-1)).max() < 20
    assert ((motion.quats[1:] * motion.quats[:-1]).sum(-1) > 0).all()
    moved = np.ptp(motion.quats, axis=0).max(-1)
    assert (moved > 0.01).all(), "every bone moves"


def test_random_motion_is_decided_by_its_seed(skeleton):
    first, again, other = (poses.random_motion(skeleton, s, 20, 24.0, "digest") for s in (1, 1, 2))
    np.testing.assert_array_equal(first.quats, again.quats)
    assert not np.allclose(first.quats, other.quats)


@pytest.mark.parametrize("seed", range(4))
def test_feet_step_and_limbs_stay_apart(skeleton, seed):
    motion = poses.random_motion(skeleton, seed, 120, 24.0, "digest")
    posed = motion.pose(skeleton)
    heights = feet.soles(feet.find(skeleton), posed) / skeleton.height
    assert np.median(heights) < 0.03
    assert heights.max(0).min() > 0.02, "every foot is lifted at some time"
    assert (capsules.penetration(capsules.build(skeleton), posed) > capsules.ACCEPTED).mean() < 0.02


def test_a_tail_waves_as_one(skeleton):
    """Neighbouring bones of a tail bend alike, whatever their own roll."""
    motion = poses.random_motion(skeleton, 3, 240, 24.0, "digest")
    tail = [skeleton.bone_index(f"tail{n}") for n in (1, 2, 3)]
    local = rot.quat_to_rotvec(motion.quats[:, tail])
    world = np.einsum("bij,tbj->tbi", skeleton.rest[tail], local)
    # About world X, which lies across the tail: up and down.
    bend = world[..., 0] - world[..., 0].mean(0)
    assert np.corrcoef(bend.T)[0, 1] > 0.3
    assert np.corrcoef(bend.T)[1, 2] > 0.3


def test_one_frame_is_a_motion(skeleton):
    assert poses.random_motion(skeleton, 1, 1, 24.0, "digest").frames == 1
