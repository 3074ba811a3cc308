# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""From what pulls at points on bones to the equations of the unknowns.

A point's wish (a 3x3 weight and a pull) is first turned into a 6x6 weight and a wrench on twists about one origin,
these are summed over everything that a bone carries, and only then meet the axes of the bones: the composite rigid
body algorithm (Featherstone, Rigid Body Dynamics Algorithms, 2008, 6.2). The cost grows with points + bones^2, not
with points x bones^2, so that thousands of surface points cost no more than some dozen joints.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import rotations as rot
from ..skeleton import Posed, Skeleton


class Wrenches(NamedTuple):
    """What pulls at each bone itself, over T frames, on twists (velocity, turn) about the root's head."""

    weight: np.ndarray
    """(T, B, 6, 6)"""
    pull: np.ndarray
    """(T, B, 6, C): columns of gradients."""
    from_root: bool = False
    """What pulls is measured from the root's head and goes where that goes: the root's place feels nothing of it."""


def point_map(points: np.ndarray) -> np.ndarray:
    """(..., 3) -> (..., 3, 6): a point's velocity under a twist (velocity of the origin, turn)."""
    return np.concatenate([np.broadcast_to(np.eye(3), (*points.shape, 3)), -rot.hat(points)], -1)


def levers(skeleton: Skeleton, posed: Posed) -> np.ndarray:
    """(T, n, 6): the twist that each unknown gives to all it carries, n = 3 + 3 B: the root's place, then a turn
    of each bone in its own frame."""
    frames, bones = posed.heads.shape[:2]
    out = np.zeros((frames, 1 + bones, 3, 6))
    out[:, 0, :, :3] = np.eye(3)
    axes = np.swapaxes(posed.turns @ skeleton.rest, -1, -2)
    arms = posed.heads - posed.heads[:, :1]
    out[:, 1:, :, 3:] = axes
    out[:, 1:, :, :3] = np.cross(arms[:, :, None], axes)
    return out.reshape(frames, -1, 6)


def of_joints(skeleton: Skeleton, posed: Posed, weight: np.ndarray, pull: np.ndarray) -> Wrenches:
    """weight (T, J, 3, 3) and pull (T, J, 3, C) at the joints, in world space -> what they do to their bones."""
    maps = point_map(posed.joints - posed.heads[:, :1])
    turned = np.swapaxes(maps, -1, -2)
    held = _held(skeleton)
    return Wrenches(_summed(held, turned @ weight @ maps), _summed(held, turned @ pull))


def equations(skeleton: Skeleton, posed: Posed, wrenches: Wrenches) -> tuple[np.ndarray, np.ndarray]:
    """Hessian (T, n, n) and gradients (T, n, C) of the unknowns."""
    whole = _whole(skeleton)
    lever = levers(skeleton, posed)
    frames, width, _ = lever.shape
    by_group = lever.reshape(frames, -1, 3, 6)
    moved = _summed(whole, wrenches.weight) @ np.swapaxes(by_group, -1, -2)
    moved = moved.transpose(0, 2, 1, 3).reshape(frames, 6, width)
    above, same = _couplings(skeleton)
    every = lever @ moved
    hessian = every * above
    hessian += np.swapaxes(hessian, -1, -2)
    hessian += every * same
    return hessian, _met(whole, lever, wrenches.pull)


def gradients(skeleton: Skeleton, posed: Posed, pull: np.ndarray) -> np.ndarray:
    """pull (T, J, 3, C) at the joints -> (T, n, C) of the unknowns."""
    maps = point_map(posed.joints - posed.heads[:, :1])
    wrench = _summed(_held(skeleton), np.swapaxes(maps, -1, -2) @ pull)
    return _met(_whole(skeleton), levers(skeleton, posed), wrench)


def moves(skeleton: Skeleton, posed: Posed, steps: np.ndarray) -> np.ndarray:
    """steps (T, n, C) of the unknowns -> (T, J, 3, C) how far the joints go, to first order."""
    lever = levers(skeleton, posed)
    frames, _width, _ = lever.shape
    count = steps.shape[-1]
    given = np.swapaxes(lever.reshape(frames, -1, 3, 6), -1, -2) @ steps.reshape(frames, -1, 3, count)
    of_bones = _summed(skeleton.ancestors.astype(float), given[:, 1:]) + given[:, :1]
    maps = point_map(posed.joints - posed.heads[:, :1])
    return maps @ of_bones[:, skeleton.joint_bones]


def _met(whole: np.ndarray, lever: np.ndarray, wrench: np.ndarray) -> np.ndarray:
    """What acts on the bones (T, B, 6, C) meets the unknowns (T, n, C)."""
    frames, width, _ = lever.shape
    return (lever.reshape(frames, -1, 3, 6) @ _summed(whole, wrench)).reshape(frames, width, -1)


def _held(skeleton: Skeleton) -> np.ndarray:
    """(B, J) 1 where the bone itself holds the joint."""
    held = np.zeros((len(skeleton.bones), len(skeleton.joints)))
    held[skeleton.joint_bones, np.arange(len(skeleton.joints))] = 1.0
    return held


def _whole(skeleton: Skeleton) -> np.ndarray:
    """(1 + B, B) 1 where the root's place or a bone's turn carries the bone."""
    carried = skeleton.ancestors.T.astype(float)
    return np.concatenate([carried[:1], carried])


def _couplings(skeleton: Skeleton) -> tuple[np.ndarray, np.ndarray]:
    """(n, n) 1 where the row's unknown lies above the column's; and where both are of one bone or the place."""
    groups = len(skeleton.bones) + 1
    above = np.zeros((groups, groups))
    above[0, 1:] = 1
    above[1:, 1:] = skeleton.ancestors.T & ~np.eye(groups - 1, dtype=bool)
    block = np.ones((3, 3))
    return np.kron(above, block), np.kron(np.eye(groups), block)


def _summed(table: np.ndarray, values: np.ndarray) -> np.ndarray:
    """table (G, K), values (T, K, ...) -> (T, G, ...): sums over what each row marks."""
    flat = values.reshape(*values.shape[:2], -1)
    return (table @ flat).reshape(len(values), len(table), *values.shape[2:])
