# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A clip's way to the rig: what is asked of each step, and nothing old passes for new."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from kit import captures, exams  # noqa: E402
from kit.children import StepFailed  # noqa: E402


@pytest.fixture
def order(tmp_path):
    runs = tmp_path / "runs" / "cat"
    runs.mkdir(parents=True)
    (runs / "reader.pt").touch()
    (tmp_path / "jump.mp4").touch()
    return captures.Order(tmp_path / "assets" / "cat", tmp_path / "jump.mp4")


@pytest.fixture
def steps_run(monkeypatch):
    run: list[list[str]] = []
    monkeypatch.setattr(captures.steps, "mocap", lambda *words: run.append([str(word) for word in words]))
    monkeypatch.setattr(
        exams.steps, "blender_script", lambda *words: run.append([str(word) for word in words])
    )
    return run


def test_a_clip_is_read_solved_and_put_on_the_rig(order, steps_run):
    (order.folder).mkdir(parents=True)
    (order.folder / "solved.json").write_text("older")
    assert captures.capture(order) == order.runs / "capture" / "jump"
    names = [words[0] for words in steps_run]
    assert names == ["detect", "solve", "reread", "solve", "reread", "solve", "apply_motion"]
    assert "--evidence" in steps_run[0]
    assert steps_run[-2][-1].endswith("solved.json")
    assert not (order.folder / "solved.json").exists()


def test_without_calibration_and_pictures(order, steps_run):
    captures.capture(order._replace(calibrate=False, pictures=False))
    assert [words[0] for words in steps_run] == ["detect", "solve", "apply_motion"]
    assert "--no-calib" in steps_run[0]
    assert "--evidence" not in steps_run[0]


def test_no_clip_and_no_reader_are_one_line(order, steps_run, capsys):
    with pytest.raises(StepFailed) as failed:
        captures.capture(order._replace(clip=Path("/no/clip.mp4")))
    assert failed.value.code == 2
    assert "no such clip" in capsys.readouterr().err
    (order.runs / "reader.pt").unlink()
    with pytest.raises(StepFailed):
        captures.capture(order)
    assert "train the reader" in capsys.readouterr().err
    assert steps_run == []
