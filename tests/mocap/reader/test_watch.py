# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from mocap.reader.watch import Evidence, warnings

BASE = {"front": 25.0, "side": 20.0}


def history(errors, losses=None) -> list[dict]:
    losses = losses or list(np.linspace(6, 3, len(errors)))
    return [
        {"epoch": at + 1, "loss": loss, "views": {name: {"mean_pct": float(error)} for name in BASE}}
        for at, (error, loss) in enumerate(zip(errors, losses))
    ]


STUCK = history([12, 9, 8.1, 8.0, 8.1, 8.0, 8.05, 8.0])
RNG = np.random.default_rng(0)
FLAT = RNG.uniform(7, 9, 60)


def evidence(**more) -> Evidence:
    given = {
        "train_pct": RNG.uniform(6, 8, 60),
        "held_pct": FLAT,
        "pose_distance": RNG.uniform(5, 20, 60),
        "brightness": RNG.uniform(60, 200, 60),
        "swap_pct": [0.5, 1.0],
    }
    return Evidence(BASE, **(given | more))


def one(lines: list[str], start: str) -> str:
    """The only cause named, below the line that tells what is wrong."""
    assert len(lines) == 2, lines
    assert lines[1].startswith(start), lines
    assert all("\n" not in line for line in lines)
    return lines[1]


@pytest.mark.parametrize(
    "errors", [[14, 10, 8], [14, 10, 8, 7, 6.5, 6.1, 5.8], [9, 5, 3, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5]]
)
def test_a_training_that_gets_on_is_left_alone(errors):
    """Even where some evidence looks odd: it is falling, or it is good."""
    assert warnings(history(errors), evidence(swap_pct=[9, 9], train_pct=[1.0] * 10)) == []


def test_nothing_is_said_before_the_first_epoch():
    assert warnings([], evidence()) == []


def test_standing_still_is_told_with_numbers():
    line = warnings(STUCK, evidence())[0]
    assert line == "the held-out error stands still: 8.0% of height 4 epochs ago, 8.0% at best since then"


def test_no_cause_is_made_up():
    one(warnings(STUCK, evidence()), "no cause stands out")
    assert len(warnings(STUCK, Evidence(BASE))) == 2


def test_a_finished_training_may_be_bad_while_still_falling():
    falling = history([20, 14, 11, 9.5, 8.5, 7.5])
    assert warnings(falling, evidence()) == []
    assert "over and the held-out error is still 7.5%" in warnings(falling, evidence(finished=True))[0]


def test_like_the_mean_pose_after_three_epochs():
    assert warnings(history([24, 23]), evidence()) == []
    line = warnings(history([24, 23, 22.5]), evidence(held_pct=[], train_pct=[3.0]))[0]
    assert "front: after 3 epochs the held-out error is 22.5% of height" in line
    assert "mean pose gives 25.0%" in line


def test_a_loss_that_is_no_number():
    assert "the loss is nan in epoch 2" in warnings(history([20, 19], [6.0, float("nan")]), evidence())[0]


def test_dots_off_the_joints():
    """Training samples are read no better than held-out ones, nor than the mean pose. Nothing else is blamed."""
    lost = history([22, 21, 21, 21], [6.0, 5.9, 5.85, 5.8])
    held = np.linspace(5, 40, 60)
    given = {"train_pct": [21.0] * 20, "held_pct": held, "pose_distance": held, "swap_pct": [30, 30]}
    line = one(warnings(lost, evidence(**given)), "dots off the joints?")
    assert "read 21.0% of height off, held-out ones 21.0%, the mean pose 22.5%" in line
    assert "the loss went from 6.00 to 5.80" in line
    assert "python -m mocap.dataset.sheet" in line


def test_dots_off_the_joints_by_the_loss_alone():
    lost = history([22, 21, 21, 21], [6.0, 5.9, 5.85, 5.8])
    assert "5.40 or less was expected" in one(warnings(lost, Evidence(BASE)), "dots off the joints?")
    assert "5.00 or less" in one(warnings(lost, Evidence(BASE, loss_bound=5.0)), "dots off the joints?")
    learnt = history([22, 21, 21, 21], [6.0, 5.0, 4.0, 3.5])
    one(warnings(learnt, Evidence(BASE)), "no cause stands out")


def test_too_few_samples():
    line = one(warnings(STUCK, evidence(train_pct=[2.0] * 30)), "too few samples?")
    assert "trains on are read 2.0% of height off, held-out ones 8.0%" in line
    assert "tools/dataset.sh" in line


def test_limits_too_wide():
    distance = np.linspace(5, 20, 60)
    error = 2 + (distance / 7) ** 2 + RNG.uniform(0, 1, 60)
    line = one(warnings(STUCK, evidence(pose_distance=distance, held_pct=error)), "limits too wide?")
    assert "narrow the limits" in line
    assert "rank correlation 0.9" in line


def test_left_taken_for_right():
    line = one(warnings(STUCK, evidence(swap_pct=[2.0, 11.0])), "left taken for right?")
    assert "front 2%, side 11%" in line


def test_dark_pictures():
    brightness = np.linspace(30, 220, 60)
    error = 13 - brightness / 22 + RNG.uniform(0, 1, 60)
    line = one(warnings(STUCK, evidence(brightness=brightness, held_pct=error)), "pictures too dark?")
    assert "rank correlation -0.9" in line


def test_bright_pictures_and_near_poses_are_no_cause():
    """The error rises with brightness and falls with distance: the other way round."""
    up = np.linspace(0, 1, 60)
    given = {"brightness": 30 + 190 * up, "pose_distance": 20 - 15 * up, "held_pct": 2 + 12 * up}
    one(warnings(STUCK, evidence(**given)), "no cause stands out")


def test_a_handful_of_samples_proves_nothing():
    few = np.linspace(1, 9, 8)
    one(
        warnings(STUCK, evidence(pose_distance=few, brightness=-few, held_pct=few + 3)), "no cause stands out"
    )


def test_two_causes_are_both_named():
    lines = warnings(STUCK, evidence(train_pct=[2.0] * 30, swap_pct=[8.0, 9.0]))
    assert [line.split("?")[0] for line in lines[1:]] == ["too few samples", "left taken for right"]
