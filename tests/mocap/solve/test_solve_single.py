# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""One view alone: depth from the reader's guess and from habit, told as such, with a larger error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mocap import poses
from mocap import rotations as rot
from mocap.errors import BadInput
from mocap.exam.readings import Trouble, made_up_readings
from mocap.motion import Motion, clip_path
from mocap.solve import Settings, depths, grades, habits, solve, twists
from mocap.solve.kinematics import State
from mocap.solve.observations import observe
from mocap.solve.residuals import Rest
from tests.mocap import synthetic

FRAMES = 30


@pytest.fixture(scope="module")
def info():
    return synthetic.rig_info(size=256)


@pytest.fixture(scope="module")
def motion(info):
    return poses.random_motion(info.skeleton, 5, FRAMES, 24.0, info.digest)


def read(info, motion, depth_noise=0.05, noise=1.0, seed=0):
    """Readings with depths as a reader guesses them: wrong by ``depth_noise`` heights, for many frames alike."""
    posed = motion.pose(info.skeleton)
    out = made_up_readings(info, posed.joints, Trouble(noise), seed=seed)
    _, depth = info.layout.project(posed.joints)
    _, root = info.layout.project(posed.heads[:, :1])
    rng = np.random.default_rng(seed)
    lasting = rng.normal(size=(1, *depth.shape[1:])) * depth_noise
    return replace(out, depth=(depth - root) / info.skeleton.height + lasting)


def error(info, solved, motion, about_root=False) -> float:
    found, true = (m.joints(info.skeleton) for m in (solved.motion, motion))
    if about_root:
        found, true = found - found[:, :1], true - true[:, :1]
    return float(np.linalg.norm(found - true, axis=-1).mean()) / info.skeleton.height


@pytest.mark.parametrize("view", ["front", "side"])
def test_one_view_gives_the_pose_and_says_how_little_it_knows(info, motion, view):
    both = read(info, motion)
    alone, whole = solve(both.through(view), info), solve(both, info)
    assert error(info, alone, motion, about_root=True) < 0.06
    assert error(info, whole, motion) < error(info, alone, motion)
    assert alone.views == (view,)
    assert alone.motion.provenance["views"] == [view]
    assert not (alone.grades == grades.READ).any()
    assert np.median(alone.error) > 2 * np.median(whole.error)
    far = np.linalg.norm(alone.motion.joints(info.skeleton) - motion.joints(info.skeleton), axis=-1)
    assert (far < 2 * alone.error).mean() > 0.8


def test_the_readers_guess_of_depth_helps(info, motion):
    readings = read(info, motion, depth_noise=0.01)
    knows = solve(readings.through("side"), info, Settings(depth_error=0.02))
    without = solve(replace(readings, depth=None).through("side"), info)
    assert error(info, knows, motion, True) < 0.8 * error(info, without, motion, True)


def test_habits_help_where_depth_is_unknown(info):
    """A creature that holds itself sideways, as its clips show."""
    lean = poses.random_motion(info.skeleton, 8, FRAMES, 24.0, info.digest)
    middle = lean.quats[12]
    quats = rot.quat_normalize(0.2 * lean.quats + 0.8 * middle)
    held = Motion(24.0, lean.bone_names, lean.root, quats, info.digest)
    seen = replace(read(info, held), depth=None).through("side")
    without, with_habits = solve(seen, info), solve(seen, info, clips=[held])
    assert error(info, with_habits, held, True) < 0.8 * error(info, without, held, True)


def test_habits_are_the_clips_mean_and_spread(info, motion):
    settings = Settings(habit_spread_deg=5)
    rest = Rest.of(info.skeleton, settings)
    assert habits.learned([], rest, settings) is rest
    found = habits.learned([motion], rest, settings)
    assert (found.weights[0] == 0).all()
    deviations = np.degrees(1 / np.sqrt(np.linalg.eigvalsh(found.weights[1:])))
    assert deviations.min() > 4.99
    still = Motion(24.0, motion.bone_names, motion.root[:1], -motion.quats[:1], info.digest)
    found = habits.learned([still], rest, settings)
    assert rot.quat_to_rotvec(
        rot.quat_multiply(rot.quat_conjugate(found.middle), motion.quats[0])
    ) == pytest.approx(0, abs=1e-6)
    assert np.degrees(1 / np.sqrt(np.linalg.eigvalsh(found.weights[1:]))) == pytest.approx(5)


@pytest.mark.parametrize("which", [0, 1], ids=["distance", "depths"])
def test_slopes_are_those_of_the_cost(info, motion, which):
    skeleton, settings = info.skeleton, Settings(depth_error=0.02, distance_error=0.1)
    seen = observe(read(info, motion).through("side"), settings, skeleton)
    term = depths.terms(seen, skeleton, settings)[which]
    state = State(motion.root + 0.1, motion.quats)
    posed = skeleton.pose(*state)
    pull = term.wrenches(posed)
    _, gradient = twists.equations(skeleton, posed, pull)
    gradient[:, :3] *= not pull.from_root
    rng, step = np.random.default_rng(1), 1e-6
    for _ in range(5):
        direction = rng.normal(size=(FRAMES, state.width))
        ends = [term.cost(skeleton.pose(*state.moved(sign * step * direction))) for sign in (1, -1)]
        # The equations leave out the squares' factor of two.
        assert (ends[0] - ends[1]) / (4 * step) == pytest.approx(
            (gradient[..., 0] * direction).sum(), rel=1e-4
        )


def test_a_missing_view_is_not_passed_over(info, motion):
    readings = read(info, motion)
    readings.confidence[:, 0] = 0
    with pytest.raises(
        BadInput, match=r"nothing was read in the front view; with --view side .* larger error"
    ):
        solve(readings, info)
    with pytest.raises(BadInput, match="no view 'top'; there are front, side"):
        readings.through("top")
    with pytest.raises(BadInput, match="read in the front view"):
        solve(readings.through("front"), info)


def test_clips_that_were_held_out_teach_no_habits(info, motion, tmp_path):
    rig = replace(info, clips=("Run", "Walk"), source={"held_out_clips": ["Walk"]})
    for name in rig.clips:
        path = clip_path(tmp_path / "rig_info.json", name)
        path.parent.mkdir(exist_ok=True)
        replace(motion, rig_digest=rig.digest).save(path)
    assert list(habits.clips(tmp_path / "rig_info.json", rig)) == ["Run"]
