# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""reader.onnx reads what reader.pt reads, and reads it without torch."""

import json
import subprocess
import sys

import numpy as np
import pytest

from mocap import cli, detect, video
from mocap.detections import Detections
from mocap.errors import BadInput
from mocap.reader import checkpoint, export, onnx_file

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
pytest.importorskip("onnxscript", reason="onnxscript is not installed")


@pytest.fixture(scope="module")
def exported(trained_once, tmp_path_factory):
    target = tmp_path_factory.mktemp("onnx") / "reader.onnx"
    figures = target.with_suffix(".json")
    assert cli.run(export.main, [str(trained_once.reader), str(target), "--json", str(figures)]) == 0
    return target, json.loads(figures.read_text())


def panels(frames: int, seed: int = 0) -> list[list[np.ndarray]]:
    rng = np.random.default_rng(seed)
    coarse = rng.integers(0, 256, (frames, 2, 16, 16, 3), np.uint8)
    return [[view.repeat(8, 0).repeat(8, 1) for view in frame] for frame in coarse]


def test_both_engines_agree(exported, trained_once):
    target, figures = exported
    assert figures["positions_px"] < 0.05
    assert figures["masks"] < 0.01
    loaded = checkpoint.load(trained_once.reader)
    card, reader = onnx_file.load(target)
    assert card == loaded.card
    one, two = loaded.reader().read(panels(5)), reader.read(panels(5))
    apart = np.linalg.norm(one.positions - two.positions, axis=-1)
    assert np.quantile(apart, 0.95) < 0.1
    assert np.allclose(one.visible, two.visible, atol=0.02)


def test_any_number_of_frames(exported):
    reader = onnx_file.load(exported[0])[1]
    whole = reader.read(panels(5), batch=5).positions
    single = reader.read(panels(5), batch=1).positions
    assert np.allclose(whole, single, atol=1e-2)


def test_a_clip_is_read_without_torch(exported, tmp_path):
    """In a process of its own, where importing torch fails."""
    clip = tmp_path / "clip.mp4"
    with video.writer(clip, 12) as film:
        for left, right in panels(3):
            film.write(np.hstack([left, right]))
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from mocap import cli, detect\n"
        f"sys.exit(cli.run(detect.main, [{str(clip)!r}, {str(exported[0])!r}, 'none', "
        f"{str(tmp_path / 'det.npz')!r}, '--no-calib']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "in onnxruntime" in done.stdout
    found = Detections.load(tmp_path / "det.npz")
    assert found.frames == 3
    assert found.visible.shape == found.depth.shape == found.sigma.shape


def test_what_is_no_reader_is_one_line(exported, trained_once, tmp_path, capsys):
    (tmp_path / "text.onnx").write_text("hello")
    with pytest.raises(BadInput, match="onnxruntime cannot load it"):
        onnx_file.load(tmp_path / "text.onnx")
    with pytest.raises(BadInput, match="no such file"):
        onnx_file.load(tmp_path / "none.onnx")
    assert cli.run(export.main, [str(trained_once.reader), str(tmp_path / "reader.txt")]) == 2
    assert "must end in .onnx" in capsys.readouterr().err
    assert cli.run(detect.main, ["clip.mp4", str(tmp_path / "text.onnx"), "ref.png", "det.npz"]) == 2
