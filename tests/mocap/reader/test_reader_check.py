# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import json
import shutil

from mocap import cli
from mocap.reader import check


def run(paths, tmp_path, *more) -> int:
    arguments = [
        "--creature",
        str(paths.home),
        "--threads",
        "1",
        "--json",
        str(tmp_path / "check.json"),
        *more,
    ]
    return cli.run(check.main, arguments)


def test_easy_and_hard_stand_side_by_side(trained, tmp_path, capsys):
    assert run(trained, tmp_path) == 0
    out = capsys.readouterr().out
    assert "front, easy" in out
    assert "side, hard" in out
    assert "shifted" not in out
    found = json.loads((tmp_path / "check.json").read_text())
    assert set(found) == {"easy", "hard"}
    assert found["easy"]["samples"] == 2
    assert found["easy"]["views"] != found["hard"]["views"]


def test_another_style_and_hard_alone(trained, tmp_path, capsys):
    shutil.copytree(trained.dataset, trained.shifted)
    assert run(trained, tmp_path, "--shifted") == 0
    assert json.loads((tmp_path / "check.json").read_text())["shifted"]["samples"] == 27
    assert run(trained, tmp_path, "--hard") == 0
    assert list(json.loads((tmp_path / "check.json").read_text())) == ["hard"]


def test_what_is_missing_is_one_line(trained, tmp_path, capsys):
    assert run(trained, tmp_path, "--shifted") == 2
    assert "no samples here; render some with tools/dataset.sh" in capsys.readouterr().err
    trained.reader.unlink()
    assert run(trained, tmp_path) == 2
    assert "no such file (reader)" in capsys.readouterr().err
