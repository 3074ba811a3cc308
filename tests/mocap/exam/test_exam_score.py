# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Each figure of the score means what it says."""

import json
from dataclasses import replace

import av
import numpy as np
import pytest

from mocap import cli, poses
from mocap import rotations as rot
from mocap.errors import BadInput
from mocap.exam import exam as examining
from mocap.exam import figures, score
from mocap.exam.__main__ import main
from mocap.motion import JointTrack
from tests.mocap import rigs
from tests.mocap.exam.sitting import exam_of, score_arguments, track


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
    assert figures.rotation_error(exam_of(info, truth, solved)) == pytest.approx(10.0, abs=1e-3)
    assert figures.rotation_error(exam_of(info, truth, replace(truth, quats=None))) is None


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
    assert examining.joints_only(exam_of(bare, *(track(bare, m) for m in motions))).info is bare


def test_jitter_counts_acceleration_not_offset(motion, info):
    truth = track(info, motion)

    def ratio(true, positions):
        return figures.jitter(exam_of(info, true, replace(true, positions=positions)))["ratio"]

    assert ratio(truth, truth.positions + 0.3) == pytest.approx(1.0)
    shaken = truth.positions + np.random.default_rng(0).normal(0, 0.01, truth.positions.shape)
    assert ratio(truth, shaken) > 2
    still = replace(truth, positions=truth.positions[:1].repeat(5, 0))
    assert ratio(still, shaken[:5]) is None
    assert ratio(replace(truth, positions=truth.positions[:2]), shaken[:2]) is None


def test_slide_is_measured_only_where_the_truth_is_planted(info):
    """All feet stand; in the solved motion the body drifts by 1 cm a frame: 24 cm/s of an 80 cm creature
    whose rig is 100 cm high are 19.2 cm/s."""
    still = np.tile(info.skeleton.joint_points, (10, 1, 1))
    names = info.skeleton.joint_names
    truth = JointTrack(24.0, names, still, info.digest)
    drift = still + np.arange(10)[:, None, None] * np.array([0.01, 0, 0])
    exam = exam_of(info, truth, replace(truth, positions=drift))
    assert figures.slide(exam) == pytest.approx(19.2, abs=0.01)
    tips = [names[j] for j in figures.contact_joints(exam)]
    held = {tip for tip, planted in zip(tips, figures.planted(exam).all(0)) if planted}
    assert held == {"paw.L.tip", "paw.R.tip", "foot.L.tip", "foot.R.tip"}
    running = replace(truth, positions=drift * [10, 1, 1])
    assert figures.slide(exam_of(info, running, truth)) is None


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
        examining.check(exam_of(info, truth, change(truth)), "truth.json", "solved.json")
    assert str(caught.value).startswith("solved.json: ")
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


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
    last = capsys.readouterr().out.strip().splitlines()[-1]
    assert last.startswith("Certificate: quadruped, motion unknown, easy, seed 11, 24 frames: ")
    assert f"mean {card['mean_cm']:.1f} cm ({card['mean_pct']:.1f}% of height)" in last
    page = (sat / "report.html").read_text()
    assert page.count("data:image/") >= 12
    for heading in ("Stage by stage", "Does the stated error hold?", "The worst frames"):
        assert heading in page
    assert card["trust"]["all"]["share"] == 1
    assert card["stages"]["solve"]["mean_cm"] == pytest.approx(card["mean_cm"], abs=1e-3)
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
