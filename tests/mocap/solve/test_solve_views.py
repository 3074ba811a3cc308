# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Views that do not keep to the layout: what they get wrong is found along with the motion."""

from dataclasses import replace

import numpy as np
import pytest

from mocap import poses
from mocap.exam.readings import Trouble, made_up_readings
from mocap.solve import Settings, solve
from mocap.solve.calibration import Calibration
from mocap.solve.cameras import OFFSET, SCALE, YAW, Cameras
from mocap.solve.observations import height_px, pivot
from tests.mocap import rigs

FRAMES = 60


@pytest.fixture(scope="module")
def info():
    return rigs.rig_info(size=780)


@pytest.fixture(scope="module")
def motion(info):
    return poses.random_motion(info.skeleton, 3, FRAMES, 24.0, info.digest)


def faults(info, drifting: bool) -> np.ndarray:
    """(T, V, 3): the first view 3% too small, the second 5% too large, 12 px too low (of 400) and turned by 4
    degrees; ``drifting``: each of it by half as much again over the clip."""
    pixels = float(height_px(info.skeleton, info.layout).mean()) / 400
    out = np.zeros((FRAMES, 2, 3))
    out[:, 0, SCALE] = np.log(0.97)
    out[:, 1] = np.log(1.05), 12 * pixels, np.radians(4)
    time = np.linspace(-0.25, 0.25, FRAMES) if drifting else np.zeros(FRAMES)
    return out * (1 + time[:, None, None])


def read_wrongly(info, motion, errors, noise=2.0):
    """Readings by cameras that are off, of which the detections know nothing."""
    joints = motion.joints(info.skeleton)
    clean = made_up_readings(info, joints, Trouble(noise))
    honest, _ = Cameras.nominal(info.layout, pivot(info.skeleton), FRAMES).project(joints)
    wrong, _ = Cameras.of(info.layout, pivot(info.skeleton), errors).project(joints)
    return replace(clean, positions=clean.positions + wrong - honest)


def mean_error(info, solved, motion) -> float:
    """Percent of the height, without what no view can tell: a common shift, scale and turn of everything."""
    found, true = (m.joints(info.skeleton).reshape(-1, 3) for m in (solved.motion, motion))
    arms = [points - points.mean(0) for points in (found, true)]
    u, _, vt = np.linalg.svd(arms[1].T @ arms[0])
    turn = u @ np.diag([1, 1, np.sign(np.linalg.det(u @ vt))]) @ vt
    return 100 * float(np.linalg.norm(arms[0] @ turn.T - arms[1], axis=-1).mean()) / info.skeleton.height


@pytest.mark.parametrize("drifting", [False, True], ids=["off", "off and drifting"])
def test_views_that_are_off_cost_nothing_once_calibrated(info, motion, drifting):
    errors = faults(info, drifting)
    right = mean_error(
        info, solve(rigs.detections(info, motion.joints(info.skeleton), noise=2.0), info), motion
    )
    detections = read_wrongly(info, motion, errors)
    solved = solve(detections, info)
    assert mean_error(info, solved, motion) < 1.15 * right
    blind = solve(detections, info, Settings(calibrate=False))
    assert mean_error(info, blind, motion) > 3 * right
    found = solved.calibration
    ratio = np.exp(found[:, 1, SCALE] - found[:, 0, SCALE])
    assert np.abs(ratio / np.exp(errors[:, 1, SCALE] - errors[:, 0, SCALE]) - 1).max() < 0.006
    assert np.degrees(np.abs(found[:, 1, YAW] - errors[:, 1, YAW])).max() < 1.0
    height = float(height_px(info.skeleton, info.layout)[1])
    assert np.abs(found[:, 1, OFFSET] - errors[:, 1, OFFSET]).max() < 0.01 * height
    told = solved.summary()["calibration"]["side"]
    assert told["yaw_deg"] == pytest.approx(4.0, abs=0.5)


def test_right_views_are_left_alone(info, motion):
    solved = solve(rigs.detections(info, motion.joints(info.skeleton), noise=2.0), info)
    scale, down, yaw = np.abs(solved.calibration).max((0, 1))
    assert scale < 0.01
    assert down < 0.01 * height_px(info.skeleton, info.layout)[1]
    assert np.degrees(yaw) < 0.8


def test_nothing_is_calibrated_where_told_or_from_one_view(info, motion):
    detections = rigs.detections(info, motion.joints(info.skeleton), noise=2.0)
    assert not solve(detections, info, Settings(calibrate=False)).calibration.any()
    one = replace(info.layout, views=info.layout.views[:1])
    middle, high = pivot(info.skeleton), height_px(info.skeleton, one)
    assert Calibration.of(one, middle, FRAMES, high, Settings()).size == 0


def test_the_first_view_keeps_its_height_and_turn(info):
    """What the root can explain is left to it: no fault of the calibration does the same to the readings."""
    middle, high = pivot(info.skeleton), height_px(info.skeleton, info.layout)
    calibration = Calibration.of(info.layout, middle, FRAMES, high, Settings())
    assert set(calibration.kinds) == {(0, SCALE), (1, SCALE), (1, OFFSET), (1, YAW)}


def test_a_turned_camera_sees_the_world_turned_the_other_way(info, motion):
    joints = motion.joints(info.skeleton)[:3]
    middle = pivot(info.skeleton)
    errors = np.zeros((3, 2, 3))
    errors[:, 1, YAW] = 0.3
    turned, _ = Cameras.of(info.layout, middle, errors).project(joints)
    cos, sin = np.cos(-0.3), np.sin(-0.3)
    world = (joints - middle) @ np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]]).T + middle
    expected, _ = Cameras.nominal(info.layout, middle, 3).project(world)
    np.testing.assert_allclose(turned[:, 1], expected[:, 1], atol=1e-8)


def test_slopes_of_the_cameras(info, motion):
    joints = motion.joints(info.skeleton)[:2]
    middle = pivot(info.skeleton)
    errors = np.random.default_rng(0).normal(0, 0.05, (2, 2, 3)) * [1, 40, 1]
    cameras = Cameras.of(info.layout, middle, errors)
    pixels, _ = cameras.project(joints)
    slope = cameras.jacobian(joints)
    for axis in range(3):
        step = 1e-6 * np.eye(3)[axis]
        ahead, behind = (cameras.project(joints + s)[0] for s in (step, -step))
        np.testing.assert_allclose(slope[..., axis], (ahead - behind) / 2e-6, rtol=1e-5, atol=1e-3)
    by_error = cameras.error_jacobian(joints, pixels, slope)
    for kind in range(3):
        step = 1e-6 * np.eye(3)[kind]
        ahead, behind = (
            Cameras.of(info.layout, middle, errors + s).project(joints)[0] for s in (step, -step)
        )
        np.testing.assert_allclose(by_error[..., kind], (ahead - behind) / 2e-6, rtol=1e-5, atol=1e-3)
