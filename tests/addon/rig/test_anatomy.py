# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Chains are named by what they are, on made-up bodies without telling names."""

from __future__ import annotations

import colorsys
from itertools import pairwise

import numpy as np
import pytest
from anymove.addon.rig import limb_limits, limbs, shapes, symmetry
from anymove.addon.rig.anatomy import Anatomy
from anymove.mocap import rotations as rot


class Builder:
    """Bones by (parent, head, tip), in heights; "both" mirrors a chain. Skin is a rod around each bone, or a
    flat blade."""

    def __init__(self, head, tip):
        self.parents, self.heads, self.tips, self.flat = [-1], [head], [tip], [False]

    def chain(self, parent: int, *points, flat=False) -> int:
        for head, tip in pairwise(points):
            self.parents.append(parent)
            self.heads.append(head)
            self.tips.append(tip)
            self.flat.append(flat)
            parent = len(self.parents) - 1
        return parent

    def both(self, parent: int, *points, flat=False) -> tuple[int, int]:
        other = [(-x, y, z) for x, y, z in points]
        return self.chain(parent, *points, flat=flat), self.chain(parent, *other, flat=flat)

    def anatomy(self) -> Anatomy:
        heads, tips = np.array(self.heads, float), np.array(self.tips, float)
        points, weights = [], []
        for bone, (head, tip) in enumerate(zip(heads, tips)):
            skin = _blade(head, tip) if self.flat[bone] else _rod(head, tip)
            points.append(skin)
            weights.append(np.tile(np.eye(len(heads))[bone], (len(skin), 1)))
        last = np.array([bone not in self.parents for bone in range(len(heads))])
        own = np.where(last[:, None], tips, np.nan)
        partner = symmetry.mirror_bones(self.parents, heads, tips)
        sides = symmetry.sides(partner, self.parents, symmetry.subtree_middles(self.parents, heads, tips))
        names = [f"bone{i}" for i in range(len(heads))]
        return Anatomy(
            names, self.parents, sides, partner, heads, own, np.concatenate(points), np.concatenate(weights)
        )

    def limbs(self) -> dict[str, list[int]]:
        return {limb.name: limb.bones for limb in limbs.find(self.anatomy())}


def _rod(head, tip, radius=0.02):
    axis = (tip - head) / np.linalg.norm(tip - head)
    side = np.cross(axis, [0.3, 0.5, 0.8])
    side /= np.linalg.norm(side)
    ring = [np.cos(a) * side + np.sin(a) * np.cross(axis, side) for a in np.linspace(0, 5.5, 8)]
    return np.array([head + t * (tip - head) + radius * r for t in np.linspace(0.05, 1, 6) for r in ring])


def _blade(head, tip, width=0.15):
    axis = tip - head
    across = np.cross(axis, [0, 0, 1.0])
    across = np.array([0, 1.0, 0]) if np.linalg.norm(across) < 1e-6 else across / np.linalg.norm(across)
    return np.array(
        [head + t * axis + w * across for t in np.linspace(0, 1, 6) for w in np.linspace(-width, width, 6)]
    )


def quadruped() -> Builder:
    body = Builder((0, 0.6, 0.8), (0, 0.3, 0.8))
    chest = body.chain(0, (0, 0.3, 0.8), (0, 0, 0.8), (0, -0.4, 0.8))
    neck = body.chain(chest, (0, -0.5, 0.85), (0, -0.65, 0.95), (0, -0.8, 1.0))
    head = body.chain(neck, (0, -0.8, 1.0), (0, -1.1, 0.95))
    body.both(head, (0.04, -0.8, 1.03), (0.07, -0.8, 1.12))
    body.chain(0, (0, 0.65, 0.8), (0, 0.85, 0.75), (0, 1.1, 0.6), (0, 1.3, 0.5))
    body.both(chest, (0.1, -0.35, 0.75), (0.12, -0.3, 0.4), (0.12, -0.33, 0.1), (0.12, -0.42, 0.0))
    body.both(0, (0.1, 0.6, 0.75), (0.12, 0.5, 0.4), (0.12, 0.62, 0.15), (0.12, 0.52, 0.0))
    return body


def test_quadruped():
    found = quadruped().limbs()
    assert set(found) == {
        *("spine", "neck", "head", "tail", "ear.L", "ear.R", "leg1.L", "leg1.R", "leg2.L", "leg2.R"),
    }
    assert (len(found["tail"]), len(found["leg1.L"]), len(found["head"])) == (3, 3, 1)


def human() -> Builder:
    body = Builder((0, 0, 0.5), (0, 0, 0.6))
    chest = body.chain(0, (0, 0, 0.6), (0, 0, 0.7), (0, 0, 0.8))
    head = body.chain(chest, (0, 0, 0.82), (0, 0, 0.87), (0, 0, 1.0))
    assert head
    for hand in body.both(chest, (0.05, 0, 0.8), (0.12, 0, 0.8), (0.28, 0, 0.8), (0.42, 0, 0.8)):
        sign = 1 if body.heads[hand][0] > 0 else -1
        for y in (-0.03, 0, 0.03):
            body.chain(hand, (sign * 0.42, y, 0.8), (sign * 0.46, y, 0.8), (sign * 0.5, y, 0.8))
    body.both(0, (0.06, 0, 0.5), (0.07, -0.01, 0.27), (0.07, 0, 0.04), (0.07, -0.1, 0.0))
    return body


def test_human_has_arms_with_fingers_and_one_pair_of_legs():
    found = human().limbs()
    assert {"spine", "neck", "head", "arm.L", "leg.L", "finger1.L", "finger2.R", "finger3.L"} <= set(found)
    assert "tail" not in found
    colours = {limb.name: limb.colour for limb in limbs.find(human().anatomy())}
    hue = lambda name: colorsys.rgb_to_hsv(*colours[name])[0]  # noqa: E731
    assert hue("finger1.L") == pytest.approx(hue("arm.L"), abs=0.01)
    assert abs(hue("arm.L") - hue("arm.R")) == pytest.approx(0.5, abs=0.01)
    assert colours["finger1.L"] != colours["arm.L"]


def test_dragon_has_wings_legs_neck_and_tail():
    body = quadruped()
    body.both(3, (0.1, -0.2, 0.85), (0.6, -0.1, 1.2), (1.2, 0, 1.1), (1.6, 0.1, 0.9), flat=True)
    assert {"wing.L", "wing.R", "leg1.L", "leg2.L", "neck", "tail"} <= set(body.limbs())


def test_hovering_insect_has_three_pairs_of_legs():
    body = Builder((0, 0, 0.7), (0, -0.2, 0.7))
    body.chain(0, (0, -0.25, 0.7), (0, -0.5, 0.7))
    body.chain(0, (0, 0.1, 0.65), (0, 0.4, 0.4), (0, 0.5, 0.0))
    for y in (-0.15, -0.05, 0.05):
        body.both(0, (0.1, y, 0.6), (0.2, y - 0.05, 0.5), (0.22, y - 0.1, 0.35))
    body.both(0, (0.1, 0, 0.8), (0.5, 0.4, 1.0), flat=True)
    found = body.limbs()
    assert {"leg1.L", "leg2.R", "leg3.L", "wing.L", "head", "tail"} <= set(found)
    order = [body.heads[found[f"leg{i}.L"][0]][1] for i in (1, 2, 3)]
    assert order == sorted(order)


def test_fish_and_snake_have_no_legs():
    fish = Builder((0, -0.5, 0.5), (0, 0, 0.5))
    fish.chain(0, (0, -0.6, 0.5), (0, -1.2, 0.5))
    fish.chain(0, (0, 0, 0.5), (0, 0.6, 0.5), (0, 1.2, 0.5))
    fish.both(0, (0.2, -0.3, 0.4), (0.6, -0.1, 0.1), flat=True)
    assert set(fish.limbs()) == {"body", "head", "tail", "fin.L", "fin.R"} or set(fish.limbs()) == {
        *("spine", "head", "tail", "fin.L", "fin.R"),
    }
    snake = Builder((0, -1, 0.5), (0, -0.5, 0.5))
    snake.chain(0, (0, -1.1, 0.6), (0, -1.5, 0.8))
    snake.chain(0, (0, -0.5, 0.4), (0, 0.5, 0.2), (0, 1.5, 0.1), (0, 2.5, 0.1))
    assert {"head", "tail"} <= set(snake.limbs())
    assert not any(name.startswith(("leg", "arm")) for name in snake.limbs())


def test_every_bone_is_in_one_limb_and_pairs_point_at_each_other():
    for body in (quadruped(), human()):
        found = limbs.find(body.anatomy())
        bones = sorted(bone for limb in found for bone in limb.bones)
        assert bones == list(range(len(body.parents)))
        for index, limb in enumerate(found):
            if limb.mirror >= 0:
                assert found[limb.mirror].mirror == index
                assert found[limb.mirror].side != limb.side


def test_sheets_and_rods():
    assert shapes.is_sheet(_blade(np.zeros(3), np.array([1.0, 0, 0])))
    assert not shapes.is_sheet(_rod(np.zeros(3), np.array([1.0, 0, 0])))


def test_outside_tells_inside_of_open_meshes():
    """A box without its lid."""
    points = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4)]
    triangles = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    away = shapes.outside(np.array([[0.5, 0.5, 0.4], [0.5, 0.5, 2.0], [3.0, 0, 0]]), points, triangles)
    assert away[0] == 0
    assert away[2] == pytest.approx(2)
    assert away[1] > 1


@pytest.mark.parametrize("kind", limb_limits.FIRST)
def test_limits_by_limb_type_allow_rest_whatever_the_roll(kind):
    rng = np.random.default_rng(3)
    for place in range(3):
        rest = rot.exp_so3(rng.normal(0, 2, 3))
        along, before = rng.normal(size=3), rng.normal(size=3)
        ranges = limb_limits.ranges(kind, place, 3, rest, along, before)
        assert (ranges[:, 0] <= 0).all()
        assert (ranges[:, 1] >= 0).all()
        assert np.abs(ranges).max() < np.radians(120)


def test_a_knee_closes_farther_than_it_opens():
    """Thigh forward-down, shin back-down: the shin's rest Y axis lies along it, X across."""
    before, along = np.array([0, -0.3, -1.0]), np.array([0, 0.4, -1.0])
    along /= np.linalg.norm(along)
    across = np.array([1.0, 0, 0])
    rest = np.stack([across, along, np.cross(across, along)], 1)
    low, high = np.degrees(limb_limits.ranges("leg", 1, 3, rest, along, before)[0])
    hinge = np.cross(before, along)[0]
    closes, opens = (high, -low) if hinge > 0 else (-low, high)
    assert closes == pytest.approx(50)
    assert opens == pytest.approx(25)
