# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Name the limbs and give each its paint. Pure numpy."""

from __future__ import annotations

import colorsys
from typing import NamedTuple

import numpy as np

GROUND = 0.3
"""A limb whose lowest end comes below this height (in heights) stands on the ground: a leg."""


class LimbChoice(NamedTuple):
    name: str
    side: str
    bones: list[int]
    colour: tuple[float, float, float]
    mirror: int


def find(
    parents: list[int], sides: list[str], partner: list[int], heads: np.ndarray, tips: np.ndarray
) -> list[LimbChoice]:
    """Body, head and tail along the middle; then left and right chains, front to back.

    heads, tips (B, 3) in heights, the creature faces -Y.
    """
    groups = _groups(parents, sides, partner, heads, tips)
    middle = [g for g in groups if g[1] == ""]
    sided = sorted((g for g in groups if g[1]), key=lambda g: (round(float(heads[g[2][0]][1]), 2), g[1]))
    named = [(name, side, bones) for name, side, bones in middle]
    counts: dict[str, int] = {}
    place: dict[int, int] = {}
    for kind, side, bones in sided:
        twin = partner[bones[0]]
        if twin in place:
            name = named[place[twin]][0]
        else:
            counts[kind] = counts.get(kind, 0) + 1
            name = f"{kind}{counts[kind]}"
        place[bones[0]] = len(named)
        named.append((name, side, bones))
    colours = _colours([(name, side) for name, side, _ in named])
    return [
        LimbChoice(
            f"{name}.{side}" if side else name,
            side,
            bones,
            colour,
            place.get(partner[bones[0]], -1) if side else -1,
        )
        for (name, side, bones), colour in zip(named, colours)
    ]


def _groups(
    parents: list[int], sides: list[str], partner: list[int], heads: np.ndarray, tips: np.ndarray
) -> list[tuple[str, str, list[int]]]:
    """(kind, side, bones) of each limb; every bone is in exactly one."""
    starts = [b for b, side in enumerate(sides) if side and (parents[b] < 0 or sides[parents[b]] != side)]
    below = _descendants(parents)
    sided = [(_sided_kind(below[start], heads, tips), sides[start], below[start]) for start in starts]
    taken = {b for _, _, bones in sided for b in bones}
    middle = [b for b in range(len(parents)) if b not in taken]
    legs = {parents[bones[0]] for kind, _, bones in sided if kind == "leg"}
    trunk = {0}
    for bone in legs or {0}:
        while bone >= 0:
            trunk.add(bone)
            bone = parents[bone]
    spine_y = float(np.mean([heads[b][1] for b in trunk]))
    out: list[tuple[str, str, list[int]]] = [("body", "", [b for b in middle if b in trunk])]
    for start in [b for b in middle if b not in trunk and parents[b] in trunk]:
        bones = [b for b in below[start] if b not in taken]
        ends = np.array([heads[b] for b in bones] + [t for t in tips[bones] if np.isfinite(t).all()])
        out.append(("head" if ends[:, 1].mean() < spine_y else "tail", "", bones))
    return _numbered(out) + sided


def _numbered(groups: list[tuple[str, str, list[int]]]) -> list[tuple[str, str, list[int]]]:
    seen: dict[str, int] = {}
    out = []
    for name, side, bones in groups:
        seen[name] = seen.get(name, 0) + 1
        out.append((name if seen[name] == 1 else f"{name}{seen[name]}", side, bones))
    return out


def _descendants(parents: list[int]) -> list[list[int]]:
    below = [[b] for b in range(len(parents))]
    for bone in range(len(parents) - 1, 0, -1):
        below[parents[bone]].extend(below[bone])
    return [sorted(b) for b in below]


def _sided_kind(bones: list[int], heads: np.ndarray, tips: np.ndarray) -> str:
    ends = np.concatenate([heads[bones], tips[bones][np.isfinite(tips[bones]).all(1)]])
    if ends[:, 2].min() < GROUND:
        return "leg"
    return "arm" if np.ptp(ends, axis=0).max() > 0.25 else "ear"


def _colours(limbs: list[tuple[str, str]]) -> list[tuple[float, float, float]]:
    """Sided limbs share the hue circle, partners opposite each other; the middle stays pale."""
    pale = {"body": (0.92, 0.92, 0.92), "head": (0.95, 0.72, 0.95), "tail": (0.95, 0.95, 0.55)}
    kinds = list(dict.fromkeys(n for n, s in limbs if s))
    # Ears and the like come last, so that legs and arms get the first, evenly spread hues.
    kinds.sort(key=lambda name: name.startswith("ear"))
    out = []
    for name, side in limbs:
        if side:
            hue = kinds.index(name) / (2 * len(kinds)) + (0.5 if side == "R" else 0.0)
            out.append(tuple(round(c, 4) for c in colorsys.hsv_to_rgb(hue % 1.0, 0.95, 1.0)))
        else:
            out.append(pale.get(name.rstrip("0123456789"), (0.8, 0.8, 0.8)))
    return out
