# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Does a pose push one part of the body into another? Capsules about the bones, pair by pair."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..skeleton import Posed, Skeleton

SMALL = 0.006
"""Capsules thinner than this share of the height are left out: nobody sees where they are."""
ACCEPTED = 0.6
"""A pose is plausible up to this penetration: in radii of the thinner part, beyond the rest pose's own."""
_CLOSE = 0.5
_NEAR = 3
"""Bones this many steps apart, or fewer, are near."""


class Capsules(NamedTuple):
    """bones (C,); ends (C, 2, 3) of the axes, metres from each bone's head at rest; radii (C,); the P pairs
    that are compared, first and second (P,) into these, and rest (P,), how deep they are at rest."""

    bones: np.ndarray
    ends: np.ndarray
    radii: np.ndarray
    first: np.ndarray
    second: np.ndarray
    rest: np.ndarray


def build(skeleton: Skeleton) -> Capsules:
    bones = np.flatnonzero(skeleton.radii > SMALL * skeleton.height)
    ends = skeleton.cores[bones] - skeleton.heads[bones, None]
    first, second = np.triu_indices(len(bones), 1)
    made = Capsules(bones, ends, skeleton.radii[bones], first, second, np.zeros(len(first)))
    if not len(first):
        return made
    eye = np.broadcast_to(np.eye(3), (1, len(skeleton.bones), 3, 3))
    depth = _depth(made, skeleton.pose_matrices(skeleton.heads[:1], eye))[0]
    together = _belong_together(skeleton, bones[first], bones[second], depth / _thinner(made))
    return made._replace(
        first=first[~together], second=second[~together], rest=np.maximum(depth[~together], 0.0)
    )


def _belong_together(skeleton: Skeleton, one: np.ndarray, other: np.ndarray, depth: np.ndarray) -> np.ndarray:
    """(P,) bool: pairs of bones whose skins meet in any pose, given their depth at rest in thinner radii.

    A bone with its parent and grandparent, which fold onto each other; parts grown together; and near parts
    that almost touch, as a shoulder does the neck. A limb and its mirror image are always compared."""
    above = skeleton.ancestors.astype(int)
    common = (above[one] * above[other]).sum(1)
    up, down = above[one].sum(1) - common, above[other].sum(1) - common
    line = np.minimum(up, down) == 0
    limb, counterpart = skeleton.bone_limb[one], skeleton.bone_limb[other]
    mirror = np.array([part.mirror for part in skeleton.limbs] or [-1])
    mirrored = (limb >= 0) & (mirror[limb] == counterpart) & (counterpart >= 0)
    near = (up + down <= _NEAR) & (depth > -_CLOSE) & ~mirrored
    return (line & (up + down <= 2)) | (depth >= _CLOSE) | near


def _thinner(capsules: Capsules) -> np.ndarray:
    return np.minimum(capsules.radii[capsules.first], capsules.radii[capsules.second])


def placed(capsules: Capsules, posed: Posed) -> np.ndarray:
    """(T, C, 2, 3) ends of the axes in the world."""
    turned = capsules.ends @ np.swapaxes(posed.turns[:, capsules.bones], -1, -2)
    return posed.heads[:, capsules.bones, None] + turned


def penetration(capsules: Capsules, posed: Posed) -> np.ndarray:
    """(T,) the worst pair's depth beyond its depth at rest, in radii of the thinner one; 0 where none is."""
    if not len(capsules.first):
        return np.zeros(len(posed.heads))
    deeper = (_depth(capsules, posed) - capsules.rest) / _thinner(capsules)
    return np.maximum(deeper.max(1), 0.0)


def lowest(capsules: Capsules, posed: Posed) -> np.ndarray:
    """(T,) height of the lowest point of any capsule, metres; infinite where there is none."""
    if not len(capsules.bones):
        return np.full(len(posed.heads), np.inf)
    return (placed(capsules, posed)[..., 2].min(2) - capsules.radii).min(1)


def _depth(capsules: Capsules, posed: Posed) -> np.ndarray:
    """(T, P) how deep two capsules stand in each other, metres; negative where they are apart."""
    ends = placed(capsules, posed)
    gap = _segment_distance(ends[:, capsules.first], ends[:, capsules.second])
    return capsules.radii[capsules.first] + capsules.radii[capsules.second] - gap


def _segment_distance(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(..., 2, 3) twice -> (...): distance of two segments (Ericson, Real-Time Collision Detection, 5.1.9)."""
    start, along, across = (
        one[..., 0, :],
        one[..., 1, :] - one[..., 0, :],
        other[..., 1, :] - other[..., 0, :],
    )
    between = start - other[..., 0, :]
    a, e = _dot(along, along) + 1e-12, _dot(across, across) + 1e-12
    b, c, f = _dot(along, across), _dot(along, between), _dot(across, between)
    s = np.clip((b * f - c * e) / np.maximum(a * e - b * b, 1e-12), 0, 1)
    t = np.clip((b * s + f) / e, 0, 1)
    s = np.clip((b * t - c) / a, 0, 1)
    gap = between + s[..., None] * along - t[..., None] * across
    return np.sqrt(_dot(gap, gap))


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("...i,...i->...", a, b)
