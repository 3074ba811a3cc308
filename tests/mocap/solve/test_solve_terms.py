# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Every term of the solver's equations against finite differences."""

import numpy as np
import pytest

from mocap import poses
from mocap import rotations as rot
from mocap.solve import limits, residuals
from mocap.solve.kinematics import State, joint_jacobian, right_jacobian_inverse
from mocap.solve.observations import observe
from mocap.solve.residuals import Normal, Robust
from mocap.solve.settings import Settings
from mocap.solve.smoothness import Smoothness
from tests.mocap import rigs

STEP = 1e-5


@pytest.fixture(scope="module")
def info():
    return rigs.rig_info()


@pytest.fixture(scope="module")
def state(info) -> State:
    """Two random poses near each other, both beyond some limits."""
    skeleton = info.skeleton
    first = poses.random_pose(skeleton, poses.sample_rng(3, 0))
    rng = np.random.default_rng(4)
    spread = rot.rotvec_to_quat(rng.normal(0, 0.15, (2, len(skeleton.bones), 3)))
    return State(np.stack([first.root] * 2), rot.quat_multiply(np.stack([first.quats] * 2), spread))


def numeric_gradient(cost, state: State) -> np.ndarray:
    """Half the slope of a scalar cost, as the solver's gradients are halved."""
    out = np.zeros((len(state.root), state.width))
    for index in np.ndindex(out.shape):
        step = np.zeros_like(out)
        step[index] = STEP
        out[index] = (cost(state.moved(step)) - cost(state.moved(-step))) / (4 * STEP)
    return out


def empty(state: State) -> Normal:
    frames = len(state.root)
    return Normal(np.zeros((frames, state.width, state.width)), np.zeros((frames, state.width)))


def test_joint_jacobian(info, state):
    skeleton = info.skeleton
    analytic = joint_jacobian(skeleton, skeleton.pose(*state))
    for column in range(state.width):
        step = np.zeros((2, state.width))
        step[:, column] = STEP
        ahead, behind = (skeleton.pose(*state.moved(s)).joints for s in (step, -step))
        np.testing.assert_allclose(analytic[..., column], (ahead - behind) / (2 * STEP), atol=1e-8)


@pytest.mark.parametrize("size", [0.0, 1e-5, 0.3, 1.5, 3.0])
def test_right_jacobian_of_the_logarithm(size):
    vector = size * np.array([2.0, -1.0, 2.0]) / 3
    analytic = right_jacobian_inverse(vector)
    turn = rot.rotvec_to_quat(vector)
    for axis in range(3):
        small = rot.rotvec_to_quat(np.eye(3)[axis] * STEP)
        ahead = rot.quat_to_rotvec(rot.quat_multiply(turn, small))
        behind = rot.quat_to_rotvec(rot.quat_multiply(turn, rot.quat_conjugate(small)))
        np.testing.assert_allclose(analytic[:, axis], (ahead - behind) / (2 * STEP), atol=1e-6)


@pytest.mark.parametrize("shape", [0.0, 0.5, 1.0])
def test_reprojection_gradient(info, state, shape):
    """Also with stray readings, where the robust loss bends."""
    joints = info.skeleton.pose(*state).joints
    detections = rigs.detections(info, joints, noise=6.0, sigma=3.0, missing=0.2, gross=0.2)
    observations = observe(detections, Settings())
    robust = Robust(1.25, shape)
    normal = residuals.reprojection_normal(info.skeleton, observations, state, robust)

    def cost(moved: State) -> float:
        return residuals.reprojection_cost(observations, info.skeleton.pose(*moved).joints, robust)

    np.testing.assert_allclose(normal.gradient, numeric_gradient(cost, state), rtol=1e-4, atol=1e-4)


def test_gauss_newton_hessian_is_the_jacobians_square(info, state):
    """Without noise the residuals vanish and the Hessian is exactly the Gauss-Newton one."""
    joints = info.skeleton.pose(*state).joints
    observations = observe(rigs.detections(info, joints, sigma=3.0), Settings())
    robust = Robust(1.25, 0.5)
    normal = residuals.reprojection_normal(info.skeleton, observations, state, robust)
    step = np.random.default_rng(0).normal(0, 1e-4, (2, state.width))
    predicted = np.einsum("ti,tij,tj->", step, normal.hessian, step)
    moved = info.skeleton.pose(*state.moved(step)).joints
    assert residuals.reprojection_cost(observations, moved, robust) == pytest.approx(predicted, rel=1e-2)


def test_robust_loss_bounds_stray_readings():
    far = np.array([1e4])
    huber, cauchy = Robust(1.0, 1.0), Robust(1.0, 0.0)
    assert huber.cost(far)[0] < 0.05 * far[0]
    assert cauchy.cost(far)[0] < huber.cost(far)[0]
    for loss in (huber, cauchy, Robust(1.0, 0.5)):
        small = np.array([1e-6])
        assert loss.cost(small)[0] == pytest.approx(1e-6, rel=1e-3)
        squared = np.array([2.0])
        slope = (loss.cost(squared + 1e-6) - loss.cost(squared - 1e-6)) / 2e-6
        assert loss.weight(squared)[0] == pytest.approx(slope[0], rel=1e-6)


def test_rest_prior_gradient_and_what_it_prefers(info, state):
    weights = residuals.rest_weights(info.skeleton, Settings())
    normal = empty(state)
    residuals.add_rest(normal, weights, state)
    numeric = numeric_gradient(lambda moved: residuals.rest_cost(weights, moved), state)
    np.testing.assert_allclose(normal.gradient, numeric, atol=1e-5)
    bone = info.skeleton.bone_index("arm.L")
    axis = info.skeleton.axes[bone]
    across = np.cross(axis, [1.0, 0, 0])
    across /= np.linalg.norm(across)
    assert axis @ weights[bone] @ axis == pytest.approx(16 * (across @ weights[bone] @ across))
    assert not weights[0].any(), "the root may turn freely"


def test_limit_gradient(info, state):
    softness = np.radians(2.0)
    angles = limits.eulers(info.skeleton, state.quats)
    assert (limits.breach(info.skeleton, angles) != 0).any(), "the test's poses must break limits"
    normal = empty(state)
    limits.add_limits(normal, info.skeleton, state, softness)
    numeric = numeric_gradient(lambda moved: limits.limit_cost(info.skeleton, moved, softness), state)
    np.testing.assert_allclose(normal.gradient, numeric, rtol=1e-4, atol=1e-3)


def test_limits_say_nothing_inside_and_nothing_of_the_root(info):
    skeleton = info.skeleton
    motion = poses.random_motion(skeleton, 1, 5, 24.0, info.digest)
    quats = motion.quats.copy()
    quats[:, 0] = rot.rotvec_to_quat(np.array([3.0, 0.5, 1.0]))
    state = State(motion.root, quats)
    assert limits.limit_cost(skeleton, state, 0.01) == 0
    np.testing.assert_array_equal(limits.clamp(skeleton, state).quats, quats)


def test_clamp_puts_every_bone_inside_and_leaves_the_others(info, state):
    skeleton = info.skeleton
    before = limits.breach(skeleton, limits.eulers(skeleton, state.quats))
    clamped = limits.clamp(skeleton, state)
    after = limits.breach(skeleton, limits.eulers(skeleton, clamped.quats))
    assert np.abs(after).max() < 1e-9
    inside = ~(before != 0).any(-1)
    np.testing.assert_array_equal(clamped.quats[inside], state.quats[inside])


def test_smoothness_gradient_for_gentle_motion(info):
    """The rotations' curvature is neglected, so the slope agrees to a few percent."""
    skeleton = info.skeleton
    motion = poses.random_motion(skeleton, 1, 6, 24.0, info.digest)
    state = State(motion.root, motion.quats)
    smoothness = Smoothness.start(Settings(), 6, len(skeleton.bones), 24.0, skeleton.height)
    numeric = numeric_gradient(smoothness.cost, state)
    analytic = smoothness.gradient(state)
    assert np.linalg.norm(analytic - numeric) < 0.06 * np.linalg.norm(numeric)


def test_smoothness_starts_at_the_clips_rate(info):
    """An acceleration per frame squared shrinks with the square of the frame rate."""
    slow, fast = (Smoothness.start(Settings(), 9, 3, fps, 1.0) for fps in (24.0, 48.0))
    np.testing.assert_allclose(fast.sigma, slow.sigma / 4)


def test_long_clips_are_assembled_in_chunks_alike(info, monkeypatch):
    motion = poses.random_motion(info.skeleton, 1, 7, 24.0, info.digest)
    state = State(motion.root, motion.quats)
    observations = observe(rigs.detections(info, motion.joints(info.skeleton), noise=3.0), Settings())
    whole = residuals.reprojection_normal(info.skeleton, observations, state, Robust(1.25, 0.5))
    monkeypatch.setattr(residuals, "CHUNK", 3)
    parts = residuals.reprojection_normal(info.skeleton, observations, state, Robust(1.25, 0.5))
    np.testing.assert_allclose(parts.hessian, whole.hessian, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(parts.gradient, whole.gradient, rtol=1e-9, atol=1e-9)
