# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""creature.json: mirrored halves, membranes, limbs, and one line for what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from mocap import files
from mocap.creature import Creature
from mocap.errors import BadInput

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = sorted(path.parent.name for path in ROOT.glob("assets/*/creature.json"))


def definition(**changes) -> dict:
    bones = [
        {"name": "hips", "parent": None, "head": [0, 0, 30], "tail": [0, -10, 30], "radii": [5, 5]},
        {"name": "leg.L", "parent": "hips", "head": [4, 0, 28], "tail": [5, 0, 2], "radii": [3, 2],
         "limits_deg": [[-30, 20], [-5, 8], [-10, 15]]},
    ]  # fmt: skip
    data = {"schema": 1, "kind": "anymove.creature", "name": "small", "height_cm": 35, "bones": bones}
    return {**data, **changes}


def load(tmp_path, **changes) -> Creature:
    path = tmp_path / "creature.json"
    files.write_json(path, definition(**changes))
    return Creature.load(path)


def test_left_is_given_once_and_mirrored(tmp_path):
    made = load(
        tmp_path,
        limbs=[{"name": "spine", "bones": ["hips"]}, {"name": "leg.L", "bones": ["leg.L"]}],
        shapes=[{"centre": [3, 0, 20], "radii": [1, 2, 3], "turn_deg": [10, 20, 30], "both_sides": True}],
        membranes=[{"outline": [[1, 0, 0], [2, 0, 0], [2, 1, 5]], "thickness": 2, "both_sides": True}],
    )
    right = made.bones[2]
    assert (right.name, right.head) == ("leg.R", (-4, 0, 28))
    assert right.limits_deg == ((-30, 20), (-8, 5), (-15, 10))
    assert made.bones[0].limits_deg is None
    assert [limb["name"] for limb in made.limbs] == ["spine", "leg.L", "leg.R"]
    assert made.limbs[2] == {"name": "leg.R", "side": "R", "bones": ["leg.R"], "mirror": "leg.L"}
    assert made.shapes[1].centre == (-3, 0, 20)
    assert made.shapes[1].turn_deg == (10, -20, -30)
    assert made.membranes[1].outline[2] == (-2, 1, 5)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"height_cm": 0}, "height_cm is 0"),
        ({"limbs": [{"name": "arm.L", "bones": ["arm.L"]}]}, "limb arm.L: no bone arm.L"),
        ({"membranes": [{"outline": [[0, 0, 0], [1, 0, 0]], "thickness": 1}]}, "membrane 0: it needs three"),
    ],
)
def test_what_is_wrong_is_said_with_the_file(tmp_path, changes, words):
    with pytest.raises(BadInput, match=r"creature\.json") as refused:
        load(tmp_path, **changes)
    assert words in str(refused.value)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_creatures_put_every_bone_in_one_limb(name):
    made = Creature.load(ROOT / "assets" / name / "creature.json")
    assert made.name == name
    bones = [bone for limb in made.limbs for bone in limb["bones"]]
    assert sorted(bones) == sorted(bone.name for bone in made.bones)


def test_the_four_are_shipped():
    assert {"spider", "wolf", "dragon", "demon"} <= set(SHIPPED)
