# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The exam's three commands, and that each figure of the score means what it says."""

import json
from dataclasses import replace

import av
import cv2
import numpy as np
import pytest

from mocap import cli, poses
from mocap import rotations as rot
from mocap.errors import BadInput
from mocap.exam import film, make, score
from mocap.exam.__main__ import main
from mocap.motion import JointTrack, Motion, clip_path
from mocap.solve import solve
from tests.mocap import rigs

FRAMES = 24


@pytest.fixture(scope="module")
def info():
    return rigs.rig_info(size=200)


@pytest.fixture(scope="module")
def motion(info):
    return poses.random_motion(info.skeleton, 1, FRAMES, 24.0, info.digest)


def track(info, motion) -> JointTrack:
    joints = motion.joints(info.skeleton)
    return JointTrack(motion.fps, info.skeleton.joint_names, joints, info.digest, motion.quats)


def exam_of(info, truth, solved, detections=None) -> score.Exam:
    return score.Exam(info, truth, solved, detections, 1, {})


def test_make_writes_a_random_motion_decided_by_its_seed(info, tmp_path):
    info.save(tmp_path / "rig_info.json")
    for name, seed in (("a", "5"), ("b", "5"), ("c", "6")):
        assert cli.run(main, ["make", str(tmp_path / "rig_info.json"), str(tmp_path / name), seed, "30"]) == 0
    a, b, c = (Motion.load(tmp_path / name) for name in "abc")
    assert a.frames == 30
    assert a.provenance["seed"] == 5
    assert a.rig_digest == info.digest
    np.testing.assert_array_equal(a.quats, b.quats)
    assert not np.allclose(a.quats, c.quats)


@pytest.fixture
def rig_with_clips(info, tmp_path):
    """A rig_info.json with three clips: "turn" closes, "reach" does not, "foreign" is another rig's."""
    info = replace(info, clips=("turn", "reach", "foreign"))
    path = tmp_path / "rig_info.json"
    info.save(path)
    bones = len(info.skeleton.bones)
    swing = np.zeros((17, bones, 3))
    bone = info.skeleton.bone_index("neck")
    swing[:, bone, 0] = 0.4 * np.sin(np.linspace(0, 2 * np.pi, 17))
    reach = np.zeros((17, bones, 3))
    reach[:, bone, 0] = np.linspace(0, 0.5, 17)
    root = np.tile(info.skeleton.heads[0], (17, 1))
    for name, turns, digest in (
        ("turn", swing, info.digest),
        ("reach", reach, info.digest),
        ("foreign", reach, "x"),
    ):
        clip = Motion(24.0, info.skeleton.bone_names, root, rot.rotvec_to_quat(turns), digest)
        clip.save(clip_path(path, name))
    return info, path


def test_a_closed_clip_loops_without_a_pause(rig_with_clips):
    info, path = rig_with_clips
    made = make.from_clip(info, path, "turn", 0, 48, 24.0)
    joints = made.joints(info.skeleton)
    np.testing.assert_allclose(joints[16:32], joints[:16], atol=1e-6)
    assert np.linalg.norm(np.diff(joints, axis=0), axis=-1).max(1).min() > 0, "no frame stands still"


def test_an_open_clip_runs_to_and_fro(rig_with_clips):
    info, path = rig_with_clips
    joints = make.from_clip(info, path, "reach", 0, 40, 24.0).joints(info.skeleton)
    np.testing.assert_allclose(joints[17:33], joints[15::-1][:16], atol=1e-6)
    step = np.linalg.norm(np.diff(joints, axis=0), axis=-1).max(1)
    assert step.max() < 2 * np.median(step), "the ends are not jumped over"


def test_a_long_clip_is_cut_and_resampled(rig_with_clips):
    info, path = rig_with_clips
    assert make.from_clip(info, path, "turn", 0, 9, 24.0).frames == 9
    slow = make.from_clip(info, path, "reach", 0, 9, 12.0)
    fast = Motion.load(clip_path(path, "reach"))
    np.testing.assert_allclose(slow.quats[3], fast.quats[6], atol=1e-6)


def test_an_unknown_clip_is_told_with_the_known_ones(rig_with_clips, tmp_path, capsys):
    _, path = rig_with_clips
    assert cli.run(main, ["make", str(path), str(tmp_path / "t.json"), "0", "9", "--action", "Fly"]) == 2
    told = capsys.readouterr().err
    assert "'Fly'" in told
    assert "turn, reach" in told
    assert cli.run(main, ["make", str(path), str(tmp_path / "t.json"), "0", "9", "--action", "foreign"]) == 2
    assert "another rig" in capsys.readouterr().err


@pytest.mark.parametrize("bad", [["-1", "9"], ["x", "9"], ["0", "0"], ["0", "nine"]])
def test_impossible_numbers_are_refused_by_the_parser(rig_with_clips, bad, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["make", str(rig_with_clips[1]), "out.json", *bad])
    assert stop.value.code == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


@pytest.fixture
def rendered(info, motion, tmp_path):
    """What apply_motion leaves: a grey square that marks the frame number, on transparent ground."""
    folder = tmp_path / "truth"
    track(info, motion).save(folder / "joints.json")
    for view in ("front", "side"):
        (folder / view).mkdir(parents=True)
        for frame in range(FRAMES):
            picture = np.zeros((200, 200, 4), np.uint8)
            picture[40:160, 40:160] = (10 * frame, 10 * frame, 200 if view == "side" else 0, 255)
            cv2.imwrite(str(folder / view / f"{frame:05d}.png"), picture)
    return folder


def decode(path) -> tuple[np.ndarray, float]:
    with av.open(str(path)) as container:
        rate = float(container.streams.video[0].average_rate)
        return np.stack([f.to_ndarray(format="rgb24") for f in container.decode(video=0)]), rate


def test_video_shows_the_panels_side_by_side_frame_by_frame(rendered, tmp_path):
    clip = tmp_path / "clip.mp4"
    assert cli.run(main, ["video", str(rendered), str(clip), "24"]) == 0
    frames, rate = decode(clip)
    assert frames.shape == (FRAMES, 200, 400, 3)
    assert rate == 24
    level = frames[:, 60:140, 60:140, 1].mean((1, 2))
    np.testing.assert_allclose(level, 10 * np.arange(FRAMES), atol=8)
    assert frames[5, 100, 100, 0] < 100 < frames[5, 100, 300, 0], "front first, then side (red)"
    np.testing.assert_allclose(frames[5, 10, 10], 128, atol=4)


def test_procedural_backdrop_is_decided_by_its_seed(rendered, tmp_path):
    same, again, other = (film.background("procedural", (64, 96), s) for s in (3, 3, 4))
    np.testing.assert_array_equal(same, again)
    assert np.abs(same.astype(int) - other).mean() > 3
    assert 3 < same.std() < 60
    clip = tmp_path / "clip.mp4"
    film.film(rendered, clip, 12.0, "procedural", 3)
    frames, _ = decode(clip)
    np.testing.assert_allclose(frames[0, 100, 100], [0, 0, 0], atol=12)


def test_a_missing_or_spoilt_picture_is_named_and_no_video_is_left(rendered, tmp_path):
    clip = tmp_path / "clip.mp4"
    (rendered / "side" / "00007.png").rename(tmp_path / "away.png")
    with pytest.raises(BadInput, match=r"side: 00007\.png is missing"):
        film.film(rendered, clip, 24.0, "plain", 0)
    (rendered / "side" / "00007.png").write_bytes(b"broken")
    with pytest.raises(BadInput, match=r"00007\.png: not an 8-bit RGBA"):
        film.film(rendered, clip, 24.0, "plain", 0)
    assert not clip.exists()


def test_a_perfect_result_scores_zero(info, motion):
    truth = track(info, motion)
    card = score.score(exam_of(info, truth, truth))
    assert (card["mean_cm"], card["p95_cm"], card["rotation_deg"]) == (0, 0, pytest.approx(0, abs=1e-3))
    assert card["jitter_ratio"] == 1
    assert card["read_px"] is None


def test_errors_are_in_the_creatures_centimetres_and_percent(info, motion):
    """The rig is 1 m high, the creature 80 cm: 5 cm in the rig are 4 cm of the creature and 5%."""
    truth = track(info, motion)
    shifted = replace(truth, positions=truth.positions + np.array([0, 0.05, 0]))
    card = score.score(exam_of(info, truth, shifted))
    for name in ("mean", "median", "p95"):
        assert card[f"{name}_cm"] == pytest.approx(4.0)
        assert card[f"{name}_pct"] == pytest.approx(5.0)
    assert card["per_joint"]["paw.L"]["mean_cm"] == pytest.approx(4.0)
    assert set(card["per_limb"]) == {limb.name for limb in info.skeleton.limbs}


def test_one_bad_joint_shows_in_its_limb_only(info, motion):
    truth = track(info, motion)
    positions = truth.positions.copy()
    positions[:, info.skeleton.joint_names.index("foot.R.tip")] += [0.1, 0, 0]
    card = score.score(exam_of(info, truth, replace(truth, positions=positions)))
    assert [name for name, limb in card["per_limb"].items() if limb["mean_cm"] > 0] == ["hind_leg.R"]
    assert card["per_joint"]["foot.R.tip"]["p95_cm"] == pytest.approx(8.0)


def test_rotation_error_is_the_mean_angle(info, motion):
    truth = track(info, motion)
    turn = rot.rotvec_to_quat(np.array([0.0, np.radians(10.0), 0.0]))
    solved = replace(truth, quats=rot.quat_multiply(truth.quats, turn))
    assert score.rotation_error(exam_of(info, truth, solved)) == pytest.approx(10.0, abs=1e-3)
    assert score.rotation_error(exam_of(info, truth, replace(truth, quats=None))) is None


def test_markers_count_for_nothing_but_rotations(motion):
    """The card of a rig with markers is that of the same rig without them."""
    info = rigs.rig_info(markers=True)
    bare = replace(info, skeleton=info.skeleton.bare)
    motions = [poses.random_motion(info.skeleton, seed, 20, 24.0, info.digest) for seed in (1, 2)]
    read = rigs.detections(info, motions[0].joints(info.skeleton), noise=2.0)
    marked = score.score(exam_of(info, *(track(info, m) for m in motions), read))
    plain = replace(read.joints(~info.skeleton.is_marker), rig_digest=bare.digest)
    without = score.score(exam_of(bare, *(track(bare, m) for m in motions), plain))
    assert marked.pop("provenance")["rig_digest"] == info.digest
    without.pop("provenance")
    assert marked == without
    assert score.joints_only(exam_of(bare, *(track(bare, m) for m in motions))).info is bare


def test_jitter_counts_acceleration_not_offset(motion, info):
    truth = motion.joints(info.skeleton)
    assert score.jitter_ratio(truth, truth + 0.3) == pytest.approx(1.0)
    shaken = truth + np.random.default_rng(0).normal(0, 0.01, truth.shape)
    assert score.jitter_ratio(truth, shaken) > 2
    assert score.jitter_ratio(truth[:1].repeat(5, 0), shaken[:5]) is None


def test_slide_is_measured_only_where_the_truth_is_planted(info):
    """All feet stand; in the solved motion the body drifts by 1 cm a frame: 24 cm/s of an 80 cm creature
    whose rig is 100 cm high are 19.2 cm/s."""
    still = np.tile(info.skeleton.joint_points, (10, 1, 1))
    names = info.skeleton.joint_names
    truth = JointTrack(24.0, names, still, info.digest)
    drift = still + np.arange(10)[:, None, None] * np.array([0.01, 0, 0])
    exam = exam_of(info, truth, replace(truth, positions=drift))
    assert score.slide(exam) == pytest.approx(19.2, abs=0.01)
    tips = [names[j] for j in score.contact_joints(exam)]
    held = {tip for tip, planted in zip(tips, score.planted(exam).all(0)) if planted}
    assert held == {"paw.L.tip", "paw.R.tip", "foot.L.tip", "foot.R.tip"}
    running = replace(truth, positions=drift * [10, 1, 1])
    assert score.slide(exam_of(info, running, truth)) is None


def test_reading_error_counts_only_what_was_read(info, motion):
    truth = track(info, motion)
    detections = rigs.detections(info, truth.positions)
    positions, confidence = detections.positions.copy(), detections.confidence.copy()
    positions[:, 0] += [3.0, 4.0]
    positions[:, 1, 0] += 500.0
    confidence[:, 1, 0] = 0
    exam = exam_of(info, truth, truth, replace(detections, positions=positions, confidence=confidence))
    card = score.score(exam)
    assert card["read_px"] == {"front": pytest.approx(5.0), "side": pytest.approx(0.0, abs=1e-6)}
    view = info.layout.views[0]
    ends = view.project(np.array([[0, 0, 0.0], [0, 0, 1.0]]))[0]
    height = float(np.linalg.norm(ends[1] - ends[0]))
    assert card["read_pct"]["front"] == pytest.approx(100 * 5 / height, rel=0.02)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda t: replace(t, positions=t.positions[:-1], quats=None), "23 frames"),
        (lambda t: replace(t, fps=30.0), "30 fps"),
        (lambda t: replace(t, rig_digest="0" * 32), "another rig"),
        (lambda t: replace(t, joint_names=t.joint_names[::-1]), "joints are not those"),
        (
            lambda t: replace(t, positions=np.where(t.positions < t.positions.max(), t.positions, np.nan)),
            "not finite",
        ),
        (lambda t: replace(t, quats=t.quats[:, 1:]), "rotations"),
    ],
)
def test_tracks_that_do_not_match_are_refused_in_one_line(info, motion, change, told):
    truth = track(info, motion)
    with pytest.raises(BadInput) as caught:
        score.check(exam_of(info, truth, change(truth)), "truth.json", "solved.json")
    assert str(caught.value).startswith("solved.json: ")
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.fixture
def sat(info, motion, rendered, tmp_path):
    """A whole exam on disk: rig, truth, readings, clip, solved joints."""
    info.save(tmp_path / "rig_info.json")
    made = replace(motion, provenance={"seed": 11})
    made.save(tmp_path / "truth.json")
    detections = rigs.detections(info, motion.joints(info.skeleton), noise=4.0, missing=0.1)
    detections.save(tmp_path / "det.npz")
    film.film(rendered, tmp_path / "clip.mp4", 24.0, "plain", 0)
    solved = solve(detections, info).motion
    solved.save(tmp_path / "solved.json")
    track(info, solved).save(tmp_path / "solved" / "joints.json")
    return tmp_path


def score_arguments(folder) -> list[str]:
    tracks = [str(folder / name / "joints.json") for name in ("truth", "solved")]
    return ["score", *tracks, "--rig", str(folder / "rig_info.json")]


def test_score_command_writes_score_and_report(sat, capsys):
    extra = ["--detections", str(sat / "det.npz"), "--video", str(sat / "clip.mp4")]
    assert cli.run(main, [*score_arguments(sat), *extra, "--json", str(sat / "copy.json")]) == 0
    card = json.loads((sat / "score.json").read_text())
    expected = {
        "mean_cm", "median_cm", "p95_cm", "mean_pct", "p95_pct", "rotation_deg", "jitter_ratio",
        "slide_cm_s", "read_px", "per_joint", "seed", "frames", "height_cm",
    }  # fmt: skip
    assert expected <= set(card)
    assert card == json.loads((sat / "copy.json").read_text())
    assert card["seed"] == 11
    assert 0 < card["mean_pct"] < 1.5
    assert {"truth_joints_digest", "solved_motion_digest", "detections_digest"} <= set(card["provenance"])
    out = capsys.readouterr().out
    assert f"quadruped: mean {card['mean_cm']:.1f} cm ({card['mean_pct']:.1f}% of height)" in out
    page = (sat / "report.html").read_text()
    assert page.count("data:image/") >= 7
    assert "http" not in page, "the page is self-contained"


def test_score_without_readings_says_what_was_not_measured(sat, capsys):
    assert cli.run(main, [*score_arguments(sat), "--out", str(sat / "elsewhere")]) == 0
    card = json.loads((sat / "elsewhere" / "score.json").read_text())
    assert card["read_px"] is None
    assert (sat / "elsewhere" / "report.html").is_file()
    assert "reading error" not in capsys.readouterr().out


def test_score_finds_the_rig_by_the_creature(sat, monkeypatch, capsys):
    home = sat / "assets" / "quadruped"
    (home / "rigged").mkdir(parents=True)
    (sat / "rig_info.json").rename(home / "rigged" / "rig_info.json")
    plain = score_arguments(sat)[:3]
    monkeypatch.delenv("MOCAP_CREATURE", raising=False)
    assert cli.run(main, plain) == 2
    assert "MOCAP_CREATURE" in capsys.readouterr().err
    monkeypatch.setenv("MOCAP_CREATURE", str(home))
    assert cli.run(main, plain) == 0


def test_score_refuses_a_video_that_ends_early(sat, capsys):
    with av.open(str(sat / "short.mp4"), "w") as container:
        stream = container.add_stream("libx264", rate=24)
        stream.width, stream.height, stream.pix_fmt = 400, 200, "yuv420p"
        blank = av.VideoFrame.from_ndarray(np.zeros((200, 400, 3), np.uint8), "rgb24")
        container.mux(stream.encode(blank))
        container.mux(stream.encode())
    assert cli.run(main, [*score_arguments(sat), "--video", str(sat / "short.mp4")]) == 2
    assert "ends before frame" in capsys.readouterr().err
    (sat / "short.mp4").write_bytes(b"no video")
    assert cli.run(main, [*score_arguments(sat), "--video", str(sat / "short.mp4")]) == 2
    assert "short.mp4" in capsys.readouterr().err
