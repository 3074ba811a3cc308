# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The solver's benchmark measures what it says: troubles, figures, verdicts, contacts and estimated errors."""

import json

import numpy as np
import pytest

from bench import contacts, solver, solver_trust
from bench.solver_trust import Trusted, calibration, curve, merged
from bench.solving import figures, long_clips, rigs, targets, troubles
from bench.solving.targets import Target
from mocap import cli, poses
from mocap.motion import Motion, clip_path
from mocap.solve import grades
from mocap.solve.observations import height_px
from tests.mocap import rigs as made

FRAMES = 12


@pytest.fixture(scope="module")
def info():
    return made.rig_info(markers=True)


@pytest.fixture(scope="module")
def motion(info) -> Motion:
    found = poses.random_motion(info.skeleton, 3, FRAMES, 24.0, info.digest)
    return Motion(found.fps, found.bone_names, found.root, found.quats, info.digest, {"source": "random"})


@pytest.fixture
def rig(info, tmp_path):
    """A rig_info.json on disk."""
    path = tmp_path / "rig_info.json"
    info.save(path)
    return path


def test_five_percent_are_gross_and_half_of_these_are_exchanged(info):
    whole = poses.random_motion(info.skeleton, 3, 100, 24.0, info.digest)
    case = troubles.Case("no noise", troubles.mixed(0.0))
    read = troubles.readings(info, whole, case)
    truth, _ = info.layout.project(whole.joints(info.skeleton))
    wrong = np.linalg.norm(read.positions - truth, axis=-1) > 1e-6
    assert 0.04 < wrong.mean() < 0.06
    mirror = info.skeleton.joint_mirror
    swapped = np.linalg.norm(read.positions - truth[:, :, mirror], axis=-1) < 1e-6
    assert 0.02 < (wrong & swapped).mean() < 0.035
    joints = ~info.skeleton.is_marker
    assert np.mean(read.confidence[:, :, joints] == 0) == pytest.approx(0.15, abs=0.02)


def test_views_are_off_by_what_is_said_and_the_noise_is_the_same(info, motion):
    pixel = height_px(info.skeleton, info.layout)[-1] / 400
    off = troubles.faults(info, "off", FRAMES)
    assert not off[:, 0].any()
    np.testing.assert_allclose(off[:, 1], np.broadcast_to([np.log(1.05), 12 * pixel, np.radians(4)], (12, 3)))
    drift = troubles.faults(info, "drift", FRAMES)
    np.testing.assert_allclose(np.ptp(np.exp(drift[:, 1, 0])), 0.03)
    np.testing.assert_allclose(np.ptp(drift[:, 1, 1]), 10 * pixel)
    assert not drift[..., 2].any()
    right, wrong = (troubles.readings(info, motion, c) for c in (troubles.GIVEN, troubles.VIEWS_OFF))
    np.testing.assert_allclose(wrong.positions[:, 0], right.positions[:, 0], atol=1e-8)
    assert np.median(np.abs(wrong.positions[:, 1] - right.positions[:, 1])) > 3 * pixel
    with pytest.raises(ValueError, match="fault is 'moon'"):
        troubles.faults(info, "moon", 3)


def test_figures_of_known_errors(info, motion):
    height = info.skeleton.height
    moved = Motion(
        24.0, motion.bone_names, motion.root + np.array([0.02 * height, 0, 0]), motion.quats, info.digest
    )
    found = figures.accuracy(info, motion, moved)
    assert found["mean_pct"] == pytest.approx(2)
    assert found["p95_pct"] == pytest.approx(2)
    assert found["rotation_deg"] == pytest.approx(0, abs=1e-4)
    assert found["jitter"] == pytest.approx(0, abs=1e-6)
    truth = np.random.default_rng(0).normal(size=(9, 4, 3))
    assert figures.jitter(truth, 0.5 * truth) == pytest.approx(0.5)
    assert figures.jitter(np.zeros((9, 4, 3)), truth[:9]) is None
    assert figures.jitter(truth[:2], truth[:2]) is None


def row(rig: str, motion: str, case: str, **values) -> dict:
    return {"rig": rig, "motion": motion, "case": case, "bones": 23, **values}


def test_a_target_is_met_where_every_rigs_mean_is():
    place = Target("mean", troubles.NOISE_2, "mean_pct", 0.3)
    rows = [
        row("Wolf", "Walk", "2 px", mean_pct=0.2),
        row("Wolf", "Run", "2 px", mean_pct=0.38),
        row("Wolf", "Run", "4 px", mean_pct=9.0),
        row("Fox", "Walk", "2 px", mean_pct=0.1),
    ]
    (verdict,) = targets.verdicts(rows, [place])
    assert verdict.means == {"Wolf": pytest.approx(0.29), "Fox": pytest.approx(0.1)}
    assert verdict.worst == ("Wolf", "Run", 0.38)
    assert (verdict.within, verdict.of, verdict.met) == (2, 3, True)
    rows[0]["mean_pct"] = 0.25
    assert not targets.verdicts(rows, [place])[0].met
    assert targets.verdicts(rows, [Target("?", troubles.LASTING, "mean_pct", 1)]) == []


def test_ratios_and_times_that_grow_with_the_bones():
    ratio = Target("off", troubles.VIEWS_OFF, "mean_pct", 1.15, against=troubles.GIVEN)
    seconds = Target("time", troubles.VIEWS_OFF, "seconds_per_120_frames", 4, grows=True)
    still = Target("jitter", troubles.VIEWS_OFF, "jitter", 0.5)
    rows = [
        row("Wolf", "Walk", troubles.GIVEN.name, mean_pct=0.2),
        row(
            *("Wolf", "Walk", troubles.VIEWS_OFF.name), mean_pct=0.3, seconds_per_120_frames=2.0, jitter=None
        ),
    ]
    ratios, times = targets.verdicts(rows, [ratio, seconds, still])
    assert ratios.means["Wolf"] == pytest.approx(1.5)
    assert not ratios.met
    assert times.means["Wolf"] == pytest.approx(4)


def test_one_measurement_from_end_to_end(info, motion):
    clean = figures.measure(info, motion, troubles.CLEAN)
    noisy = figures.measure(info, motion, troubles.MIXED_8)
    assert clean["mean_pct"] < 0.1 < noisy["mean_pct"] < 5
    assert clean["false_swaps"] == 0
    assert noisy["seconds"] > 0
    given = figures.measure(info, motion, troubles.GIVEN)
    assert given["motion"] == "random"


def test_walking_on_a_foot_makes_it_stand(info):
    skeleton = info.skeleton
    still = poses.random_motion(skeleton, 3, 30, 24.0, info.digest)
    moving = Motion(
        24.0, still.bone_names, np.zeros((30, 3)) + skeleton.heads[0], still.quats[:1].repeat(30, 0), info.digest
    )  # fmt: skip
    drifting = moving.root + np.arange(30)[:, None] * np.array([0, 0.05, 0])
    slid = Motion(24.0, moving.bone_names, drifting, moving.quats, info.digest)
    assert not contacts.standing(skeleton, slid.joints(skeleton), 24.0).any()
    walked = contacts.walking(skeleton, slid)
    stands = contacts.standing(skeleton, walked.joints(skeleton), 24.0)
    assert stands[:, 0].all() or stands.any(1).all()
    assert np.ptp(walked.joints(skeleton), axis=0).max() < 1e-9


def test_contacts_from_end_to_end(info, tmp_path):
    clip = poses.random_motion(info.skeleton, 3, 10, 24.0, info.digest)
    with_clip = made_with_clip(info, tmp_path, clip)
    out = tmp_path / "out.json"
    options = ["--rig", str(with_clip), "--clips", "Walk", "--quick", "--frames", "12", "--json", str(out)]
    assert cli.run(contacts.main, options) == 0
    rows = json.loads(out.read_text())["rows"]
    assert [r["kind"] for r in rows] == list(contacts.KINDS)
    assert cli.run(contacts.main, ["--rig", str(with_clip), "--clips", "Swim"]) == 2


def made_with_clip(info, folder, clip):
    from dataclasses import replace

    path = folder / "rig_info.json"
    replace(info, clips=("Walk",)).save(path)
    clip_path(path, "Walk").parent.mkdir()
    clip.save(clip_path(path, "Walk"))
    return path


def test_shares_within_estimates_by_grade():
    error = np.array([0.5, 1.5, 2.5, 0.5])
    index = {name: i for i, name in enumerate(grades.NAMES)}
    grade = np.array([index["read"], index["read"], index["read"], index["inferred"]])
    halves = [Trusted("4 px", True, error[i::2], np.ones(2), grade[i::2]) for i in (0, 1)]
    (found,) = merged(halves)
    rows = {r["grade"]: r for r in calibration(found)}
    assert list(rows) == ["all", "read", "inferred"]
    assert rows["all"]["within_1_pct"] == 50
    assert rows["read"]["within_1_pct"] == pytest.approx(100 / 3)
    assert rows["read"]["within_2_pct"] == pytest.approx(200 / 3)
    assert rows["inferred"]["share_pct"] == 25


def test_the_curve_is_the_diagonal_where_estimates_are_right():
    rng = np.random.default_rng(0)
    deviation = rng.uniform(0.1, 1, 40000)
    error = np.linalg.norm(rng.normal(size=(40000, 3)), axis=1) * deviation
    found = Trusted("?", True, error, grades.WITHIN * deviation, np.zeros(40000, int))
    estimates, errors = curve(found)
    np.testing.assert_allclose(errors, estimates, rtol=0.1)
    assert calibration(found)[0]["within_1_pct"] == pytest.approx(68, abs=1)
    assert calibration(found)[0]["within_2_pct"] == pytest.approx(99.7, abs=0.2)


def test_trust_from_end_to_end(rig, tmp_path):
    out, plot = tmp_path / "out.json", tmp_path / "new" / "plot.png"
    options = ["--rig", str(rig), "--quick", "--frames", "12", "--plot", str(plot), "--json", str(out)]
    assert cli.run(solver_trust.main, options) == 0
    assert plot.stat().st_size > 5000
    rows = json.loads(out.read_text())["rows"]
    assert {row["allows"] for row in rows} == {True, False}


def test_a_long_clip_is_measured_in_a_child(rig):
    found = long_clips.in_child(rig, FRAMES)
    assert found["frames"] == FRAMES
    assert found["mean_pct"] < 2
    assert 20 < found["start_mb"] <= found["peak_mb"] < 2000
    with pytest.raises(long_clips.AnymoveError, match=r"12 frames: .*no such file"):
        long_clips.in_child(rig.with_name("none.json"), FRAMES)


def test_wrong_input_is_one_line_and_exit_code_2(rig, tmp_path, capsys):
    assert cli.run(solver.main, ["--rigs", str(tmp_path / "none.glb")]) == 2
    assert cli.run(solver.main, ["--rig", str(rig), "--clips", "Swim"]) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert "none.glb: no such file" in said[0]
    assert "no clip 'Swim'" in said[1]
    for wrong in (["--peers", "--long"], ["--long", "0"], ["--frames", "x"], ["--peers", "--no-markers"]):
        with pytest.raises(SystemExit) as stopped:
            solver.main(["--rig", str(rig), *wrong])
        assert stopped.value.code == 2


def test_one_rig_from_end_to_end(rig, tmp_path):
    out = tmp_path / "out.json"
    rows = []
    for more in ([], ["--no-markers"]):
        options = ["--rig", str(rig), "--quick", "--frames", "12", "--json", str(out), *more]
        assert cli.run(solver.main, options) == 0
        rows.append(json.loads(out.read_text())["rows"])
        assert [row["case"] for row in rows[-1]] == [case.name for case in troubles.QUICK]
    assert rows[0][0]["rotation_deg"] < 0.7 * rows[1][0]["rotation_deg"]


@pytest.mark.rigs
@pytest.mark.bpy
def test_a_rig_is_adopted_from_its_file(creatures, tmp_path):
    path = rigs.adopt(creatures / "KhronosFox.glb", tmp_path / "fox")
    assert (clip_path(path, "Walk")).is_file()
    (tmp_path / "broken.glb").write_bytes(b"glTF")
    with pytest.raises(rigs.AnymoveError, match="not adopted"):
        rigs.adopt(tmp_path / "broken.glb", tmp_path / "broken")
