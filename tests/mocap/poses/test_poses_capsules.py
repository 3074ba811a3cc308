# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Capsules meet where geometry says so, and what meets at rest is no fault."""

import numpy as np
import pytest

from mocap.poses import capsules
from mocap.skeleton import Bone, Joint, Skeleton
from tests.mocap import rigs

EYE = tuple(map(tuple, np.eye(3)))
FREE = ((-3.0, 3.0),) * 3


def two_arms(gap: float, radius: float = 0.1) -> Skeleton:
    """A body with two parallel arms, ``gap`` apart, each of two bones."""
    bones = [Bone("body", -1, (0, 0, 0), (0, 0, 0.1), EYE, FREE, "")]
    for side, x in (("L", gap / 2), ("R", -gap / 2)):
        bones.append(Bone(f"up.{side}", 0, (x, 0, 0), (x, -1, 0), EYE, FREE, "", radius))
        bones.append(Bone(f"low.{side}", len(bones) - 1, (x, -1, 0), (x, -2, 0), EYE, FREE, "", radius))
    return Skeleton("arms", 1.0, tuple(bones), (Joint("body", 0, (0, 0, 0), "head"),))


def posed(skeleton, turned=0.0):
    """The left arm swung about Z by ``turned`` radians towards the right one."""
    quats = np.zeros((1, len(skeleton.bones), 4))
    quats[..., 0] = 1
    quats[0, 1] = [np.cos(turned / 2), 0, 0, -np.sin(turned / 2)]
    return skeleton.pose(skeleton.heads[:1], quats)


def test_distance_of_segments_against_brute_force():
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(2, 50, 2, 3))
    found = capsules._segment_distance(one, other)
    steps = np.linspace(0, 1, 201)[:, None]
    for a, b, distance in zip(one, other, found):
        p, q = a[0] + steps * (a[1] - a[0]), b[0] + steps * (b[1] - b[0])
        assert np.linalg.norm(p[:, None] - q, axis=-1).min() == pytest.approx(distance, abs=0.03)


def test_rest_is_no_fault_and_deeper_is():
    for gap in (1.0, 0.19):
        skeleton = two_arms(gap)
        known = capsules.build(skeleton)
        assert capsules.penetration(known, posed(skeleton))[0] == 0
    # Crossing arms: the axes meet, which is two radii deep, a radius beyond half.
    skeleton = two_arms(1.0)
    crossed = capsules.penetration(capsules.build(skeleton), posed(skeleton, turned=np.radians(60)))[0]
    assert crossed == pytest.approx(2.0, abs=0.01)


def test_neighbours_and_bones_without_skin_are_not_compared():
    skeleton = two_arms(1.0)
    known = capsules.build(skeleton)
    pairs = {
        frozenset((skeleton.bone_names[known.bones[a]], skeleton.bone_names[known.bones[b]]))
        for a, b in zip(known.first, known.second)
    }
    assert frozenset(("up.L", "low.L")) not in pairs
    assert frozenset(("up.L", "up.R")) in pairs
    assert not any("body" in pair for pair in pairs)


def test_a_rig_without_skin_never_meets_itself():
    skeleton = two_arms(1.0, radius=0.0)
    known = capsules.build(skeleton)
    assert capsules.penetration(known, posed(skeleton, 1.0))[0] == 0
    assert capsules.lowest(known, posed(skeleton))[0] == np.inf


def test_the_lowest_point_is_the_skins():
    skeleton = two_arms(1.0)
    assert capsules.lowest(capsules.build(skeleton), posed(skeleton))[0] == pytest.approx(-0.1)
    assert len(capsules.build(rigs.quadruped()).bones) == len(rigs.quadruped().bones)
