# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import cv2
import numpy as np
import pytest

from mocap import cli, detect, files, poses, video
from mocap.detections import Detections
from mocap.rig_info import RigInfo
from tests.mocap import synthetic

FRAMES = 5


def sheets(rig, drift: float = 1.0) -> list[np.ndarray]:
    """Frames of a random motion on grey, each panel scaled by ``drift`` about its corner."""
    joints = poses.random_motion(rig.skeleton, 3, FRAMES, 12, rig.digest).joints(rig.skeleton)
    out = []
    for frame in range(FRAMES):
        panels = []
        for view in range(2):
            rgba = synthetic.draw(rig, joints[frame], view)[0]
            alpha = rgba[..., 3:] / 255
            panel = (rgba[..., :3] * alpha + 140 * (1 - alpha)).astype(np.uint8)
            matrix = np.array([[drift, 0, 0.5 * drift - 0.5], [0, drift, 0.5 * drift - 0.5]])
            panels.append(cv2.warpAffine(panel, matrix, (128, 128), borderMode=cv2.BORDER_REPLICATE))
        out.append(np.hstack(panels))
    return out


def film(path, frames) -> None:
    with video.writer(path, 12) as out:
        for frame in frames:
            out.write(frame)


@pytest.fixture
def clip(trained):
    path = trained.runs / "clip.mp4"
    film(path, sheets(RigInfo.load(trained.rig_info)))
    return path


def run(paths, clip, *more, ref="none.png") -> int:
    det = paths.runs / "det.npz"
    return cli.run(detect.main, [str(clip), str(paths.reader), str(ref), str(det), "--threads", "1", *more])


def test_reads_a_clip(trained, clip, capsys):
    overlay = trained.runs / "overlay.mp4"
    rig = ["--rig", str(trained.rig_info)]
    assert run(trained, clip, "--no-calib", "--overlay", str(overlay), "--batch", "2", *rig) == 0
    out = capsys.readouterr().out
    assert "calibration: off" in out
    found = Detections.load(trained.runs / "det.npz")
    assert found.positions.shape == (FRAMES, 2, 16 + 3, 2), "joints and markers"
    assert found.times == pytest.approx(np.arange(FRAMES) / 12, abs=1e-3)
    assert found.fps == 12
    assert found.provenance["clip_digest"] == files.digest_file(clip)
    assert found.provenance["reader_digest"] == files.digest_file(trained.reader)
    assert found.provenance["calibration"]["front"]["used"] is False
    assert len(list(video.Clip(overlay))) == FRAMES


def test_the_batch_does_not_change_what_is_read(trained, clip):
    read = []
    for batch in ("1", "3"):
        assert run(trained, clip, "--no-calib", "--batch", batch) == 0
        read.append(Detections.load(trained.runs / "det.npz").positions)
    assert np.abs(read[0] - read[1]).max() < 0.05


def test_a_larger_frame_is_read_in_layout_pixels(trained, clip):
    rig = RigInfo.load(trained.rig_info)
    large = trained.runs / "large.mp4"
    film(large, [cv2.resize(f, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC) for f in sheets(rig)])
    assert run(trained, clip, "--no-calib") == 0
    small = Detections.load(trained.runs / "det.npz").positions
    assert run(trained, large, "--no-calib") == 0
    # A reader of a few steps amplifies what resampling changes; a scale not undone would be off by half a panel.
    assert np.median(np.abs(Detections.load(trained.runs / "det.npz").positions - small)) < 8


def test_drift_is_measured_and_undone(trained, capsys):
    rig = RigInfo.load(trained.rig_info)
    reference = trained.runs / "ref.png"
    cv2.imwrite(str(reference), cv2.cvtColor(sheets(rig)[0], cv2.COLOR_RGB2BGR))
    clip = trained.runs / "zoomed.mp4"
    film(clip, sheets(rig, drift=1.05))
    assert run(trained, clip, ref=reference) == 0
    assert "calibration, front: scale 1.0" in capsys.readouterr().out
    calibrated = Detections.load(trained.runs / "det.npz")
    assert calibrated.provenance["calibration"]["side"]["used"]
    assert run(trained, clip, "--no-calib") == 0
    plain = Detections.load(trained.runs / "det.npz")
    drift = calibrated.provenance["calibration"]["front"]
    assert drift["scale"] == pytest.approx(1.05, abs=0.003)
    back = calibrated.positions[:, 0] * drift["scale"] + np.array(drift["shift_px"])
    assert np.abs(back - plain.positions[:, 0]).max() < 1e-2
    assert calibrated.sigma[:, 0] == pytest.approx(plain.sigma[:, 0] / drift["scale"], rel=1e-3)


def test_one_view_is_read_from_the_sheet_and_from_its_panel_alone(trained, clip, tmp_path):
    rig = RigInfo.load(trained.rig_info)
    side = rig.layout.views[1]
    x, y = side.corner
    alone = tmp_path / "side.mp4"
    film(alone, [sheet[y : y + side.size[1], x : x + side.size[0]] for sheet in sheets(rig)])
    read = []
    for path in (clip, alone):
        assert run(trained, path, "--no-calib", "--view", "side", "--overlay", str(tmp_path / "o.mp4")) == 0
        read.append(Detections.load(trained.runs / "det.npz"))
        assert (read[-1].confidence[:, 0] == 0).all()
        assert (read[-1].confidence[:, 1] > 0).any()
    # Both films are compressed, each in its own way.
    assert np.median(np.abs(read[0].positions[:, 1] - read[1].positions[:, 1])) < 0.5
    assert next(iter(video.Clip(tmp_path / "o.mp4"))).image.shape[1] == side.size[0]


def test_a_view_that_cannot_be_read_alone_is_one_line(trained, clip, tmp_path, capsys):
    narrow = tmp_path / "narrow.mp4"
    film(narrow, [np.zeros((64, 160, 3), np.uint8)])
    evidence = ["--evidence", str(tmp_path / "e.zip")]
    for arguments, words in (
        ([clip, "--no-calib", "--view", "top"], "the reader's views are front, side"),
        ([clip, "--view", "side"], "--view needs --no-calib"),
        ([clip, "--no-calib", "--view", "side", *evidence], "--evidence keeps all views"),
        ([narrow, "--no-calib", "--view", "side"], "wrong frame size 160x64"),
    ):
        assert run(trained, *arguments) == 2
        assert words in capsys.readouterr().err


def test_wrong_input_is_one_line(trained, clip, tmp_path, capsys):
    def told(code: int) -> str:
        assert code == 2
        return capsys.readouterr().err

    assert "reference sheet); give it, or pass --no-calib" in told(run(trained, clip))
    wide = tmp_path / "wide.mp4"
    film(wide, [np.zeros((90, 160, 3), np.uint8)])
    assert "wrong frame size 160x90, the layout is 256x128" in told(run(trained, wide, "--no-calib"))
    assert "no such file (clip)" in told(run(trained, tmp_path / "none.mp4", "--no-calib"))
    other = tmp_path / "rig_info.json"
    synthetic.rig_info(96).save(other)
    line = told(run(trained, clip, "--no-calib", "--rig", str(other)))
    assert "trained on another rig or layout" in line
    trained.reader.write_text("no reader")
    assert "not a reader" in told(run(trained, clip, "--no-calib"))
    assert not (trained.runs / "det.npz").exists()
