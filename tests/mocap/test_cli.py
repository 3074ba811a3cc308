# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Progress for people and programs; arguments that are refused."""

from __future__ import annotations

import json

import pytest

from mocap import cli


def test_progress_for_a_program_is_json_lines(monkeypatch, capsys):
    monkeypatch.setenv("ANYMOVE_PROGRESS", "json")
    assert list(cli.track(range(4), "work", note=lambda: "n")) == [0, 1, 2, 3]
    lines = capsys.readouterr().out.splitlines()
    events = [json.loads(line.removeprefix("JOB ")) for line in lines]
    assert [event["progress"] for event in events] == [0.25, 0.5, 0.75, 1.0]
    assert events[-1]["message"] == "work: 4/4 n"


def test_progress_without_a_terminal_is_a_line_a_tenth(monkeypatch, capsys):
    monkeypatch.delenv("ANYMOVE_PROGRESS", raising=False)
    assert len(list(cli.track(iter(range(95)), "work", total=95))) == 95
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 11
    assert said.err.splitlines()[-1] == "work: 95/95"
    assert len(list(cli.track(range(95), "work", logged=False))) == 95
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("text", ["0", "-3", "x", "1.5"])
def test_numbers_must_be_positive(text, capsys):
    parser = cli.Parser(prog="tool")
    parser.add_argument("n", type=cli.positive_int)
    with pytest.raises(SystemExit) as stop:
        parser.parse_args(["--", text])
    assert stop.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_errors_for_a_program_are_json_too(monkeypatch, capsys):
    monkeypatch.setenv("ANYMOVE_PROGRESS", "json")
    assert cli.fail("no\nway", 2) == 2
    said = capsys.readouterr()
    assert said.err == "anymove: no way\n"
    assert json.loads(said.out.removeprefix("JOB "))["code"] == 2


def test_axes_are_values_not_options():
    parser = cli.Parser(prog="x")
    parser.add_argument("--facing")
    parser.add_argument("--replace", action="store_true")
    assert parser.parse_args(["--facing", "-X", "--replace"]).facing == "-X"
    assert parser.parse_args(["--facing", "+Y"]).facing == "+Y"
    _, rest = parser.parse_known_args(["--up", "-Z"])
    assert rest == ["--up=-Z"]


def test_runs_of_numbers_are_ranges():
    assert cli.ranges([3, 4, 5, 9]) == "3-5, 9"
    assert cli.ranges([]) == ""
