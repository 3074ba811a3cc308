# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Random poses stay inside the limits, stand, keep their limbs apart, and are decided by their seed."""

import subprocess
import sys

import numpy as np

from mocap import poses
from mocap import rotations as rot
from mocap.poses import capsules, feet
from mocap.poses.draw import ROUNDS, TOGETHER
from tests.mocap import rigs


def together(skeleton, drawn):
    """All drawn poses at once."""
    return skeleton.pose(np.stack([d.pose.root for d in drawn]), np.stack([d.pose.quats for d in drawn]))


def test_poses_stay_inside_the_limits(skeleton):
    drawn = [poses.random_pose(skeleton, poses.sample_rng(2, i)) for i in range(200)]
    assert rigs.breach(skeleton, np.stack([p.quats for p in drawn])).max() < 1e-6


def test_poses_reach_most_of_the_range(skeleton):
    drawn = np.stack([poses.random_pose(skeleton, poses.sample_rng(2, i)).quats for i in range(300)])
    angles = rot.matrix_to_euler(rot.quat_to_matrix(drawn[:, 1:]))
    reach = np.ptp(angles, axis=0) / (skeleton.limits[1:, :, 1] - skeleton.limits[1:, :, 0])
    # Legs that stand and tails that bend as one use less than all of it.
    assert reach.min() > 0.5
    assert np.median(reach) > 0.85


def test_a_sample_is_decided_by_seed_and_index(skeleton):
    first, again = (poses.random_pose(skeleton, poses.sample_rng(4, 17)) for _ in range(2))
    np.testing.assert_array_equal(first.quats, again.quats)
    other = poses.random_pose(skeleton, poses.sample_rng(4, 18))
    assert not np.allclose(first.quats, other.quats)


def test_another_process_draws_the_same_bytes(skeleton):
    code = (
        "from mocap import poses; from tests.mocap import rigs; "
        "p = poses.random_pose(rigs.quadruped(), poses.sample_rng(4, 17)); "
        "print(p.root.tobytes().hex(), p.quats.tobytes().hex())"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    pose = poses.random_pose(skeleton, poses.sample_rng(4, 17))
    assert told.split() == [pose.root.tobytes().hex(), pose.quats.tobytes().hex()]


def test_nothing_is_below_the_ground(skeleton):
    drawn = [poses.draw(skeleton, poses.sample_rng(2, i)) for i in range(100)]
    posed = together(skeleton, drawn)
    joints = posed.joints[..., 2].min(1) - skeleton.joint_points[:, 2].min()
    rest = skeleton.pose(skeleton.heads[:1], np.tile([1.0, 0, 0, 0], (1, len(skeleton.bones), 1)))
    known = capsules.build(skeleton)
    skin = capsules.lowest(known, posed) - capsules.lowest(known, rest)
    assert joints.min() > -1e-9
    assert skin.min() > -1e-9
    standing = ~np.array([d.airborne for d in drawn])
    np.testing.assert_allclose(np.minimum(joints, skin)[standing], 0, atol=1e-9)
    assert 0.5 < standing.mean() < 0.9, "some poses are in the air, most stand"


def test_feet_are_near_the_ground(skeleton):
    legs = feet.find(skeleton)
    assert len(legs.base) == 4
    drawn = [d for i in range(150) if not (d := poses.draw(skeleton, poses.sample_rng(3, i))).airborne]
    heights = feet.soles(legs, together(skeleton, drawn)) / skeleton.height
    assert np.median(heights) < 0.02
    assert np.percentile(heights, 75) < 0.12
    assert (heights > 0.02).mean() > 0.1, "some feet are lifted"


def test_parts_of_the_body_keep_out_of_each_other(skeleton):
    drawn = [poses.draw(skeleton, poses.sample_rng(5, i)) for i in range(150)]
    depth = capsules.penetration(capsules.build(skeleton), together(skeleton, drawn))
    np.testing.assert_allclose(depth, [d.penetration for d in drawn], atol=1e-6)
    first = np.array([d.first_penetration for d in drawn])
    assert (first > capsules.ACCEPTED).mean() > 0.05, "without rejection some would"
    assert (depth > capsules.ACCEPTED).mean() < 0.02
    redrawn = [d.tries for d in drawn if d.first_penetration > capsules.ACCEPTED]
    assert min(redrawn) > 1


def test_where_nothing_is_plausible_the_least_bad_is_taken_and_counted(skeleton, monkeypatch):
    monkeypatch.setattr(capsules, "ACCEPTED", -1.0)
    drawn = [poses.draw(skeleton, poses.sample_rng(1, i)) for i in range(20)]
    assert {d.tries for d in drawn} == {TOGETHER * ROUNDS}
    assert all(d.penetration <= d.first_penetration for d in drawn)


def test_blurred_poses_pass_through_their_label(skeleton):
    pose = next(
        p for p in (poses.random_pose(skeleton, poses.sample_rng(6, i)) for i in range(20)) if p.blurred
    )
    root, quats = pose.at(0.0)
    np.testing.assert_allclose(root, pose.root)
    np.testing.assert_allclose(quats, pose.quats, atol=1e-12)
    early, late = pose.at(-0.5)[0], pose.at(0.5)[0]
    np.testing.assert_allclose(late - early, pose.drift, atol=1e-12)
