# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Laws of the solver: what must not change its answer, and what must change it in a known way."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mocap import poses
from mocap import rotations as rot
from mocap.detections import Detections
from mocap.exam.readings import Trouble, made_up_readings
from mocap.layout import Layout
from mocap.rig_info import RigInfo
from mocap.solve import Settings, solve
from tests.mocap import rigs

FRAMES = 36
NOISY = Trouble(4, missing=0.1, gross=0.03)
few = settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
"""A solve takes half a second: few examples, but other ones each time the database is empty."""


@pytest.fixture(scope="module")
def info():
    """Panels in which the creature is some 400 px high."""
    return rigs.rig_info(size=780)


@pytest.fixture(scope="module")
def truth(info):
    return poses.random_motion(info.skeleton, 5, FRAMES, 24.0, info.digest).joints(info.skeleton)


@pytest.fixture(scope="module")
def read(info, truth):
    return made_up_readings(info, truth, NOISY)


@pytest.fixture(scope="module")
def found(info, read):
    return solve(read, info)


def apart(info, one: np.ndarray, other: np.ndarray) -> float:
    """Mean distance of joints (T, J, 3), percent of the height."""
    return float(100 * np.linalg.norm(one - other, axis=-1).mean() / info.skeleton.height)


def for_rig(read: Detections, info: RigInfo) -> Detections:
    return replace(read, layout=info.layout, rig_digest=info.digest, joint_names=info.skeleton.joint_names)


@few
@given(angle=st.floats(-0.6, 0.6), shift=st.tuples(*(st.floats(-0.3, 0.3),) * 2), seed=st.integers(0, 2**16))
def test_turning_and_shifting_the_cameras_moves_the_root_and_nothing_else(info, truth, angle, shift, seed):
    """Gauge freedom: no pixel tells where in the world the creature stands and which way is north."""
    read = made_up_readings(info, truth, NOISY, seed=seed)
    turn = rot.exp_so3(np.array([0, 0, angle]))
    move = np.array([*shift, 0.0])
    views = [
        replace(view, rotation=to_rows(view.R @ turn.T), position=tuple(turn @ view.position + move))
        for view in info.layout.views
    ]
    moved = replace(info, layout=Layout(tuple(views)))
    exact = Settings(calibrate=False)
    here, there = solve(read, info, exact), solve(for_rig(read, moved), moved, exact)
    expected = here.motion.joints(info.skeleton) @ turn.T + move
    assert apart(info, there.motion.joints(info.skeleton), expected) < 0.02
    limbs = [rot.quat_to_matrix(s.motion.quats[:, 1:]) for s in (here, there)]
    assert np.degrees(rot.angle_between(*limbs)).mean() < 0.3


def to_rows(matrix: np.ndarray) -> tuple:
    return tuple(tuple(float(v) for v in row) for row in matrix)


def test_finer_pixels_say_the_same(info, read, found):
    """Twice the pixels, twice the sigma: the same motion."""
    views = [
        replace(v, focal=2 * v.focal, size=(2 * v.size[0], 2 * v.size[1]), corner=(2 * v.corner[0], 0))
        for v in info.layout.views
    ]
    fine = replace(info, layout=Layout(tuple(views)))
    twice = replace(for_rig(read, fine), positions=2 * read.positions, sigma=2 * read.sigma)
    again = solve(twice, fine).motion.joints(info.skeleton)
    assert apart(info, again, found.motion.joints(info.skeleton)) < 0.02


@few
@given(seed=st.integers(0, 2**16))
def test_time_run_backwards_gives_the_motion_backwards(info, truth, seed):
    read = made_up_readings(info, truth, NOISY, seed=seed)
    backwards = replace(
        read,
        positions=read.positions[::-1],
        confidence=read.confidence[::-1],
        sigma=read.sigma[::-1],
    )
    forth, back = solve(read, info), solve(backwards, info)
    joints = back.motion.joints(info.skeleton)[::-1]
    assert apart(info, joints, forth.motion.joints(info.skeleton)) < 0.15


def test_the_order_of_bones_and_joints_does_not_matter(info, read, found):
    order, inverse = other_order(info.skeleton)
    joints = np.random.default_rng(2).permutation(len(info.skeleton.joints))
    shuffled = shuffle(info, order, inverse, joints)
    mixed = replace(
        for_rig(read, shuffled),
        positions=read.positions[:, :, joints],
        confidence=read.confidence[:, :, joints],
        sigma=read.sigma[:, :, joints],
    )
    assert shuffled.skeleton.bone_names != info.skeleton.bone_names
    again = solve(mixed, shuffled)
    expected = found.motion.joints(info.skeleton)[:, joints]
    assert apart(info, again.motion.joints(shuffled.skeleton), expected) < 0.15


def other_order(skeleton) -> tuple[np.ndarray, np.ndarray]:
    """Another order of the bones in which parents come first, deepest branches last; and its inverse."""
    depth = skeleton.ancestors.sum(1)
    mixed = np.random.default_rng(1).permutation(len(skeleton.bones))
    order = mixed[np.argsort(depth[mixed], kind="stable")]
    return order, np.argsort(order)


def shuffle(info: RigInfo, order: np.ndarray, inverse: np.ndarray, joints: np.ndarray) -> RigInfo:
    """The same rig with its bones in ``order`` and its joints as ``joints`` (J,) says."""
    skeleton = info.skeleton
    bones = [
        replace(
            skeleton.bones[b],
            parent=int(inverse[parent]) if (parent := skeleton.bones[b].parent) >= 0 else -1,
        )
        for b in order
    ]
    places = np.argsort(joints)
    kept = [
        replace(
            joint,
            bone=int(inverse[joint.bone]),
            mirror=int(places[joint.mirror]) if joint.mirror >= 0 else -1,
        )
        for joint in (skeleton.joints[j] for j in joints)
    ]
    limbs = [replace(limb, bones=tuple(int(inverse[b]) for b in limb.bones)) for limb in skeleton.limbs]
    return replace(
        info, skeleton=replace(skeleton, bones=tuple(bones), joints=tuple(kept), limbs=tuple(limbs))
    )


@few
@given(seed=st.integers(0, 2**16))
def test_a_solve_of_solved_data_is_a_fixed_point(info, truth, seed):
    """What was solved, read without an error, is solved as it is."""
    first = solve(made_up_readings(info, truth, NOISY, seed=seed), info).motion.joints(info.skeleton)
    again = solve(made_up_readings(info, first, Trouble(0)), info)
    joints = again.motion.joints(info.skeleton)
    assert apart(info, joints, first) < 0.05
    assert again.swaps == []
    last = solve(made_up_readings(info, joints, Trouble(0)), info).motion.joints(info.skeleton)
    assert apart(info, last, joints) < 0.05
