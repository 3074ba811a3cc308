# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Legs reach for the ground inside their limits."""

import numpy as np

from mocap import rotations as rot
from mocap.poses import feet
from mocap.poses.draw import posed_at


def test_slopes_are_the_derivatives(skeleton):
    """The heights' change with each Euler angle, against finite differences."""
    legs = feet.find(skeleton)
    rng = np.random.default_rng(0)
    eulers = rng.uniform(-0.4, 0.4, (1, len(skeleton.bones), 3))
    posed = posed_at(skeleton, eulers, np.zeros((1, 3)))
    body, place = posed.turns[:, legs.base], posed.heads[:, legs.base]
    rest = skeleton.rest[legs.path]
    angles = eulers[:, legs.path]
    tip, ankle, _, slope_tip, slope_ankle = feet._forward(legs, rest, body, place, angles)
    np.testing.assert_allclose(tip[0] - legs.sole, feet.soles(legs, posed)[0], atol=1e-12)
    for n in range(angles.shape[2]):
        for axis in range(3):
            moved = angles.copy()
            moved[:, :, n, axis] += 1e-6
            tip_after, ankle_after, *_ = feet._forward(legs, rest, body, place, moved)
            np.testing.assert_allclose((tip_after - tip) / 1e-6, slope_tip[:, :, n, axis], atol=1e-5)
            np.testing.assert_allclose((ankle_after - ankle) / 1e-6, slope_ankle[:, :, n, axis], atol=1e-5)


def test_feet_come_down_inside_the_limits(skeleton):
    legs = feet.find(skeleton)
    rng = np.random.default_rng(1)
    low, high = skeleton.limits[..., 0], skeleton.limits[..., 1]
    eulers = np.clip(rng.normal(0, 0.25, (40, len(skeleton.bones), 3)), low, high)
    eulers[:, 0] = 0
    posed = posed_at(skeleton, eulers, np.zeros((40, 3)), np.full(40, -0.05))
    before = np.abs(feet.soles(legs, posed))
    bent = feet.reach(skeleton, legs, posed, eulers, np.zeros((40, len(legs.base))))
    assert (bent >= low - 1e-9).all()
    assert (bent <= high + 1e-9).all()
    after = np.abs(feet.soles(legs, posed_at(skeleton, bent, np.zeros((40, 3)), np.full(40, -0.05))))
    assert np.median(after) < 0.15 * np.median(before)
    body = [b for b in range(len(skeleton.bones)) if b not in legs.path]
    np.testing.assert_array_equal(bent[:, body], eulers[:, body])


def test_every_second_leg_stands(skeleton):
    legs = feet.find(skeleton)
    heights = feet.targets(legs, np.random.default_rng(0), 500, 1.0)
    standing = heights < 0.03
    assert standing.sum(1).min() >= 2
    assert 0.6 < standing.mean() < 0.95
    assert heights.min() >= 0


def test_what_cannot_reach_the_ground_is_left_alone(skeleton):
    legs = feet.find(skeleton)
    eulers = np.zeros((1, len(skeleton.bones), 3))
    posed = posed_at(skeleton, eulers, np.zeros((1, 3)), np.array([5.0]))
    np.testing.assert_array_equal(
        feet.reach(skeleton, legs, posed, eulers, np.zeros((1, len(legs.base)))), eulers
    )


def test_a_rig_without_legs_has_none(skeleton):
    from dataclasses import replace

    snake = replace(skeleton, limbs=())
    assert len(feet.find(snake).base) == 0
    assert rot.euler_to_matrix(np.zeros(3)).shape == (3, 3)
