# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The table over several creatures, of a reader that is there already."""

import pytest

from bench import creatures
from mocap import cli, files


def test_its_table_is_of_the_readers_figures(trained, tmp_path, monkeypatch, capsys):
    asked, out = [], tmp_path / "figures.json"
    monkeypatch.setattr(creatures, "toolkit", lambda *arguments: asked.append(arguments[0]))
    assert cli.run(creatures.main, [str(trained.home), "--shifted", "0", "--json", str(out)]) == 0
    assert asked == ["dataset", "train"]
    kept = files.read_json(out, "figures")["creatures"][0]
    assert f"{kept['views']['front']['mean_pct']:.1f} / " in capsys.readouterr().out


@pytest.mark.parametrize("code", [1, 2])
def test_a_step_that_fails_ends_it_with_its_own_code(trained, monkeypatch, capsys, code):
    monkeypatch.setattr(creatures.subprocess, "run", lambda *_, **__: type("Done", (), {"returncode": code}))
    assert cli.run(creatures.main, [str(trained.home)]) == code
    assert f"ended with {code}; see above" in capsys.readouterr().err


def test_a_negative_count_is_refused(trained, capsys):
    assert cli.run(creatures.main, [str(trained.home), "--shifted", "-1"]) == 2
    assert "--shifted is -1" in capsys.readouterr().err
