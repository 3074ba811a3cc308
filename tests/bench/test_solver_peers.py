# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

from bench.solver_peers import PEERS
from bench.solver_peers.closed_form import CUTOFF_HZ, low_pass
from bench.solver_peers.fabrik import Tree, reached
from bench.solver_peers.lbfgs import exp_so3, posed, project
from bench.solver_peers.least_squares import Frame
from bench.solving import troubles
from bench.solving.contest import contend
from mocap import poses
from mocap import rotations as rot
from mocap.motion import Motion
from mocap.solve import Settings
from mocap.solve.kinematics import State
from mocap.solve.observations import observe
from tests.mocap import rigs

FRAMES = 8


@pytest.fixture(scope="module")
def info():
    return rigs.rig_info(markers=True)


@pytest.fixture(scope="module")
def motion(info) -> Motion:
    made = poses.random_motion(info.skeleton, 3, FRAMES, 24.0, info.digest)
    return Motion(made.fps, made.bone_names, made.root, made.quats, info.digest, {"source": "random"})


@pytest.mark.parametrize(("name", "place", "turn"), [
    ("closed form, filtered", 1.0, 11.0),
    ("FABRIK a frame", 0.6, 11.0),
    ("least squares a frame", 0.2, 3.0),
    ("LBFGS, whole clip", 0.4, 8.0),
    ("ours", 0.1, 3.0),
])  # fmt: skip
def test_every_peer_finds_the_motion_from_clean_readings(info, motion, name, place, turn):
    # What joints alone do not show, the twist, stays where the rest pose has it.
    torch.set_num_threads(1)
    row = contend(info, motion, troubles.CLEAN, PEERS[name])
    assert row["mean_pct"] < place
    assert row["rotation_deg"] < turn
    noisy = contend(info, motion, troubles.MIXED_8, PEERS[name])
    assert noisy["mean_pct"] > row["mean_pct"]


def test_all_peers_are_tried():
    assert list(PEERS)[-1] == "ours"
    assert len(PEERS) == 5


def test_slopes_of_least_squares(info, motion):
    seen = observe(troubles.readings(info, motion, troubles.MIXED_4), Settings(), info.skeleton)
    frame = Frame(info.skeleton, seen.frames(0, 1), State(motion.root[:1], motion.quats[:1]))
    step = np.random.default_rng(0).normal(0, 0.1, frame.start.width)
    by_difference = np.stack(
        [
            (frame.residuals(step + d) - frame.residuals(step - d)) / 2e-6
            for d in 1e-6 * np.eye(len(step))[::7]
        ],
        1,
    )
    np.testing.assert_allclose(frame.jacobian(step)[:, ::7], by_difference, atol=1e-5)


def test_fabrik_keeps_the_lengths_and_reaches_what_can_be_reached(info, motion):
    skeleton = info.skeleton.bare
    tree = Tree.of(skeleton)
    truth = motion.pose(skeleton)
    true = np.empty((FRAMES, len(tree.parents), 3))
    true[:, : len(skeleton.bones)] = truth.heads
    true[:, tree.of_joint] = truth.joints
    np.testing.assert_allclose(reached(tree, true), true, atol=1e-9)
    found = reached(tree, true + np.random.default_rng(0).normal(0, 0.02, true.shape))
    below = tree.parents >= 0
    lengths = np.linalg.norm(found - found[:, tree.parents], axis=-1)[:, below]
    np.testing.assert_allclose(lengths, np.broadcast_to(tree.lengths[below], lengths.shape), atol=1e-9)


def test_lbfgs_poses_as_the_skeleton_does(info, motion):
    skeleton = info.skeleton
    arrays = map(torch.tensor, (skeleton.rest, skeleton.heads, skeleton.joint_points, motion.root))
    *fixed, root = arrays
    local = torch.tensor(rot.quat_to_matrix(motion.quats))
    joints = posed(skeleton, *fixed, root, local)
    np.testing.assert_allclose(joints.numpy(), motion.joints(skeleton), atol=1e-12)
    for v, view in enumerate(info.layout.views):
        pixels = project(torch.tensor(view.matrix), joints).numpy()
        np.testing.assert_allclose(pixels, info.layout.project(joints.numpy())[0][:, v], atol=1e-8)
    v = np.random.default_rng(0).normal(size=(5, 3)) * [[0], [1e-6], [1e-3], [1], [3]]
    np.testing.assert_allclose(exp_so3(torch.tensor(v)).numpy(), rot.exp_so3(v), atol=1e-12)


def test_smoothing_keeps_what_is_slow_without_lag_and_takes_what_is_fast():
    time = np.arange(96) / 24.0
    slow, fast = np.sin(2 * np.pi * time), np.sin(2 * np.pi * 10.0 * time)
    np.testing.assert_allclose(low_pass(slow[:, None], 24.0)[12:-12, 0], slow[12:-12], atol=0.01)
    assert np.abs(low_pass(fast[:, None], 24.0)[12:-12]).max() < 0.1
    assert (low_pass(fast[:, None], 2 * CUTOFF_HZ) == fast[:, None]).all()
