# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Feet to the ground: a few damped-least-squares steps of each leg's Euler angles, inside the limits.

Only heights are asked for, so a leg keeps the swing it was drawn with. All legs of all poses step at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import rotations as rot
from ..skeleton import Posed, Skeleton

STANDS = 0.06
"""A leg is one to stand on when its lowest joint at rest is within this share of the height of the ground."""
LIFTED_SHARE = 0.25
_LIFT = (0.03, 0.14)
"""How high a striding foot is, in heights."""
_SLACK = 0.008
"""Standard deviation of a standing foot's height, in heights."""
_STEPS = 6
_LONGEST_STEP = 0.35
_DAMPING = 0.02
_SOLE = 0.5
"""Weight of the ankle's height beside the tip's: it keeps the sole level."""
_STRETCH = 0.98
"""A leg reaches this share of its length; a hip that is higher leaves its foot in the air."""


class Legs(NamedTuple):
    """L legs to stand on, each a path of at most N bones from the body to its foot.

    path (L, N) bones, outermost last; legs with fewer begin with repeats that ``real`` (L, N) marks False.
    """

    path: np.ndarray
    real: np.ndarray
    base: np.ndarray
    """(L,) the bone that carries each leg."""
    arms: np.ndarray
    """(L, N, 3) from the head of the bone before to each bone's head, at rest, metres."""
    tip: np.ndarray
    """(L, 3) from the last bone's head to the point it stands on, at rest."""
    sole: np.ndarray
    """(L,) height of that point at rest."""
    length: np.ndarray
    """(L,) of the whole leg, metres."""
    ankle: np.ndarray
    """(L,) height of the last bone's head at rest; ``has_ankle`` where the leg has more than two bones."""
    has_ankle: np.ndarray


def find(skeleton: Skeleton) -> Legs:
    """Every limb that is a leg and reaches down to the ground at rest, by its outermost bone that does."""
    paths, points = [], []
    for limb in skeleton.limbs:
        if limb.kind == "leg" and (foot := _foot(skeleton, limb.bones)):
            bone, point = foot
            path = [int(b) for b in np.flatnonzero(skeleton.ancestors[bone]) if b in limb.bones and b > 0]
            if path:
                paths.append(path)
                points.append(point)
    return _legs(skeleton, paths, np.array(points).reshape(-1, 3))


def _foot(skeleton: Skeleton, bones: tuple[int, ...]) -> tuple[int, np.ndarray] | None:
    """The outermost bone that stands on the ground and where, a joint or an end of its capsule."""
    ground = STANDS * skeleton.height + min(0.0, float(skeleton.bare.joint_points[:, 2].min()))
    found = []
    for bone in bones:
        joints = [(point, 0.0) for point in skeleton.bare.joint_points[skeleton.bare.joint_bones == bone]]
        skin = [(end, skeleton.radii[bone]) for end in skeleton.cores[bone] if skeleton.radii[bone] > 0]
        depth = int(skeleton.ancestors[bone].sum())
        found += [(-depth, point[2] - radius, bone, point) for point, radius in joints + skin]
    low = [one for one in found if one[1] < ground]
    return min(low, key=lambda one: one[:3])[2:] if low else None


def _legs(skeleton: Skeleton, paths: list[list[int]], points: np.ndarray) -> Legs:
    longest = max(map(len, paths), default=0)
    path = np.array([[p[0]] * (longest - len(p)) + p for p in paths], int).reshape(len(paths), longest)
    real = np.array([[False] * (longest - len(p)) + [True] * len(p) for p in paths], bool).reshape(path.shape)
    above = skeleton.parents[path]
    arms = np.where(real[..., None], skeleton.heads[path] - skeleton.heads[above], 0.0)
    last = path[:, -1] if longest else np.zeros(0, int)
    tip = points - skeleton.heads[last]
    # The first arm leads from the body to the hip, which is no part of the leg.
    inner = arms[:, 1:] * real[:, :-1, None] if longest else np.zeros((0, 0, 3))
    length = np.linalg.norm(inner, axis=-1).sum(1) + np.linalg.norm(tip, axis=-1)
    return Legs(
        path,
        real,
        skeleton.parents[path[:, 0]] if longest else last,
        arms,
        tip,
        points[:, 2],
        length,
        skeleton.heads[last, 2],
        real.sum(1) > 2 if longest else np.zeros(0, bool),
    )


def targets(legs: Legs, rng: np.random.Generator, count: int, height: float) -> np.ndarray:
    """(count, L) heights of the feet above the ground, metres: most stand, others stride lifted by a little.
    At least every second leg stands."""
    shape = (count, len(legs.base))
    draws = rng.random(shape)
    order = draws.argsort(1).argsort(1)
    lifted = (draws < LIFTED_SHARE) & (order < shape[1] // 2)
    high = rng.uniform(*_LIFT, shape)
    return np.where(lifted, high, np.abs(rng.normal(0, _SLACK, shape))) * height


def hip_height(skeleton: Skeleton, legs: Legs, posed: Posed, crouch: np.ndarray) -> np.ndarray:
    """(K,) how far to raise each pose so that the hips are ``crouch`` (K,) of their rest height over the
    ground: a mean of all and of the lowest, for a creature that rears stands on its hind legs."""
    hips = posed.heads[:, legs.path[np.arange(len(legs.base)), legs.real.argmax(1)], 2]
    rest = skeleton.heads[legs.path[np.arange(len(legs.base)), legs.real.argmax(1)], 2]
    lift = legs.sole + crouch[:, None] * (rest - legs.sole) - hips
    return (lift.mean(1) + lift.max(1)) / 2


def soles(legs: Legs, posed: Posed) -> np.ndarray:
    """(T, L) how high above its place on the ground each foot is, metres."""
    last = legs.path[:, -1]
    tip = posed.heads[:, last] + (posed.turns[:, last] @ legs.tip[..., None])[..., 0]
    return tip[..., 2] - legs.sole


def reach(
    skeleton: Skeleton, legs: Legs, posed: Posed, eulers: np.ndarray, heights: np.ndarray, steps: int = _STEPS
) -> np.ndarray:
    """``eulers`` (K, B, 3) with the legs' angles moved so that the feet come to ``heights`` (K, L) over the
    ground, as far as limits and length allow. ``posed``: where the bodies are."""
    start = legs.base
    body, place = posed.turns[:, start], posed.heads[:, start]
    rest, limits = skeleton.rest[legs.path], skeleton.limits[legs.path]
    low = np.where(legs.real[..., None], limits[..., 0], 0.0)
    high = np.where(legs.real[..., None], limits[..., 1], 0.0)
    # Stiff joints move less; none counts for more than 60 degrees.
    ease = np.minimum(high - low, np.radians(60.0))
    angles = np.where(legs.real[..., None], eulers[:, legs.path], 0.0)
    goal = legs.sole + heights
    free = np.ones(angles.shape, bool)
    for _ in range(steps):
        tip, ankle, hip, slope_tip, slope_ankle = _forward(legs, rest, body, place, angles)
        stands = hip - goal < _STRETCH * legs.length
        level = stands & legs.has_ankle & (heights < 0.02 * skeleton.height)
        wrong = np.stack(
            [np.where(stands, goal - tip, 0.0), np.where(level, _SOLE * (legs.ankle + heights - ankle), 0.0)],
            -1,
        )
        slope = np.stack([slope_tip, np.where(level[..., None, None], _SOLE * slope_ankle, 0.0)], -1)
        step = _damped(slope, ease * free, wrong, skeleton.height)
        # Joints that push against their limit leave the next step to the others.
        free = ~(((angles >= high) & (step > 0)) | ((angles <= low) & (step < 0)))
        angles = np.clip(angles + np.clip(step, -_LONGEST_STEP, _LONGEST_STEP), low, high)
    out = eulers.copy()
    out[:, legs.path[legs.real]] = angles[:, legs.real]
    return out


def _damped(slope: np.ndarray, ease: np.ndarray, wrong: np.ndarray, height: float) -> np.ndarray:
    """(K, L, N, 3) damped least squares (Wampler 1986) for two rows: slope (K, L, N, 3, 2), wrong (K, L, 2)."""
    eased = slope * ease[..., None]
    a = (eased[..., 0] * slope[..., 0]).sum((-1, -2)) + (_DAMPING * height) ** 2
    b = (eased[..., 0] * slope[..., 1]).sum((-1, -2))
    d = (eased[..., 1] * slope[..., 1]).sum((-1, -2)) + (_DAMPING * height) ** 2
    scale = 1 / (a * d - b * b)
    first = (d * wrong[..., 0] - b * wrong[..., 1]) * scale
    second = (a * wrong[..., 1] - b * wrong[..., 0]) * scale
    return eased[..., 0] * first[..., None, None] + eased[..., 1] * second[..., None, None]


def _forward(
    legs: Legs, rest: np.ndarray, body: np.ndarray, place: np.ndarray, angles: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Heights (K, L) of tip, ankle and hip, and how tip's and ankle's change with each angle (K, L, N, 3)."""
    turns, heads = body, place
    places, axes = np.empty(angles.shape), np.empty((*angles.shape, 3))
    # From the parent side through the bone's own frame and back, all that does not hang on the pose at once.
    inner = rest @ rot.euler_to_matrix(angles) @ np.swapaxes(rest, -1, -2)
    spun = rest @ _euler_axes(angles)
    for n in range(legs.path.shape[1]):
        heads = heads + (turns @ legs.arms[:, n, :, None])[..., 0]
        places[:, :, n], axes[:, :, n] = heads, turns @ spun[:, :, n]
        turns = turns @ inner[:, :, n]
    tip = heads + (turns @ legs.tip[..., None])[..., 0]
    hip = places[:, np.arange(len(legs.base)), legs.real.argmax(1), 2]

    def slopes(point: np.ndarray) -> np.ndarray:
        arm = point[:, :, None] - places
        return axes[..., 0, :] * arm[..., 1, None] - axes[..., 1, :] * arm[..., 0, None]

    return tip[..., 2], heads[..., 2], hip, slopes(tip), slopes(heads)


def _euler_axes(angles: np.ndarray) -> np.ndarray:
    """(..., 3, 3): columns are the axes about which x, y and z of an XYZ Euler triple turn, in the bone's
    parent-side frame (``Rz Ry Rx``: z's axis stands still, x's turns with both others)."""
    cos, sin = np.cos(angles[..., 1:]), np.sin(angles[..., 1:])
    cy, sy, cz, sz = cos[..., 0], sin[..., 0], cos[..., 1], sin[..., 1]
    out = np.zeros((*angles.shape, 3))
    out[..., 0, 0], out[..., 1, 0], out[..., 2, 0] = cz * cy, sz * cy, -sy
    out[..., 0, 1], out[..., 1, 1], out[..., 2, 2] = -sz, cz, 1.0
    return out
