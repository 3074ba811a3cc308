# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""All exams of a creature: one that fails does not stop the rest, and nothing old passes for new."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from kit import exams  # noqa: E402
from kit.children import StepFailed  # noqa: E402

CARD = dict.fromkeys(exams._KEPT, 1.5) | {
    "motion": {"held_out": True},
    "read_pct": {"front": 2.0, "side": None},
}


@pytest.fixture
def home(tmp_path):
    """A creature with a rig of two clips and a reader, both of which nothing looks into."""
    home = tmp_path / "assets" / "cat"
    (home / "rigged").mkdir(parents=True)
    (home / "rigged" / "rig_info.json").write_text(json.dumps({"clips": ["Run", "Walk"]}))
    (tmp_path / "runs" / "cat").mkdir(parents=True)
    (tmp_path / "runs" / "cat" / "reader.pt").touch()
    return home


def test_all_exams_are_sat_although_one_fails(home, monkeypatch, capsys):
    def sit(order):
        if order.name == "Run_hard":
            raise StepFailed(2)
        order.folder.mkdir(parents=True)
        (order.folder / "score.json").write_text(json.dumps(CARD))
        return order.folder

    monkeypatch.setattr(exams, "sit", sit)
    with pytest.raises(StepFailed) as failed:
        exams.every(home, 4, 24, ())
    assert failed.value.code == 2
    told = json.loads((home.parent.parent / "runs" / "cat" / "exam" / "summary.json").read_text())
    names = ["random4", "random4_hard", "Run", "Run_hard", "Walk", "Walk_hard"]
    assert [one["name"] for one in told["exams"]] == names
    assert [one["code"] for one in told["exams"]] == [0, 0, 0, 2, 0, 0]
    assert told["exams"][3]["mean_cm"] is None
    out = capsys.readouterr().out
    assert "failed (2)" in out
    assert "Walk (held out)" in out


def test_all_without_a_failure_ends_well(home, monkeypatch):
    def sit(order):
        order.folder.mkdir(parents=True)
        (order.folder / "score.json").write_text(json.dumps(CARD))
        return order.folder

    monkeypatch.setattr(exams, "sit", sit)
    assert exams.every(home, 4, 24, ()).name == "summary.json"


def test_an_old_score_does_not_outlive_a_failed_exam(home, monkeypatch):
    order = exams.Order(home, 1, 24, "Walk")
    order.folder.mkdir(parents=True)
    (order.folder / "score.json").write_text("{}")

    def fail(*_, **__):
        raise StepFailed(1)

    monkeypatch.setattr(exams.steps, "mocap", fail)
    assert exams.outcome(order)["code"] == 1
    assert not (order.folder / "score.json").exists()


def test_a_hard_exam_turns_and_films_with_the_exams_seed(home, monkeypatch):
    ran: list[list[str]] = []
    monkeypatch.setattr(exams.steps, "mocap", lambda *a, **_: ran.append([*map(str, a)]))

    def rendered(name, *arguments):
        ran.append([name, *map(str, arguments)])
        out = Path(arguments[3])
        out.mkdir(parents=True, exist_ok=True)
        (out / "joints.json").write_text('{"fps": 24}')

    monkeypatch.setattr(exams.steps, "blender_script", rendered)
    exams.sit(exams.Order(home, 7, 24, "Walk", hard=True, extra=("--backdrop", "procedural")))
    steps = [" ".join(step[:2]) for step in ran if step[0] == "exam"]
    assert steps == ["exam make", "exam turn", "exam video", "exam score"]
    video = next(step for step in ran if step[:2] == ["exam", "video"])
    assert "--hard" in video
    assert video[video.index("--seed") + 1] == "7"
    assert video[-2:] == ["--backdrop", "procedural"]
    views = [step[step.index("--views") + 1] for step in ran if "--views" in step]
    assert views == ["front", "side"]


def test_without_a_reader_nothing_is_begun(home, capsys):
    (home.parent.parent / "runs" / "cat" / "reader.pt").unlink()
    with pytest.raises(StepFailed) as failed:
        exams.every(home, 1, 24, ())
    assert failed.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
