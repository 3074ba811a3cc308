# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Choose the keypoints: bone heads and the tips of end bones, none too close to another. Pure numpy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

SPACING = 0.045
"""Joints closer than this to the joint above them, in heights, are left out: no reader parts them."""


class Choice(NamedTuple):
    name: str
    bone: int
    point: np.ndarray
    kind: str
    source: int
    """The bone this joint stands for (its own head or tip), for finding its partner."""


RIGID = 0.6
"""Vertices that follow a bone at least this much ride on it; a tip must, or the skin leaves it behind."""


MIDDLE = 0.02
"""Heads closer than this to the mirror plane, in heights, are on the middle line."""


def surface_tips(heads: np.ndarray, points: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(B, 3) far end of each bone's own surface: the middle of what lies around its farthest vertex.

    points (V, 3) in heights, the mirror plane at x = 0; weights (V, B). Bones of the middle line end on it
    (a stag's head at the nose, not at one of the antlers). NaN where fewer than three vertices ride on the
    bone.
    """
    tips = np.full_like(heads, np.nan)
    for bone in range(len(heads)):
        own = points[weights[:, bone] > RIGID]
        if len(own) >= 3 and abs(heads[bone, 0]) < MIDDLE and own[:, 0].min() < 0 < own[:, 0].max():
            across = np.abs(own[:, 0])
            own = own[across <= max(0.1 * across.max(), MIDDLE)]
        if len(own) >= 3:
            reach = np.linalg.norm(own - heads[bone], axis=1)
            end = own[reach.argmax()]
            tips[bone] = own[np.linalg.norm(own - end, axis=1) <= 0.2 * reach.max()].mean(0)
    return tips


def choose(
    names: list[str],
    parents: list[int],
    heads: np.ndarray,
    tips: np.ndarray,
    shown: np.ndarray,
    partner: list[int],
    last: list[bool],
) -> list[Choice]:
    """heads, tips (B, 3) in heights; shown (B,) bool: the bone carries skin and its head lies in the flesh
    (what floats in the air cannot be read); last (B,): the bone ends its limb. Both sides of a pair are
    treated alike."""
    kept_head = [_stands_apart(bone, parents, heads) for bone in range(len(names))]
    kept_tip = [
        last[bone]
        and bool(np.isfinite(tips[bone]).all())
        and float(np.linalg.norm(tips[bone] - heads[bone])) > SPACING
        for bone in range(len(names))
    ]
    choices = []
    for bone, name in enumerate(names):
        twin = partner[bone]
        if (kept_head[bone] or (twin >= 0 and kept_head[twin])) and (
            shown[bone] or (twin >= 0 and shown[twin])
        ):
            choices.append(Choice(name, max(parents[bone], 0), heads[bone], "head", bone))
        if kept_tip[bone] and (twin < 0 or kept_tip[twin]):
            choices.append(Choice(f"{name}_tip", bone, tips[bone], "tip", bone))
    return choices


def _stands_apart(bone: int, parents: list[int], heads: np.ndarray) -> bool:
    """Walk up to the nearest joint that is kept; the root always is."""
    above = parents[bone]
    while above > 0 and not _stands_apart(above, parents, heads):
        above = parents[above]
    return above < 0 or float(np.linalg.norm(heads[bone] - heads[above])) > SPACING


def mirrors(choices: list[Choice], partner: list[int]) -> list[int]:
    """(J,) index of each joint's partner, -1 on the middle line and where there is none."""
    place = {(c.kind, c.source): i for i, c in enumerate(choices)}
    out = []
    for choice in choices:
        other = partner[choice.source]
        out.append(place.get((choice.kind, other), -1) if other not in (-1, choice.source) else -1)
    return out
