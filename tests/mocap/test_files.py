# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Writes are all or nothing; what goes wrong is one line."""

from __future__ import annotations

import errno
import os

import pytest

from mocap import cli, files
from mocap.errors import AnymoveError, BadInput


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path):
    path = tmp_path / "kept.json"
    files.write_json(path, {"a": 1})

    def tear():
        with files.atomic_path(path) as temporary:
            temporary.write_text("torn")
            raise ValueError("half-way")

    with pytest.raises(ValueError, match="half-way"):
        tear()
    assert files.read_json(path, "kept") == {"a": 1}
    assert [p.name for p in tmp_path.iterdir()] == ["kept.json"]


def test_a_full_disk_is_one_line_with_exit_code_1(tmp_path, monkeypatch, capsys):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert cli.run(lambda _: files.write_text(tmp_path / "a.txt", "x"), []) == 1
    said = capsys.readouterr().err
    assert "a.txt: no space left on the disk; free some and run the same command again" in said
    assert said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_written_files_have_ordinary_permissions(tmp_path):
    files.write_text(tmp_path / "a.txt", "x")
    (tmp_path / "b.txt").write_text("x")
    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "b.txt").stat().st_mode


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "no such file"), ("{", "invalid JSON"), ("[1]", "a JSON object was expected")],
)
def test_unreadable_json_says_why(tmp_path, content, words):
    path = tmp_path / "x.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(BadInput, match=words) as caught:
        files.read_json(path, "motion")
    assert str(path) in str(caught.value)


def test_exit_codes_follow_the_error(capsys):
    def bad(_):
        raise BadInput("line\nand another")

    def failed(_):
        raise AnymoveError("x")

    def stopped(_):
        raise KeyboardInterrupt

    assert [cli.run(main, []) for main in (bad, failed, stopped, lambda _: None)] == [2, 1, 1, 0]
    assert "anymove: line and another\n" in capsys.readouterr().err


def test_digest_ignores_key_order():
    assert files.digest_json({"a": 1, "b": [2]}) == files.digest_json({"b": [2], "a": 1})
    assert files.digest_json({"a": 1}) != files.digest_json({"a": 2})
