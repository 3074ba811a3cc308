# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The whole road on a real rig, small: adopt, render, train, film, read, solve, apply, score."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
TRAINING = (4, 8, "--pairs", 488)
"""Enough for a reader that the solver accepts: about a minute."""
pytestmark = [pytest.mark.bpy, pytest.mark.rigs, pytest.mark.e2e]


def anymove(*arguments, code=0):
    """Run a command in this Python's environment; returns its output."""
    pytest.importorskip("bpy", reason="the bpy module is not installed")
    # The environment is the one that runs the tests: nothing is to be installed in between.
    environment = {**os.environ, "ANYMOVE_VENV": str(Path(sys.prefix)), "PYTHONPATH": ""}
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "anymove.py"), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == code, f"{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def road(creatures, tmp_path_factory):
    """A fox with a (hardly) trained reader; the folder that holds assets/ and runs/."""
    home = tmp_path_factory.mktemp("road") / "assets" / "fox"
    anymove("rig", home, creatures / "KhronosFox.glb", "--hold-out", "Walk")
    anymove("dataset", home, 64, 2)
    anymove("train", home, *TRAINING)
    return home.parent.parent


def test_exam_ends_with_a_score(road):
    home = road / "assets" / "fox"
    said = anymove("exam", home, "--seed", 2, "--frames", 10)
    folder = road / "runs" / "fox" / "exam" / "random2"
    score = json.loads((folder / "score.json").read_text())
    assert score["frames"] == 10
    assert score["height_cm"] == pytest.approx(79.03, abs=0.1)
    # A minute does not make a reader, but what it reads must already beat throwing joints about.
    assert 0 < score["mean_pct"] < 40
    assert score["mean_cm"] == pytest.approx(score["mean_pct"] * score["height_cm"] / 100, rel=1e-3)
    assert set(score["read_px"]) == {"front", "side"}
    assert len(score["per_joint"]) == 28
    assert "% of height" in said
    page = (folder / "report.html").read_text()
    assert "data:image/" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert (folder / "solved" / "animated.blend").exists()


def test_exam_on_a_clip_of_the_rig(road):
    home = road / "assets" / "fox"
    anymove("exam", home, "--action", "Walk", "--frames", 6)
    score = json.loads((road / "runs" / "fox" / "exam" / "Walk" / "score.json").read_text())
    assert score["frames"] == 6
    truth = json.loads((road / "runs" / "fox" / "exam" / "Walk" / "truth.json").read_text())
    clip = json.loads((home / "rigged" / "clips" / "Walk.json").read_text())
    assert np.abs(np.array(truth["rotations_wxyz"][1]) - np.array(clip["rotations_wxyz"][1])).max() < 1e-6


def test_a_hard_exam_meets_its_truth(road):
    """Frames are left out and shown twice, and the side camera is turned: the record and the score say how."""
    home = road / "assets" / "fox"
    said = anymove("exam", home, "--action", "Walk", "--frames", 12, "--hard", "--seed", 5)
    folder = road / "runs" / "fox" / "exam" / "Walk_hard"
    score = json.loads((folder / "score.json").read_text())
    record = json.loads((folder / "clip.hardships.json").read_text())
    assert score["hardships"]["shown"] == record["shown"]
    assert score["frames"] == len(record["shown"])
    assert record["yaw_deg"][1][0] != 0
    assert score["motion"] == {"source": "Walk", "frames": 12, "held_out": True}
    assert score["stages"]["rig"]["from_solve_cm"] < 1e-3 * score["height_cm"]
    assert "\nCertificate: " in said
    easy = road / "runs" / "fox" / "exam" / "Walk" / "score.json"
    assert "different" in anymove("exam", "compare", easy, folder / "score.json", code=2)


def test_again_does_nothing_twice(road):
    home = road / "assets" / "fox"
    said = anymove("dataset", home, 64, 2)
    assert "0 samples rendered" in said
    assert "nothing to do" in anymove("train", home, *TRAINING)
    assert (road / "runs" / "fox" / "dataset_samples.jpg").stat().st_size > 10_000
    assert (road / "runs" / "fox" / "ref" / "ref.png").stat().st_size > 1_000


def test_reader_of_another_rig_is_refused(road, creatures, tmp_path):
    other = tmp_path / "assets" / "fox"
    anymove("rig", other, creatures / "KhronosFox.glb")
    (tmp_path / "runs" / "fox").mkdir(parents=True)
    reader = tmp_path / "runs" / "fox" / "reader.pt"
    reader.write_bytes((road / "runs" / "fox" / "reader.pt").read_bytes())
    said = anymove("exam", other, "--frames", 4, code=2)
    assert "another rig" in said


def test_exam_without_a_reader_is_refused(creatures, tmp_path):
    home = tmp_path / "assets" / "fox"
    anymove("rig", home, creatures / "KhronosFox.glb")
    assert "train the reader" in anymove("exam", home, "--frames", 4, code=2)
