# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Rotations against scipy's, and the properties that callers rely on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

from mocap import rotations as rot

VECTORS = arrays(float, (6, 3), elements=st.floats(-7, 7, width=32))
QUATS = arrays(float, (6, 4), elements=st.floats(-1, 1, width=32)).map(
    lambda q: rot.quat_normalize(np.where(np.linalg.norm(q, axis=-1, keepdims=True) < 0.1, [1.0, 0, 0, 0], q))
)


def to_scipy(q: np.ndarray) -> Rotation:
    return Rotation.from_quat(q[..., [1, 2, 3, 0]])


@given(VECTORS)
def test_exponential_is_scipys(vectors):
    expected = Rotation.from_rotvec(vectors).as_matrix()
    np.testing.assert_allclose(rot.exp_so3(vectors), expected, atol=1e-6)
    np.testing.assert_allclose(rot.quat_to_matrix(rot.rotvec_to_quat(vectors)), expected, atol=1e-9)


@given(QUATS)
def test_logarithm_undoes_the_exponential(quats):
    matrix = rot.quat_to_matrix(quats)
    vector = rot.log_so3(matrix)
    assert (np.linalg.norm(vector, axis=-1) <= np.pi + 1e-9).all()
    np.testing.assert_allclose(rot.exp_so3(vector), matrix, atol=1e-6)


@given(QUATS, QUATS)
def test_product_and_conjugate_are_scipys(a, b):
    product = to_scipy(a) * to_scipy(b)
    np.testing.assert_allclose(rot.quat_to_matrix(rot.quat_multiply(a, b)), product.as_matrix(), atol=1e-9)
    np.testing.assert_allclose(
        rot.quat_multiply(a, rot.quat_conjugate(a)), np.tile([1.0, 0, 0, 0], (6, 1)), atol=1e-9
    )


@given(QUATS)
def test_matrix_and_quaternion_round_trip(quats):
    back = rot.matrix_to_quat(rot.quat_to_matrix(quats))
    np.testing.assert_allclose(np.abs((back * quats).sum(-1)), 1, atol=1e-9)
    assert (back[..., 0] >= 0).all()


@given(arrays(float, (6, 3), elements=st.floats(-3.125, 3.125, width=32)))
def test_euler_angles_are_blenders_xyz(eulers):
    expected = Rotation.from_euler("xyz", eulers).as_matrix()
    np.testing.assert_allclose(rot.euler_to_matrix(eulers), expected, atol=1e-9)
    back = rot.euler_to_matrix(rot.matrix_to_euler(expected))
    np.testing.assert_allclose(back, expected, atol=1e-4)


@pytest.mark.parametrize("pole", [np.pi / 2, -np.pi / 2])
def test_euler_angles_at_the_poles_still_give_the_rotation(pole):
    matrix = rot.euler_to_matrix(np.array([0.4, pole, -0.7]))
    np.testing.assert_allclose(rot.euler_to_matrix(rot.matrix_to_euler(matrix)), matrix, atol=1e-6)


@given(arrays(float, (6, 3), elements=st.floats(-3.125, 3.125, width=32)))
def test_nearer_euler_triple_finds_angles_inside_the_limits(inside):
    """Angles beyond 90 degrees about y have a second triple: the one inside the limits must be found."""
    low, high = inside - 0.02, inside + 0.02
    found = rot.euler_near(rot.matrix_to_euler(rot.euler_to_matrix(inside)), low, high)
    np.testing.assert_allclose(rot.euler_to_matrix(found), rot.euler_to_matrix(inside), atol=1e-5)
    away_from_poles = np.abs(np.cos(inside[:, 1])) > 0.05
    breach = np.maximum(low - found, 0) + np.maximum(found - high, 0)
    assert (breach[away_from_poles] < 1e-6).all()


@given(QUATS, arrays(float, (3,), elements=st.floats(-1, 1, width=32)))
def test_swing_and_twist_recompose(quats, axis):
    if np.linalg.norm(axis) < 0.1:
        axis = np.array([0.0, 1.0, 0.0])
    axis = axis / np.linalg.norm(axis)
    swing, twist = rot.swing_twist(quats, axis)
    np.testing.assert_allclose(np.abs((rot.quat_multiply(swing, twist) * quats).sum(-1)), 1, atol=1e-6)
    np.testing.assert_allclose((swing[..., 1:] * axis).sum(-1), 0, atol=1e-6)
    np.testing.assert_allclose(np.cross(twist[..., 1:], axis), 0, atol=1e-6)


def test_continuity_removes_sign_flips_and_keeps_rotations():
    rng = np.random.default_rng(0)
    smooth = rot.rotvec_to_quat(np.cumsum(rng.normal(0, 0.2, (50, 4, 3)), 0))
    flipped = smooth * rng.choice([-1.0, 1.0], (50, 4, 1))
    fixed = rot.quat_continuous(flipped)
    assert ((fixed[1:] * fixed[:-1]).sum(-1) > 0).all()
    np.testing.assert_allclose(rot.quat_to_matrix(fixed), rot.quat_to_matrix(smooth), atol=1e-12)


@given(QUATS, QUATS, st.floats(0, 1))
def test_slerp_takes_the_shorter_arc_at_constant_speed(a, b, share):
    middle = rot.quat_slerp(a, b, np.full(6, share))
    whole = rot.angle_between(rot.quat_to_matrix(a), rot.quat_to_matrix(b))
    part = rot.angle_between(rot.quat_to_matrix(a), rot.quat_to_matrix(middle))
    np.testing.assert_allclose(part, share * whole, atol=1e-4)


def test_angle_between_is_in_radians():
    turned = rot.exp_so3(np.array([0.0, 0.3, 0.0]))
    assert rot.angle_between(np.eye(3), turned) == pytest.approx(0.3)


def test_euler_angles_go_on_past_poles_and_turns():
    """Each axis turns on its own through two whole turns, y through both poles: no jump, the same rotations."""
    run = np.linspace(0, 4 * np.pi, 400)
    for axis in range(3):
        eulers = np.full((400, 2, 3), 0.1)
        eulers[:, 0, axis] += run
        matrices = rot.euler_to_matrix(eulers)
        found = rot.euler_continuous(rot.matrix_to_euler(matrices))
        np.testing.assert_allclose(rot.euler_to_matrix(found), matrices, atol=1e-9)
        assert np.abs(np.diff(found, axis=0)).max() < 0.1
