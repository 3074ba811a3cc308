# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Name the limbs, front to back, and give each its paint. Pure numpy."""

from __future__ import annotations

import colorsys
from typing import NamedTuple

from ...mocap.skeleton import Limb
from . import anatomy
from .anatomy import Anatomy, Part

PALE = {
    "body": (0.92, 0.92, 0.92),
    "spine": (0.92, 0.92, 0.92),
    "neck": (0.70, 0.82, 0.95),
    "head": (0.95, 0.72, 0.95),
    "jaw": (0.72, 0.50, 0.72),
    "tail": (0.95, 0.95, 0.55),
    "fin": (0.60, 0.85, 0.60),
}
"""Paint of the middle line."""


class LimbChoice(NamedTuple):
    name: str
    side: str
    bones: list[int]
    colour: tuple[float, float, float]
    mirror: int


def kind_of(limb: LimbChoice) -> str:
    """One of the toolkit's LIMB_KINDS."""
    return Limb(limb.name, limb.side, tuple(limb.bones), limb.colour).kind


def find(body: Anatomy) -> list[LimbChoice]:
    """The middle line; then left and right limbs, front to back, each with its fingers or toes."""
    found = anatomy.parts(body)
    order = _order(body, found)
    names = _names(body, found, order)
    colours = _colours(found, names)
    place = {index: i for i, index in enumerate(order)}
    return [
        LimbChoice(
            f"{names[index]}.{found[index].side}" if found[index].side else names[index],
            found[index].side,
            found[index].bones,
            colours[index],
            place.get(_twin(body, found, index), -1),
        )
        for index in order
    ]


def paint(names: list[str], sides: list[str]) -> list[tuple[float, float, float]]:
    """A colour for each limb of a definition that states none; ``names`` without their side."""
    kinds = [Limb(name, "", (), (0, 0, 0)).kind for name in names]
    found = [Part(kind, side, []) for kind, side in zip(kinds, sides)]
    colours = _colours(found, dict(enumerate(names)))
    return [colours[index] for index in range(len(names))]


def _twin(body: Anatomy, found: list[Part], index: int) -> int | None:
    part = found[index]
    other = body.partner[part.bones[0]]
    if not part.side or other < 0:
        return None
    return next((i for i, p in enumerate(found) if p.bones[0] == other), None)


def _order(body: Anatomy, found: list[Part]) -> list[int]:
    """Middle parts as they are; sided ones by how far forward their pair is, left before right, each
    followed by its digits."""

    def key(index: int) -> tuple:
        part = found[index]
        if not part.side:
            return (0, index)
        limb = index if part.holder < 0 else part.holder
        twin = _twin(body, found, limb)
        pair = [body.heads[found[i].bones[0]][1] for i in (limb, twin) if i is not None]
        # Rounded, so that both sides of a pair stay together.
        return (
            1,
            round(float(sum(pair) / len(pair)), 3),
            min(limb, limb if twin is None else twin),
            found[limb].side,
            part.holder >= 0,
            index,
        )

    return sorted(range(len(found)), key=key)


def _names(body: Anatomy, found: list[Part], order: list[int]) -> dict[int, str]:
    """Kind, with a number where there are several pairs (or middle parts) of that kind."""
    names: dict[int, str] = {}
    counts: dict[tuple, int] = {}
    for index in order:
        part, twin = found[index], _twin(body, found, index)
        if twin in names:
            names[index] = names[twin]
            continue
        key = (part.kind, bool(part.side))
        counts[key] = counts.get(key, 0) + 1
        names[index] = f"{part.kind}{counts[key]}"
    return {
        index: name[: -len("1")] if counts[(found[index].kind, bool(found[index].side))] == 1 else name
        for index, name in names.items()
    }


def _colours(found: list[Part], names: dict[int, str]) -> dict[int, tuple[float, float, float]]:
    """Sided limbs share the hue circle, partners opposite each other; the middle stays pale; digits are
    darker than their limb."""
    limbs = [i for i in names if found[i].side and found[i].holder < 0]
    kinds = list(dict.fromkeys(names[i] for i in limbs))
    # Ears and the like come last, so that legs and arms get the first, evenly spread hues.
    kinds.sort(key=lambda name: name.rstrip("0123456789") in ("ear", "horn", "other"))
    out = {}
    for index in limbs:
        hue = kinds.index(names[index]) / (2 * len(kinds)) + (0.5 if found[index].side == "R" else 0.0)
        out[index] = tuple(round(c, 4) for c in colorsys.hsv_to_rgb(hue % 1.0, 0.95, 1.0))
    for index in names:
        part = found[index]
        if not part.side:
            out[index] = PALE.get(part.kind, (0.8, 0.8, 0.8))
        elif part.holder >= 0:
            shade = 0.6 if index % 2 else 0.8
            out[index] = tuple(round(shade * c, 4) for c in out[part.holder])
    return out
