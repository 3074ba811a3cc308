# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Every term of the solver's equations against finite differences."""

import numpy as np
import pytest

from mocap import poses
from mocap import rotations as rot
from mocap.solve import limits, residuals, twists
from mocap.solve.banded import Border
from mocap.solve.calibration import Calibration
from mocap.solve.contacts import Anchors
from mocap.solve.kinematics import State, right_jacobian_inverse
from mocap.solve.observations import Observations, height_px, observe, pivot
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
    frames, width = len(state.root), state.width
    border = Border(np.zeros((frames, width, 0)), np.zeros((0, 0)))
    return Normal(np.zeros((frames, width, width)), np.zeros((frames, width)), border, np.zeros(0))


def jacobian(skeleton, state: State) -> np.ndarray:
    """(T, J, 3, n) derivative of the joints by the unknowns, by differences."""
    columns = []
    for column in range(state.width):
        step = np.zeros((len(state.root), state.width))
        step[:, column] = STEP
        ahead, behind = (skeleton.pose(*state.moved(s)).joints for s in (step, -step))
        columns.append((ahead - behind) / (2 * STEP))
    return np.stack(columns, -1)


def problem(info, observations: Observations, settings: Settings):
    """A calibration with faults of every kind, and contacts that pull at two joints."""
    skeleton, frames = info.skeleton, len(observations.positions)
    high = height_px(skeleton, info.layout)
    calibration = Calibration.of(info.layout, pivot(skeleton), frames, high, settings)
    coefficients = np.random.default_rng(5).normal(0, 1, calibration.size) * calibration.deviations
    anchors = Anchors.none(frames, len(skeleton.joints))
    anchors.precision[:, :2] = 300.0
    return calibration, coefficients, anchors


def test_what_pulls_at_joints_meets_the_unknowns_as_the_jacobian_says(info, state):
    skeleton = info.skeleton
    rng = np.random.default_rng(0)
    posed = skeleton.pose(*state)
    half = rng.normal(size=(2, len(skeleton.joints), 3, 3))
    weight, pull = half @ np.swapaxes(half, -1, -2), rng.normal(size=(2, len(skeleton.joints), 3, 4))
    hessian, gradients = twists.equations(skeleton, posed, twists.of_joints(skeleton, posed, weight, pull))
    slope = jacobian(skeleton, state)
    np.testing.assert_allclose(
        hessian, np.einsum("tjak,tjab,tjbl->tkl", slope, weight, slope, optimize=True), atol=1e-6
    )
    np.testing.assert_allclose(gradients, np.einsum("tjak,tjac->tkc", slope, pull), atol=1e-6)


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
def test_gradient_of_readings_and_contacts(info, state, shape):
    """Also with stray readings, where the robust loss bends, and with views that are wrong."""
    skeleton, settings = info.skeleton, Settings()
    detections = rigs.detections(
        info, skeleton.pose(*state).joints, noise=6.0, sigma=3.0, missing=0.2, gross=0.2
    )
    observations = observe(detections, settings, skeleton)
    robust = Robust(1.25, shape)
    calibration, coefficients, anchors = problem(info, observations, settings)

    def cost(moved: State, found: np.ndarray) -> float:
        joints = skeleton.pose(*moved).joints
        seen = observations._replace(cameras=calibration.cameras(found))
        fit = residuals.reprojection_cost(seen, joints, robust)
        return fit + anchors.cost(joints) + calibration.cost(found)

    seen = observations._replace(cameras=calibration.cameras(coefficients))
    posed = skeleton.pose(*state)
    normal = residuals.joint_normal(skeleton, seen, posed, robust, calibration, coefficients, anchors)
    numeric = numeric_gradient(lambda moved: cost(moved, coefficients), state)
    np.testing.assert_allclose(normal.gradient, numeric, rtol=1e-4, atol=1e-3)
    small = 1e-4 * calibration.deviations
    for index, step in enumerate(np.diag(small)):
        ahead, behind = (cost(state, coefficients + s) for s in (step, -step))
        expected = (ahead - behind) / (4 * small[index])
        assert normal.below[index] == pytest.approx(expected, rel=1e-3, abs=1e-3)


def test_gauss_newton_hessian_is_the_jacobians_square(info, state):
    """Without noise the residuals vanish and the Hessian is exactly the Gauss-Newton one, also where the step changes
    what the views get wrong."""
    skeleton, settings = info.skeleton, Settings()
    posed = skeleton.pose(*state)
    observations = observe(rigs.detections(info, posed.joints, sigma=3.0), settings, skeleton)
    robust = Robust(1.25, 0.5)
    calibration, coefficients, _ = problem(info, observations, settings)
    none, anchors = 0 * coefficients, Anchors.none(2, len(skeleton.joints))
    normal = residuals.joint_normal(skeleton, observations, posed, robust, calibration, none, anchors)
    step = np.random.default_rng(0).normal(0, 1e-4, (2, state.width))
    turn = 1e-3 * coefficients
    predicted = np.einsum("ti,tij,tj->", step, normal.hessian, step)
    predicted += 2 * np.einsum("ti,tim,m->", step, normal.border.columns, turn)
    predicted += turn @ normal.border.corner @ turn
    moved = skeleton.pose(*state.moved(step)).joints
    seen = observations._replace(cameras=calibration.cameras(turn))
    found = residuals.reprojection_cost(seen, moved, robust) + calibration.cost(turn)
    assert found == pytest.approx(predicted, rel=2e-2)


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
    rest = residuals.Rest.of(info.skeleton, Settings())
    normal = empty(state)
    residuals.add_rest(normal, rest, state)
    np.testing.assert_allclose(normal.gradient, numeric_gradient(rest.cost, state), atol=1e-5)
    bone = info.skeleton.bone_index("arm.L")
    axis = info.skeleton.axes[bone]
    across = np.cross(axis, [1.0, 0, 0])
    across /= np.linalg.norm(across)
    weight = rest.weights[bone]
    assert axis @ weight @ axis == pytest.approx(16 * (across @ weight @ across))
    assert not rest.weights[0].any(), "the root may turn freely"


def test_rest_prior_about_other_poses_than_rest(info, state):
    middle = rot.rotvec_to_quat(np.random.default_rng(1).normal(0, 0.3, (len(info.skeleton.bones), 3)))
    rest = residuals.Rest.of(info.skeleton, Settings())._replace(middle=middle)
    normal = empty(state)
    residuals.add_rest(normal, rest, state)
    np.testing.assert_allclose(normal.gradient, numeric_gradient(rest.cost, state), atol=1e-5)
    assert rest.cost(State(state.root, np.stack([middle] * 2))) == pytest.approx(0)


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
