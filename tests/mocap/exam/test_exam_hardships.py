# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Hard clips: spoilt by exactly what their record says, and decided by their seed."""

import json
from dataclasses import replace

import numpy as np
import pytest

from mocap import cli, files
from mocap.errors import BadInput
from mocap.exam import degrade, film, make
from mocap.exam.__main__ import main
from mocap.exam.hardships import Hardships, beside, drawn, turned
from mocap.exam.score import score
from mocap.motion import JointTrack
from mocap.solve.cameras import OFFSET, SCALE, YAW, Cameras
from mocap.solve.observations import height_px, pivot
from tests.mocap import rigs
from tests.mocap.exam.sitting import FRAMES, decode, exam_of, track


def test_a_seed_decides_everything():
    assert drawn(4, 50, 2) == drawn(4, 50, 2)
    assert drawn(4, 50, 2) != drawn(5, 50, 2)
    assert drawn(4, 50, 2).scale == drawn(4, 90, 2).scale, "whatever the clip's length"


@pytest.mark.parametrize("frames", [1, 2, 3, 5, 24, 100])
def test_frames_are_left_out_and_shown_twice_in_order(frames):
    for seed in range(10):
        shown = drawn(seed, frames, 2).shown
        assert list(shown) == sorted(shown)
        assert (shown[0], shown[-1]) == (0, frames - 1)
        steps = set(np.diff(shown).tolist())
        if frames >= 24:
            assert {0, 2} <= steps
            assert len(set(shown)) < frames
        cut = drawn(seed, frames, 2).cut
        assert cut is None or 0 < cut < len(shown)


def test_faults_are_a_constant_and_a_slow_drift(info):
    hard = replace(
        drawn(1, 41, 2),
        scale=((0.05, 0.02), (-0.03, 0.0)),
        offset=((0.0, 0.0), (0.04, 0.01)),
        yaw_deg=((0.0, 0.0), (3.0, -2.0)),
    )
    faults = hard.faults(info)
    pixels = height_px(info.skeleton, info.layout)[1]
    np.testing.assert_allclose(np.exp(faults[[0, 20, 40], 0, SCALE]), [1.04, 1.05, 1.06])
    np.testing.assert_allclose(faults[[0, 20, 40], 1, OFFSET], pixels * np.array([0.035, 0.04, 0.045]))
    np.testing.assert_allclose(np.degrees(faults[[0, 20, 40], 1, YAW]), [4, 3, 2])
    assert not faults[:, 0, [OFFSET, YAW]].any(), "the first view's are the root's own place and turn"
    assert np.ptp(drawn(2, 30, 2).faults(info)[:, 0, SCALE]) > 0


def test_a_turned_camera_sees_what_the_layouts_own_sees_of_the_turned_motion(info, motion):
    yaw = np.linspace(-0.1, 0.2, FRAMES)
    errors = np.zeros((FRAMES, 2, 3))
    errors[:, 1, YAW] = yaw
    cameras = Cameras.of(info.layout, pivot(info.skeleton), errors)
    expected, _ = cameras.project(motion.joints(info.skeleton))
    seen, _ = info.layout.project(turned(motion, info.skeleton, yaw).joints(info.skeleton))
    np.testing.assert_allclose(seen[:, 1], expected[:, 1], atol=1e-6)


def test_a_moved_picture_shows_points_where_the_cameras_say():
    """A dot at (60, 50) of 100 x 100, a tenth larger and 4 px lower: its middle is at (61, 54)."""
    picture = np.zeros((100, 100, 4), np.uint8)
    picture[48:52, 58:62] = (200, 100, 50, 255)
    fault = np.zeros(3)
    fault[SCALE], fault[OFFSET] = np.log(1.1), 4.0
    alpha = degrade.moved(picture, fault)[..., 3].astype(float)
    ys, xs = np.mgrid[:100, :100] + 0.5
    middle = [(alpha * at).sum() / alpha.sum() for at in (xs, ys)]
    np.testing.assert_allclose(middle, [61.0, 54.0], atol=0.05)
    np.testing.assert_array_equal(degrade.moved(picture, np.zeros(3)), picture)


def test_smear_spreads_what_moves_and_leaves_what_stands():
    def picture(x):
        out = np.zeros((20, 40, 4), np.uint8)
        out[12:, :] = (10, 200, 30, 255)
        out[4:8, x : x + 3] = (250, 0, 0, 255)
        return out

    mixed = degrade.smeared(picture(5), picture(15), picture(25), 0.4)
    np.testing.assert_array_equal(mixed[12:], picture(0)[12:])
    np.testing.assert_allclose(mixed[5, [6, 16, 26], 3], [51, 153, 51], atol=1)
    np.testing.assert_array_equal(mixed[5, 6, :3], [250, 0, 0], "thinner, not darker")


@pytest.fixture
def filmed(info, motion, rendered, tmp_path):
    """A hard clip of the marked pictures, seed 3, with the side view's pictures of the turned motion."""
    info.save(tmp_path / "rig_info.json")
    motion.save(tmp_path / "truth.json")
    assert (
        cli.run(
            main, ["turn", *(str(tmp_path / n) for n in ("rig_info.json", "truth.json", "turned.json")), "3"]
        )
        == 0
    )
    seen = make.turned(info, str(tmp_path / "truth.json"), 3)
    track(info, seen).save(tmp_path / "turned" / "joints.json")
    (rendered / "side").rename(tmp_path / "turned" / "side")
    return tmp_path


def video(folder, *more, clip="clip.mp4", seed="3"):
    fixed = ["video", str(folder / "truth"), str(folder / clip), "24", "--hard", "--seed", seed]
    return cli.run(main, [*fixed, "--rig", str(folder / "rig_info.json"), *more])


def test_a_hard_clip_shows_the_frames_that_its_record_names(filmed, capsys):
    assert video(filmed, "--turned", str(filmed / "turned")) == 0
    hard = Hardships.load(beside(filmed / "clip.mp4"), filmed / "clip.mp4")
    frames, _ = decode(filmed / "clip.mp4")
    assert len(frames) == len(hard.shown)
    # The fixture's pictures grow lighter by 10 with every true frame; smear keeps the middle where it was.
    level = frames[:, 80:120, 80:120, 1].mean((1, 2))
    np.testing.assert_allclose(level[2:-2], 10 * np.array(hard.shown[2:-2]), atol=12)
    corner = frames[:, :20, :20].astype(float).mean((1, 2))
    jump = np.linalg.norm(np.diff(corner, axis=0), axis=-1)
    assert int(jump.argmax()) + 1 == hard.cut, "the backdrop becomes another where the record says"
    assert "frames left out" in capsys.readouterr().out


def test_the_same_seed_films_the_same_clip(filmed):
    turned_side = ("--turned", str(filmed / "turned"))
    for clip in ("a.mp4", "b.mp4"):
        assert video(filmed, *turned_side, clip=clip) == 0
    one, other = (files.digest_file(filmed / clip) for clip in ("a.mp4", "b.mp4"))
    assert one == other
    assert (filmed / "a.hardships.json").read_text() == (filmed / "b.hardships.json").read_text()


def test_without_turned_pictures_no_view_is_turned(info, rendered, tmp_path):
    info.save(tmp_path / "rig_info.json")
    assert video(tmp_path) == 0
    record = json.loads((tmp_path / "clip.hardships.json").read_text())
    assert record["yaw_deg"] == [[0.0, 0.0], [0.0, 0.0]]
    film.film(rendered, tmp_path / "clip.mp4", 24.0, "plain", 0)
    assert not (tmp_path / "clip.hardships.json").exists(), "a clean clip has no hardships"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--turned", "turned"), "not the true motion turned"),
        (("--turned", "nowhere"), "nowhere: no such folder"),
    ],
)
def test_pictures_of_another_turn_are_refused(filmed, arguments, told, capsys):
    more = [arguments[0], str(filmed / arguments[1])]
    assert video(filmed, *more, seed="4") == 2
    said = capsys.readouterr().err
    assert told in said
    assert len(said.strip().splitlines()) == 1
    assert not (filmed / "clip.mp4").exists()


def test_turned_is_for_hard_clips_only(filmed, capsys):
    plain = ["video", str(filmed / "truth"), str(filmed / "c.mp4"), "24", "--turned", str(filmed / "turned")]
    assert cli.run(main, plain) == 2
    assert "--hard" in capsys.readouterr().err


def test_a_record_of_another_clip_is_refused(filmed):
    assert video(filmed, "--turned", str(filmed / "turned")) == 0
    record = beside(filmed / "clip.mp4")
    with (filmed / "clip.mp4").open("ab") as clip:
        clip.write(b" ")
    with pytest.raises(BadInput, match="not about"):
        Hardships.load(record, filmed / "clip.mp4")
    data = json.loads(record.read_text())
    for change, told in (
        ({"shown": [0, 99]}, "outside"),
        ({"scale": [[0, 0]]}, "views"),
        ({"schema": 9}, "schema"),
    ):
        files.write_json(record, data | change)
        with pytest.raises(BadInput, match=told):
            Hardships.load(record, None)


def test_score_and_truth_meet_at_the_frame_really_shown(info, motion):
    """Where frames were left out and shown twice, a result that follows the clip is perfect, also in its readings
    by views that stood elsewhere, and stutter is neither jitter nor foot slide."""
    hard = drawn(6, FRAMES, 2)
    truth = hard.at_shown(track(info, motion), "truth.json")
    faults = hard.faults(info)[list(hard.shown)]
    seen, _ = Cameras.of(info.layout, pivot(info.skeleton), faults).project(truth.positions)
    read = replace(rigs.detections(info, truth.positions), positions=seen)
    card = score(exam_of(info, truth, truth, read, hardships=hard))
    assert card["mean_cm"] == 0
    assert max(card["read_px"].values()) < 1e-6
    assert card["jitter_ratio"] == 1
    assert card["hardships"]["shown"] == list(hard.shown)
    assert score(exam_of(info, truth, truth, read))["read_px"]["side"] > 1, "the layout alone does not know"
    with pytest.raises(BadInput, match="film it again"):
        hard.at_shown(JointTrack(24.0, truth.joint_names, truth.positions[:5], info.digest), "truth.json")
