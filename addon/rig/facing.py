# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which way a creature looks in its file: the mirror plane gives the line, clues the direction. Pure numpy.

A capture with the wrong facing is worthless, so clues that are weak or disagree end in a question.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...mocap.errors import BadInput
from . import names as words
from . import shapes

AXES = {
    sign + axis: (1 if sign == "+" else -1) * np.eye(3)[i] for i, axis in enumerate("XYZ") for sign in "-+"
}
"""Direction names -> unit vectors in the file's world."""
ENOUGH = 0.45
"""The clues' sum must be at least this, and at least this share of what they would add up to in accord."""
MIRRORED = 0.03
"""A mesh counts as mirrored across a plane when it misses its image by less, as a share of its size."""


class Clues(NamedTuple):
    """What can be seen of a rig before its facing is known; N bones, source world."""

    points: np.ndarray
    """(V, 3) skin at rest."""
    weights: np.ndarray
    """(V, N)"""
    areas: np.ndarray
    """(V,)"""
    names: list[str]
    heads: np.ndarray
    """(N, 3)"""
    clip_heads: list[np.ndarray]
    """per clip (T, N, 3)"""


class Facing(NamedTuple):
    forward: str
    """A key of AXES."""
    up: str
    reasons: str


def decide(clues: Clues, facing: str, up: str) -> Facing:
    """``facing`` and ``up`` are keys of AXES or "auto". Raises BadInput with a question."""
    errors = mirror_errors(clues.points)
    if up == "auto":
        if errors["Z"] < MIRRORED and errors["Z"] < 0.5 * min(errors["X"], errors["Y"]):
            raise BadInput(
                "the mesh is mirrored across Z, so it lies on its side: which way is its back? "
                "pass --up +X, -X, +Y or -Y"
            )
        up = "+Z"
    if facing != "auto":
        if abs(AXES[facing] @ AXES[up]) > 0.5:
            raise BadInput(f"--facing {facing} and --up {up} lie along one axis; give two different ones")
        return Facing(facing, up, "given")
    line, why = _line(clues, errors, AXES[up])
    return _direction(clues, line, up, why)


def mirror_errors(points: np.ndarray) -> dict[str, float]:
    """For each world axis: how far the mesh misses its mirror image across it, as a share of its size.

    points (V, 3). The error is the mean distance from mirrored points to the nearest of the points.
    """
    sample = points[:: max(1, len(points) // 400)]
    size = np.ptp(points, axis=0).max()
    errors = {}
    for axis, name in enumerate("XYZ"):
        mirrored = sample.copy()
        mirrored[:, axis] = points[:, axis].min() + points[:, axis].max() - mirrored[:, axis]
        nearest = [np.sqrt(((points - p) ** 2).sum(1).min()) for p in mirrored]
        errors[name] = float(np.mean(nearest) / size)
    return errors


def _line(clues: Clues, errors: dict[str, float], up: np.ndarray) -> tuple[str, str]:
    """The axis (letter) along which the creature looks, and how that is known."""
    across = [axis for axis in "XYZ" if abs(AXES[f"+{axis}"] @ up) < 0.5]
    best, other = sorted(across, key=errors.get)
    if errors[best] < MIRRORED and errors[best] < 0.5 * errors[other]:
        return other, f"mirrored across {best}"
    named = {axis: abs(_sides(clues, np.cross(up, AXES[f"+{axis}"]))) for axis in across}
    widest = max(named, key=named.get)
    if named[widest] > 0.8:
        return next(a for a in across if a != widest), f"left and right lie along {widest}"
    shares = " and ".join(f"{100 * errors[axis]:.1f}% across {axis}" for axis in across)
    raise BadInput(
        f"which way does it look? the mesh misses its mirror image by {shares}: pass --facing "
        f"-{other}, +{other}, -{best} or +{best}, or turn it to look along an axis"
    )


def _direction(clues: Clues, line: str, up: str, why: str) -> Facing:
    forward = AXES[f"-{line}"]
    found = {
        name: (weight * clue(clues, forward, AXES[up]), weight) for name, (weight, clue) in _CLUES.items()
    }
    if line == "Y" and up == "+Z":
        found["the formats' custom (-Y)"] = (0.5, 0.5)
    found = {name: pair for name, pair in found.items() if abs(pair[0]) > 0.05}
    total = sum(value for value, _ in found.values())
    strength = sum(abs(value) for value, _ in found.values())
    if abs(total) < ENOUGH or abs(total) < ENOUGH * strength:
        told = ", ".join(f"{name}: {'-' if v > 0 else '+'}{line}" for name, (v, _) in found.items())
        raise BadInput(f"facing -{line} or +{line}? ({told or 'no clue'}); pass --facing -{line} or +{line}")
    agree = [name for name, (value, _) in found.items() if value * total > 0]
    return Facing(f"{'-' if total > 0 else '+'}{line}", up, ", ".join([why, *agree]))


# Each clue: in [-1, 1], positive where the creature looks along ``forward``.


def _sides(clues: Clues, left: np.ndarray) -> float:
    """Bones named left should lie to the left."""
    along = clues.heads @ left - np.median(clues.points @ left)
    signs = [
        np.sign(place) * (1 if words.side(name) == "L" else -1)
        for name, place in zip(clues.names, along)
        if words.side(name) and abs(place) > 0.01 * np.ptp(clues.points @ left)
    ]
    return float(np.mean(signs)) if len(signs) >= 4 else 0.0


def _named_sides(clues: Clues, forward: np.ndarray, up: np.ndarray) -> float:
    return _sides(clues, np.cross(up, forward))


def _named_ends(clues: Clues, forward: np.ndarray, up: np.ndarray) -> float:
    """Heads, jaws and front legs lie before tails, hips and hind legs."""
    along = clues.heads @ forward
    low, high = np.quantile(clues.points @ forward, [0.02, 0.98])
    middle = np.average(clues.points @ forward, weights=clues.areas)

    def mean(test: Callable[[str], bool]) -> float | None:
        hits = [place for name, place in zip(clues.names, along) if test(name)]
        return float(np.mean(hits)) if hits else None

    votes = []
    for ahead, behind in ((words.is_head, words.is_tail), (words.is_front_limb, words.is_rear_limb)):
        front, rear = mean(ahead), mean(behind)
        if ahead is words.is_head:
            front, rear = (middle if place is None else place for place in (front, rear))
        if front is not None and rear is not None:
            votes.append(np.clip(5 * (front - rear) / (high - low), -1, 1))
    return float(np.mean(votes)) if votes else 0.0


def _toes(clues: Clues, forward: np.ndarray, up: np.ndarray) -> float:
    """The skin of a foot reaches farther forward than its ankle."""
    height = np.ptp(clues.points @ up)
    offsets = []
    for bone, own in _feet(clues, forward, up).items():
        reach = (clues.points[own] - clues.heads[bone]) @ forward / height
        offsets.append(float((reach.min() + reach.max()) / 2))
    return float(np.clip(np.median(offsets) / 0.04, -1, 1)) if len(offsets) >= 2 else 0.0


def _stance(clues: Clues, forward: np.ndarray, up: np.ndarray) -> float:
    """A foot that is down moves backwards against the body: the walking clips tell."""
    height = np.ptp(clues.points @ up)
    feet = _feet(clues, forward, up)
    votes = []
    for heads in clues.clip_heads:
        body = np.median(heads, axis=1)
        for foot in feet:
            along, lift = (heads[:, foot] - body) @ forward, heads[:, foot] @ up
            down = lift < np.median(lift)
            if (
                len(heads) > 8
                and np.ptp(along) > 0.1 * height
                and np.ptp(lift) > 0.03 * height
                and down.any()
            ):
                # A clean walk is at -1: all speed is backwards while down, forwards while up.
                speed = np.gradient(along)
                moved = speed[down].mean() - speed[~down].mean()
                votes.append(-moved / max(2 * np.abs(speed).mean(), 1e-12))
    return float(np.clip(2 * np.mean(votes), -1, 1)) if len(votes) >= 2 else 0.0


def _feet(clues: Clues, forward: np.ndarray, up: np.ndarray) -> dict[int, np.ndarray]:
    """Bone -> mask of its skin, for bones whose skin stands on the ground beside the mirror plane; fins do
    not stand."""
    tall = clues.points @ up
    low = tall < tall.min() + 0.06 * np.ptp(tall)
    left = np.cross(up, forward)
    middle = np.median(clues.points @ left)
    feet = {}
    for bone in np.unique(clues.weights[low].argmax(1)):
        own = clues.weights[:, bone] > 0.5
        beside = abs(clues.heads[bone] @ left - middle) > 0.03 * np.ptp(tall)
        above = clues.heads[bone] @ up < tall.min() + 0.4 * np.ptp(tall)
        if beside and above and (own & low).sum() >= 3 and not shapes.is_sheet(clues.points[own]):
            feet[int(bone)] = own
    return feet


_CLUES: dict[str, tuple[float, Callable[[Clues, np.ndarray, np.ndarray], float]]] = {
    "names of sides": (1.0, _named_sides),
    "names of head and tail": (1.0, _named_ends),
    "toes": (0.7, _toes),
    "feet in its clips": (0.7, _stance),
}
