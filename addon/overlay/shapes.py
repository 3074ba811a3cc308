# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A joint's limits as shapes in the bone's rest frame. Plain numpy."""

from __future__ import annotations

import numpy as np

from ...mocap import rotations as rot

_STEPS = 12
"""Points on each side of the frame that two angles span."""
_SPOKE_EVERY = 4


def twist_axis(axis: np.ndarray) -> int:
    """Which of the bone's own axes lies nearest to its direction: turning about it is twist."""
    return int(np.abs(axis).argmax())


def cone(limits: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """(N, 3) unit directions, a closed loop: where ``axis`` points with the two angles of swing at the ends of their
    ranges. limits (3, 2) radians, XYZ Euler."""
    swing = [place for place in range(3) if place != twist_axis(axis)]
    (low_a, high_a), (low_b, high_b) = limits[swing[0]], limits[swing[1]]
    up, down = np.linspace(0, 1, _STEPS, endpoint=False), np.linspace(1, 0, _STEPS, endpoint=False)
    a = np.concatenate([up, np.ones(_STEPS), down, np.zeros(_STEPS)])
    b = np.concatenate([np.zeros(_STEPS), up, np.ones(_STEPS), down])
    angles = np.zeros((len(a), 3))
    angles[:, swing[0]] = low_a + (high_a - low_a) * a
    angles[:, swing[1]] = low_b + (high_b - low_b) * b
    return rot.euler_to_matrix(angles) @ axis


def spokes(loop: np.ndarray) -> np.ndarray:
    """Some of the loop's points, for lines from the joint to it."""
    return loop[::_SPOKE_EVERY]


def arc(limits: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """(N, 3) unit vectors across ``axis``: an arc as long as the range of twist."""
    place = twist_axis(axis)
    low, high = limits[place]
    angles = np.zeros((2 * _STEPS, 3))
    angles[:, place] = np.linspace(low, high, 2 * _STEPS)
    across = np.zeros(3)
    across[(place + 1) % 3] = 1.0
    return rot.euler_to_matrix(angles) @ across


def segments(points: np.ndarray, closed: bool = False) -> np.ndarray:
    """(N, 3) points -> (M, 2, 3) lines from each to the next."""
    following = np.roll(points, -1, axis=0)
    pairs = np.stack([points, following], 1)
    return pairs if closed else pairs[:-1]
