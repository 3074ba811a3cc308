# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of each step from files alone: missing, done, stale, and why."""

from __future__ import annotations

import json
import os
import time

import pytest
from anymove.addon.state.hindrances import NO_NAME, NO_TOOLKIT, hindrance
from anymove.addon.state.road import look
from anymove.addon.state.watcher import Watcher
from anymove.mocap import rig_info

from tests.mocap import rigs


@pytest.fixture
def paths(tmp_path):
    """A creature with a rig and nothing else."""
    made = rig_info.CreaturePaths(tmp_path / "assets" / "cat")
    made.runs.mkdir(parents=True)
    rigs.rig_info().save(made.rig_info)
    for part in (made.rigged, made.skin):
        part.touch()
    return made


def write(path, text="x", age=0.0):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    when = time.time() - age
    os.utime(path, (when, when))


def test_nothing_is_there_yet(tmp_path):
    road = look(tmp_path / "assets" / "none")
    assert [road.step(key).state for key in ("creature", "dataset", "reader", "exam", "motion")] == [
        "missing"
    ] * 5
    assert road.dataset.why == "adopt a rig first"
    assert road.info is None


def test_a_rig_without_its_blend_file_is_stale(paths):
    paths.rigged.unlink()
    road = look(paths.home)
    assert road.creature.state == "stale"
    assert "rigged.blend is not there" in road.creature.why


def test_a_broken_rig_info_says_so(paths):
    write(paths.rig_info, "{")
    road = look(paths.home)
    assert road.creature.state == "stale"
    assert "invalid JSON" in road.creature.why


def test_samples_of_another_rig_are_stale(paths, monkeypatch):
    assert look(paths.home).dataset.why == "no samples rendered yet"
    write(paths.dataset / "00000_meta.json", "{}")
    road = look(paths.home)
    assert (road.dataset.state, road.samples) == ("done", 1)
    from anymove.addon.state import road as module

    monkeypatch.setattr(module, "_sample_digest", lambda *_: "other")
    assert look(paths.home).dataset.state == "stale"


def test_a_reader_older_than_the_rig_is_stale(paths):
    write(paths.reader, age=3600)
    assert look(paths.home).reader.state == "stale"
    write(paths.reader, age=-5)
    figures = {"history": [{}, {}], "views": {"front": {"mean_pct": 2.84}, "side": {"mean_pct": 2.2}}}
    write(paths.runs / "reader_figures.json", json.dumps(figures))
    write(paths.runs / "reader_curve.png")
    step = look(paths.home).reader
    assert (step.state, step.why) == ("done", "trained for 2 epochs")
    assert step.facts[0] == ("Error, front", "2.8% of height")
    assert [picture.title for picture in step.pictures] == ["Curve"]


def test_the_newest_exam_counts_and_ages_with_the_reader(paths):
    write(paths.reader, age=50)
    write(paths.runs / "exam" / "Walk" / "score.json", json.dumps({"mean_cm": 1.24}), age=10)
    write(paths.runs / "exam" / "Run" / "score.json", "{}", age=20)
    road = look(paths.home)
    assert road.exam.why == "Walk: 1.2 cm off"
    write(paths.runs / "exam" / "Walk" / "solved.json")
    assert look(paths.home).motion.newest == paths.runs / "exam" / "Walk" / "solved.json"
    write(paths.reader)
    assert look(paths.home).exam.state == "stale"


def test_a_score_being_written_is_no_error(paths):
    write(paths.runs / "exam" / "Walk" / "score.json", '{"mean_cm": 1.')
    assert look(paths.home).exam.why == "Walk"


def test_what_hinders_a_step(paths):
    road = look(paths.home)
    assert hindrance("reader", road, False, True) == NO_TOOLKIT
    assert hindrance("studio", road, False, True) == ""
    assert hindrance("creature", None, True, False) == NO_NAME
    assert hindrance("dataset", road, True, True) == ""
    assert "Render samples first" in hindrance("reader", road, True, True)
    assert "Train the reader first" in hindrance("exam", road, True, True)
    paths.rigged.unlink()
    assert "adopt the rig again" in hindrance("dataset", look(paths.home), True, True)


def test_the_watcher_answers_at_once_and_looks_again_after_a_job(paths):
    watcher = Watcher()
    before = time.perf_counter()
    assert watcher.road(paths.home) is None
    assert time.perf_counter() - before < 0.01
    watcher.wait()
    assert watcher.news.is_set()
    assert watcher.road(paths.home).dataset.state == "missing"
    watcher.news.clear()
    write(paths.dataset / "00000_meta.json", "{}")
    watcher.road(paths.home)
    watcher.wait()
    assert not watcher.news.is_set()
    watcher.forget()
    watcher.road(paths.home)
    watcher.wait()
    assert watcher.news.is_set()
    assert watcher.road(paths.home).samples == 1


def test_asking_costs_a_drawing_nothing(paths):
    for index in range(3000):
        (paths.dataset).mkdir(parents=True, exist_ok=True)
        (paths.dataset / f"{index:05d}_meta.json").touch()
    watcher = Watcher()
    watcher.road(paths.home)
    watcher.wait()
    before = time.perf_counter()
    for _ in range(100):
        watcher.road(paths.home)
    assert (time.perf_counter() - before) / 100 < 1e-3
    assert isinstance(watcher.road(paths.home).info, rig_info.RigInfo)
