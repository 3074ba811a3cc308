# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which way a creature looks: decided where clues agree, asked where they do not."""

from __future__ import annotations

import numpy as np
import pytest
from anymove.addon.rig import facing, names
from anymove.mocap.errors import BadInput

TURNS = {"-Y": np.eye(3), "+Y": np.diag([-1.0, -1, 1]), "+X": np.array([[0, -1.0, 0], [1, 0, 0], [0, 0, 1]])}
TURNS["-X"] = TURNS["+X"] @ TURNS["+Y"]


def clues(turn=None, toes=-0.08, **changes) -> facing.Clues:
    """A body with a snout and two pairs of feet, looking along -Y, symmetric across X."""
    rng = np.random.default_rng(0)
    half = rng.uniform([0.0, -1, 0.5], [0.2, 1, 0.9], (300, 3))
    snout = rng.uniform([0.0, -1.4, 0.7], [0.05, -1, 0.8], (60, 3))
    feet, owners = [], []
    for bone, y in ((2, -0.7), (4, 0.7)):
        feet.append(rng.uniform([0.1, y + toes - 0.02, 0], [0.2, y + 0.02, 0.05], (30, 3)))
        owners.append(np.full(30, bone))
    left = np.concatenate([half, snout, *feet])
    owner = np.concatenate([np.zeros(300, int), np.ones(60, int), *owners])
    points = np.concatenate([left, left * [-1, 1, 1]])
    right = np.where(owner >= 2, owner + 1, owner)
    weights = np.eye(6)[np.concatenate([owner, right])]
    heads = np.array([[0, 0, 0.7], [0, -1, 0.75], [0.15, -0.7, 0.05], [-0.15, -0.7, 0.05]])
    heads = np.concatenate([heads, [[0.15, 0.7, 0.05], [-0.15, 0.7, 0.05]]])
    turn = np.eye(3) if turn is None else turn
    bones = [f"bone{i}" for i in range(6)]
    whole = facing.Clues(points @ turn.T, weights, np.ones(len(points)), bones, heads @ turn.T, [])
    return whole._replace(**changes)


@pytest.mark.parametrize("way", TURNS)
def test_names_and_toes_tell_every_direction(way):
    named = ["body", "head", "foot.L", "foot.R", "hind_foot.L", "hind_foot.R"]
    found = facing.decide(clues(TURNS[way], names=named), "auto", "auto")
    assert (found.forward, found.up) == (way, "+Z")
    assert "names of sides" in found.reasons
    assert "toes" in found.reasons


def test_without_names_toes_and_custom_tell_minus_y():
    assert facing.decide(clues(), "auto", "auto").forward == "-Y"


def test_no_clue_along_x_is_a_question():
    round_feet = clues(TURNS["+X"], toes=0.0)
    with pytest.raises(BadInput, match=r"facing -X or \+X\?.*pass --facing -X or \+X"):
        facing.decide(round_feet, "auto", "auto")


def test_clues_that_disagree_are_a_question():
    backwards = ["body", "tail", "foot.R", "foot.L", "front_foot.R", "front_foot.L"]
    with pytest.raises(BadInput, match=r"facing -Y or \+Y\?.*toes"):
        facing.decide(clues(names=backwards), "auto", "auto")


def test_a_creature_on_its_side_and_one_askew_are_questions():
    lying = clues(np.array([[0, 0, 1.0], [0, 1, 0], [1, 0, 0]]))
    with pytest.raises(BadInput, match=r"lies on its side.*--up"):
        facing.decide(lying, "auto", "auto")
    assert facing.decide(lying, "-Y", "+X").up == "+X"
    c, s = np.cos(0.7), np.sin(0.7)
    askew = clues(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]))
    with pytest.raises(BadInput, match=r"which way does it look.*--facing"):
        facing.decide(askew, "auto", "auto")


def test_what_is_given_is_taken_and_checked():
    assert facing.decide(clues(), "+X", "auto") == ("+X", "+Z", "given")
    with pytest.raises(BadInput, match="along one axis"):
        facing.decide(clues(), "+Z", "+Z")


def test_walking_feet_go_back_while_down():
    """Names and toes taken away, turned to +Y: only the clip tells."""
    still = clues(TURNS["+Y"], toes=0.0)
    time = np.linspace(0, 4 * np.pi, 60)
    walk = np.tile(still.heads, (60, 1, 1))
    for foot, phase in ((2, 0), (3, np.pi), (4, np.pi), (5, 0)):
        walk[:, foot, 1] += 0.2 * np.cos(time + phase)
        walk[:, foot, 2] += 0.1 * np.maximum(0, -np.sin(time + phase))
    forward = still._replace(clip_heads=[walk])
    assert facing._stance(forward, facing.AXES["+Y"], facing.AXES["+Z"]) > 0.5
    assert facing._stance(forward, facing.AXES["-Y"], facing.AXES["+Z"]) < -0.5


@pytest.mark.parametrize(
    ("name", "side"),
    [
        ("foot.L", "L"),
        ("R_foot", "R"),
        ("LeftUpLeg", "L"),
        ("foot_right_02", "R"),
        ("FrontLeg.L.001", "L"),
        ("mixamorig:LeftArm", "L"),
        ("Lower", ""),
        ("rear", ""),
        ("tail", ""),
    ],
)
def test_sides_by_name(name, side):
    assert names.side(name) == side
