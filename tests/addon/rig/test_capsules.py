# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Capsules follow the skin, wherever the bone lies."""

from __future__ import annotations

import numpy as np
import pytest
from anymove.addon.rig import capsules


def tube(radius: float, length: float, rings: int = 12) -> np.ndarray:
    """(V, 3) an open tube along X from the origin."""
    angle = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    ring = radius * np.stack([0 * angle, np.cos(angle), np.sin(angle)], 1)
    return np.concatenate([ring + np.array([x, 0, 0]) for x in np.linspace(0, length, rings)])


def test_a_tube_beside_its_bone_gives_its_own_radius_and_axis():
    skin = tube(0.05, 1.0)
    weights = np.tile([0.9, 0.1], (len(skin), 1))
    heads = np.array([[0.0, 0.5, 0.5], [0.0, 0.0, 0.0]])
    found = capsules.fit(skin, weights, heads)
    assert found[0].radius == pytest.approx(0.05, rel=0.02)
    ends = found[0].core[np.argsort(found[0].core[:, 0])]
    np.testing.assert_allclose(ends, [[0.05, 0, 0], [0.95, 0, 0]], atol=0.03)


def test_a_bone_without_skin_has_no_capsule():
    skin = tube(0.05, 1.0)
    found = capsules.fit(skin, np.tile([0.9, 0.1], (len(skin), 1)), np.zeros((2, 3)))
    assert found[1].radius == 0
    np.testing.assert_array_equal(found[1].core, 0)


def test_a_ball_is_nearly_a_point():
    points = np.random.default_rng(0).normal(size=(400, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    ball = capsules.fit(points, np.ones((400, 1)), np.zeros((1, 3)))[0]
    assert 0.7 < ball.radius < 1.0
    assert np.linalg.norm(ball.core[1] - ball.core[0]) < 0.7


@pytest.mark.bpy
@pytest.mark.rigs
def test_wolfs_capsules_lie_in_its_skin(adopt):
    skeleton = adopt("Wolf").info.skeleton
    assert (skeleton.radii > 0).mean() > 0.7
    left, right = (skeleton.bone_index(f"FrontLowerLeg.{side}") for side in "LR")
    assert skeleton.radii[left] == pytest.approx(skeleton.radii[right], rel=0.05)
    assert skeleton.radii[skeleton.bone_index("Torso2")] > 3 * skeleton.radii[left]
    middle = skeleton.cores[left].mean(0)
    np.testing.assert_allclose(
        middle * (-1, 1, 1), skeleton.cores[right].mean(0), atol=0.03 * skeleton.height
    )
