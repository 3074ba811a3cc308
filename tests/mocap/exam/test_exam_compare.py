# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Two scores of the same exam side by side, and what cannot be compared."""

import json

import pytest

from mocap import cli, files
from mocap.exam.__main__ import main
from tests.mocap.exam.sitting import score_arguments


@pytest.fixture
def scored(sat):
    """score.json of the exam that was sat, twice: the readings' own, and a made-up better one."""
    assert cli.run(main, [*score_arguments(sat), "--detections", str(sat / "det.npz")]) == 0
    card = json.loads((sat / "score.json").read_text())
    better = json.loads(json.dumps(card)) | {"mean_cm": card["mean_cm"] - 0.25}
    files.write_json(sat / "better.json", better)
    return sat, card


def compare(folder, *more):
    return cli.run(main, ["compare", str(folder / "score.json"), str(folder / "better.json"), *more])


def test_the_difference_of_every_figure_is_told(scored, capsys):
    folder, card = scored
    assert compare(folder, "--json", str(folder / "difference.json")) == 0
    out = capsys.readouterr().out
    assert "-0.250" in out
    told = json.loads((folder / "difference.json").read_text())
    assert told["mean error (cm)"]["difference"] == pytest.approx(-0.25)
    assert told["read, side, PCK@5%"]["before"] == card["stages"]["read"]["side"]["pck5"]
    assert told["median error (cm)"]["difference"] == 0
    assert "solved without pictures, mean (cm)" not in told, "what neither has is left out"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda c: c["provenance"].update(rig_digest="f" * 32), "different rigs"),
        (lambda c: c.update(seed=99), "different seeds (11 and 99)"),
        (lambda c: c.update(hardships={"seed": 11}), "different hardships;"),
        (lambda c: c.update(motion={"source": "Walk", "frames": 24}), "different motions"),
        (lambda c: c.update(fps=30.0), "different motions"),
        (lambda c: c.update(schema=1), "schema 1"),
        (lambda c: c.update(kind="anymove.motion"), "not a score"),
        (lambda c: c.pop("provenance"), "lacks the field 'provenance'"),
    ],
)
def test_scores_of_different_exams_are_refused_in_one_line(scored, change, told, capsys):
    folder, _ = scored
    card = json.loads((folder / "better.json").read_text())
    change(card)
    files.write_json(folder / "better.json", card)
    capsys.readouterr()
    assert compare(folder) == 2
    said = capsys.readouterr().err
    assert told in said
    assert len(said.strip().splitlines()) == 1


def test_the_same_exam_scores_the_same_again(scored):
    folder, card = scored
    again = [
        *score_arguments(folder),
        "--detections",
        str(folder / "det.npz"),
        "--out",
        str(folder / "again"),
    ]
    assert cli.run(main, again) == 0
    assert json.loads((folder / "again" / "score.json").read_text()) == card
