# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""How far a solve can be trusted: estimated errors, grades, the file that holds them, and left as read."""

from dataclasses import replace

import numpy as np
import pytest

from mocap import poses
from mocap.errors import BadInput
from mocap.exam.readings import Trouble, made_up_readings
from mocap.solve import AsRead, Settings, Solved, grades, posterior, residuals, solve
from mocap.solve.__main__ import _as_read
from mocap.solve.banded import Coupling, factor
from mocap.solve.observations import observe
from mocap.solve.result import result_path
from tests.mocap import rigs


@pytest.fixture(scope="module")
def info():
    return rigs.rig_info(size=780)


@pytest.fixture(scope="module")
def motion(info):
    return poses.random_motion(info.skeleton, 4, 60, 24.0, info.digest)


@pytest.fixture(scope="module")
def solved(info, motion):
    return solve(made_up_readings(info, motion.joints(info.skeleton), Trouble(4.0, 0.15, 0.05)), info)


def within(info, solved, motion) -> float:
    """Share of the joints that lie within their estimated error."""
    off = np.linalg.norm(solved.motion.joints(info.skeleton) - motion.joints(info.skeleton), axis=-1)
    return float((off < solved.error).mean())


@pytest.mark.parametrize(
    "trouble",
    [Trouble(2.0), Trouble(4.0, 0.15, 0.05), Trouble(4.0, correlation=0.8), Trouble(4.0, claimed_px=1.5)],
    ids=lambda trouble: trouble.name,
)
def test_two_thirds_lie_within_the_estimated_error(info, motion, trouble):
    solved = solve(
        made_up_readings(info, motion.joints(info.skeleton), trouble), info, Settings(lasting_error=0)
    )
    assert 0.5 < within(info, solved, motion) < 0.85


def test_estimated_errors_tell_where_the_solve_is_worse(info, motion):
    """A leg that one view does not show for half the clip is known less well there, and the estimate says so."""
    detections = made_up_readings(info, motion.joints(info.skeleton), Trouble(3.0))
    names = info.skeleton.joint_names
    leg = [names.index(name) for name in ("shin.L", "hock.L", "foot.L", "foot.L.tip")]
    confidence = detections.confidence.copy()
    confidence[15:45, 1, leg] = 0
    solved = solve(replace(detections, confidence=confidence), info)
    off = np.linalg.norm(solved.motion.joints(info.skeleton) - motion.joints(info.skeleton), axis=-1)
    hidden, shown = np.ix_(range(20, 40), leg), np.ix_([*range(10), *range(50, 60)], leg)
    assert off[hidden].mean() > off[shown].mean()
    assert solved.error[hidden].mean() > 1.5 * solved.error[shown].mean()
    assert (solved.grades[hidden] != grades.READ).all()
    assert (solved.grades[shown] == grades.READ).mean() > 0.6


def test_what_is_never_seen_is_lost_or_inferred_and_most_lost_is_refused(info, motion):
    detections = made_up_readings(info, motion.joints(info.skeleton), Trouble(3.0))
    names = info.skeleton.joint_names
    tail = [i for i, name in enumerate(names) if name.startswith("tail")]
    confidence = detections.confidence.copy()
    confidence[..., tail] = 0
    solved = solve(replace(detections, confidence=confidence), info)
    ends = names.index("tail3.tip")
    assert (solved.grades[:, ends] == grades.LOST).all()
    with pytest.raises(BadInput, match=r"det\.npz: .* of the joints are lost") as caught:
        grades.check(np.full((4, 5), grades.LOST), np.zeros(5, bool), Settings(), "det.npz", 0.08)
    assert "\n" not in str(caught.value)


def test_correlation_and_size_of_the_errors_are_inferred(info, motion):
    """Equations that do not give way leave over the errors as they are."""
    joints = motion.joints(info.skeleton)
    posed = info.skeleton.pose(motion.root, motion.quats)
    frames, width = len(joints), 3 + 3 * len(info.skeleton.bones)
    coupled = Coupling(*(np.zeros((frames - ahead, width)) for ahead in range(3)))
    for alike in (0.0, 0.5, 0.9):
        read = made_up_readings(info, joints, Trouble(4.0, correlation=alike))
        pulls = residuals.pulls(observe(read, Settings(), info.skeleton), joints, residuals.Robust(1.25, 0.5))
        stiff = factor(np.zeros((frames, width, width)), coupled, np.full(frames, 1e12))
        linear = posterior.Linear.of(info.skeleton, posed, stiff, pulls)
        found = posterior.infer(linear, pulls, np.random.default_rng(1))
        assert found.alike == pytest.approx(alike, abs=0.1)


def test_errors_that_last_keep_their_size():
    fresh = np.random.default_rng(0).normal(size=(4000, 1, 1, 2, 1))
    lasting = posterior.lasts(fresh, 0.8)
    assert lasting.std() == pytest.approx(1, abs=0.1)
    assert posterior.correlation(lasting, np.ones((4000, 1, 1), bool)) == pytest.approx(0.8, abs=0.03)
    np.testing.assert_array_equal(posterior.lasts(fresh, 0.0), fresh)


def test_a_result_comes_back_from_its_file(solved, tmp_path):
    path = result_path(tmp_path / "walk.json")
    assert path.name == "walk.result.npz"
    solved.save(path)
    back = Solved.load(path)
    for name in ("calibration", "error", "grades"):
        np.testing.assert_array_equal(getattr(back, name), getattr(solved, name))
    np.testing.assert_array_equal(back.motion.quats, solved.motion.quats)
    assert back.summary() == solved.summary()
    assert back.joint_names == solved.joint_names
    assert back.motion.rig_digest == solved.motion.rig_digest


def test_another_file_is_no_result(tmp_path):
    path = tmp_path / "x.npz"
    path.write_bytes(b"PK nonsense")
    with pytest.raises(BadInput, match="not a solver's result"):
        Solved.load(path)
    np.savez(path, header=np.array('{"schema": 1, "kind": "anymove.solved"}'))
    with pytest.raises(BadInput, match=r"x\.npz"):
        Solved.load(path)


def test_grades_name_what_they_count(solved):
    told = solved.summary()["graded"]
    assert set(told) == {"lost", "inferred", "read"}
    assert sum(told.values()) == pytest.approx(1)
    assert told["read"] > 0.5


@pytest.fixture(scope="module")
def exchanged(info, motion):
    """Hind legs exchanged in the side view, frames 20 to 39."""
    detections = made_up_readings(info, motion.joints(info.skeleton), Trouble(2.0))
    names = info.skeleton.joint_names
    positions = detections.positions.copy()
    for name in ("thigh", "shin", "hock", "foot", "foot.{}.tip"):
        left, right = (names.index(name.format(s) if "{}" in name else f"{name}.{s}") for s in "LR")
        positions[20:40, 1, [left, right]] = detections.positions[20:40, 1, [right, left]]
    return replace(detections, positions=positions)


def test_a_limb_left_as_read_is_not_exchanged(info, exchanged):
    found = solve(exchanged, info).swaps
    assert [(swap.limb, swap.view) for swap in found] == [("hind_leg.L", "side")]
    assert len(set(found[0].frames) ^ set(range(20, 40))) <= 2
    for limb in ("hind_leg.L", "hind_leg.R"):
        assert solve(exchanged, info, as_read=[AsRead(limb, "side")]).swaps == []
    part = solve(exchanged, info, as_read=[AsRead("hind_leg.L", "side", 20, 30)]).swaps
    assert not {frame for swap in part for frame in swap.frames} & set(range(20, 30))
    other = solve(exchanged, info, as_read=[AsRead("fore_leg.L")]).swaps
    assert [(swap.limb, swap.frames) for swap in other] == [(swap.limb, swap.frames) for swap in found]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (AsRead("hind_leg"), "hind_leg"),
        (AsRead("tail"), "tail"),
        (AsRead("hind_leg.L", "top"), "top"),
        (AsRead("hind_leg.L", "side", 90, 95), "90"),
    ],
)
def test_a_limb_view_or_frame_that_is_not_there_is_refused(info, exchanged, wrong, told):
    with pytest.raises(BadInput, match=told) as caught:
        solve(exchanged, info, as_read=[wrong])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("leg1.L", AsRead("leg1.L")),
        ("leg1.L/side", AsRead("leg1.L", "side")),
        ("leg1.L/12-30", AsRead("leg1.L", None, 12, 31)),
        ("leg1.L/side/12-30", AsRead("leg1.L", "side", 12, 31)),
    ],
)
def test_as_read_on_the_command_line(text, meant):
    assert _as_read(text) == meant
