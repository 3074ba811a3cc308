# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Which extremity is which limb of a template; and which template is meant, where that is clear."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..errors import BadInput
from . import paths, templates
from .body import Body, Pair, Part
from .templates import LimbChain, Template, sided

STANDING = 0.2
"""A foot is at most this high above the ground (in heights)."""
FLAT = 0.12
"""Four feet that carry a body are at most this high (in heights); hands held low are not feet."""
UPRIGHT = 1.2
"""A body this many times taller than long carries its head on top."""
SHORT_ARM = 0.7
"""The arms of a body that goes on two legs and has a tail are shorter than this share of its legs."""
SHEET = 2.5
"""A wing has this many times the volume of a round limb of its length and thickness."""
SLENDER = 8.0
"""A body without limbs is a snake's where it is this many times longer than it is deep."""
STUB = 0.1
"""A tail that is shorter than this (in scales) is part of the rump, where a template can do without."""
LEG_SHARE = 0.45
"""Palps and the like are shorter than this share of the longest leg."""


class Slots(NamedTuple):
    front: Part
    """The head's end."""
    rear: Part | None
    """The tail's end, None where the body has none."""
    limbs: dict[str, tuple[Part, ...]]
    """Limb name -> its ends, left before right. Optional limbs that were not found are missing."""


def standing(body: Body) -> list[Pair]:
    """Pairs whose tips are near the ground, below where they leave the body; the longest first."""
    return [
        pair
        for pair in body.pairs
        if body.share_of_height(pair.tip[2]) < STANDING
        and pair.rise < -0.15
        and pair.length > 0.12 * body.scale
    ]


def choose(body: Body) -> tuple[Template, str]:
    """The template that the extremities show, and why. Raises BadInput where they show none clearly."""
    feet, hanging = standing(body), _hanging(body)
    legs = [pair for pair in hanging if pair.length > LEG_SHARE * max(p.length for p in hanging)]
    others = [pair for pair in body.pairs if pair not in feet and pair.length > 0.25 * body.scale]
    fore, aft = _ends_along(body)
    if any(part.length > 0.2 * body.scale for part in body.strays):
        raise BadInput(_unclear(body))
    length = float(body.high[1] - body.low[1])
    flukes = _flukes(body)
    if len(flukes) >= 2 and fore is not None and body.pairs and len(feet) <= 1:
        return templates.FISH, f"{len(flukes)} ends of a tail fin, {len(body.pairs)} pairs of fins"
    if len(legs) >= 3:
        name = "spider" if len(legs) == 4 else "insect"
        return templates.get(name, len(legs)), f"{len(legs)} pairs of legs"
    wings = [pair for pair in others if _is_wing(body, pair) and _is_sheet(body, pair)]
    if len(feet) in (1, 2) and len(wings) == 1 and len(others) <= 2:
        return templates.WINGED, f"one pair of wings, {len(feet)} pair(s) of feet on the ground"
    low = all(body.share_of_height(pair.tip[2]) < FLAT for pair in feet)
    if len(feet) == 2 and not others and low:
        return templates.QUADRUPED, "two pairs of feet on the ground"
    arms = [pair for pair in body.pairs if pair not in feet and _is_arm(body, pair) and pair.rise < 0]
    if len(feet) == 1 and fore is not None and aft is not None and length > 0.6 * body.height:
        # A four-legged body that rears or jumps has front legs as long as its hind legs.
        if not others and all(pair.length < SHORT_ARM * feet[0].length for pair in arms):
            return templates.BIPED_TAIL, "one pair of feet on the ground and a tail"
    elif len(feet) == 1 and aft is None and len(others) == 1 and body.height > UPRIGHT * length:
        return templates.BIPED, "upright, one pair of feet, one pair of arms, no tail"
    if not body.pairs and sum(part.length for part in body.middle[:2]) > SLENDER * body.solid.depth.max():
        return templates.SERPENTINE, "long and without limbs"
    raise BadInput(_unclear(body))


def _unclear(body: Body) -> str:
    return (
        f"--template auto: not clear what this is ({described(body)}); pass --template with one of "
        f"{', '.join(templates.NAMES)}" + ("" if standing(body) else ", or turn the mesh upright, Z up")
    )


def _flukes(body: Body) -> list[Part]:
    """Ends in the middle plane at the very rear, well above or below one another."""
    rear = body.low[1] + 0.85 * (body.high[1] - body.low[1])
    ends = [p for p in body.middle if p.tip[1] > rear and p.length > 0.1 * body.scale]
    apart = np.ptp([p.tip[2] for p in ends]) > 0.25 * body.height if ends else False
    return ends if apart else []


def described(body: Body) -> str:
    """The extremities found, in words."""
    feet = len(standing(body))
    fore, aft = _ends_along(body)
    ends = [name for name, part in (("head end", fore), ("tail end", aft)) if part is not None]
    alone = f", {len(body.strays)} without a partner" if body.strays else ""
    return (
        f"{2 * feet} feet on the ground, {len(body.pairs) - feet} other pairs{alone}, "
        f"{' and '.join(ends) or 'no end in the middle'}"
    )


def _ends_along(body: Body) -> tuple[Part | None, Part | None]:
    """The foremost and the rearmost end in the middle plane, where they stand out in front and behind."""
    centre = float(np.mean([body.low[1], body.high[1]]))
    reach = 0.25 * float(body.high[1] - body.low[1])
    fore = [p for p in body.middle if p.tip[1] < centre - reach]
    aft = [p for p in body.middle if p.tip[1] > centre + reach]
    return (
        min(fore, key=lambda p: p.tip[1]) if fore else None,
        max(aft, key=lambda p: p.tip[1]) if aft else None,
    )


def _hanging(body: Body) -> list[Pair]:
    """Pairs that point down from where they leave the body, the longest first."""
    return [pair for pair in body.pairs if pair.rise < -0.15 and pair.length > 0.12 * body.scale]


def assign(body: Body, template: Template, tips: dict[str, Part]) -> Slots:
    """tips: ends given as landmarks, by joint name (``<last bone>_tip``). Raises BadInput where the mesh
    does not have what the template needs."""
    given = {limb.limb: _given(limb, tips) for limb in template.limbs}
    free = list(body.pairs)
    for parts in given.values():
        free = [pair for pair in free if not parts or not _same(pair, parts, body)]
    found = {name: parts for name, parts in given.items() if parts}
    _assign_legs(body, template, free, found)
    _assign_pairs(body, template, free, found)
    front = _front(body, template, tips)
    return Slots(front, _rear(body, template, tips, front), found)


def _given(limb: LimbChain, tips: dict[str, Part]) -> tuple[Part, ...]:
    names = [f"{sided(limb.bones[-1], side)}_tip" for side in templates.SIDES]
    return tuple(tips[name] for name in names) if all(name in tips for name in names) else ()


def _same(pair: Pair, parts: tuple[Part, ...], body: Body) -> bool:
    near = 0.1 * body.scale
    return any(np.linalg.norm(part.tip - own.tip) < near for part in parts for own in (pair.left, pair.right))


def _assign_legs(
    body: Body, template: Template, free: list[Pair], found: dict[str, tuple[Part, ...]]
) -> None:
    """The pairs that stand on the ground (then, of what may fly, others that hang down), the longest first;
    named front to back. Taken pairs leave ``free``."""
    legs = [limb for limb in template.limbs if limb.kind == "leg"]
    wanted = [limb for limb in legs if limb.limb not in found]
    feet = standing(body)
    candidates = [pair for pair in feet if pair in free]
    if template.airborne:
        candidates += [pair for pair in _hanging(body) if pair in free and pair not in candidates]
    if len(feet) > len(legs) and any(limb.kind == "arm" for limb in template.limbs):
        # More feet than legs: the front ones are arms.
        candidates.sort(key=lambda pair: -pair.left.base[1])
    chosen = candidates[: len(wanted)]
    if len(chosen) < len(wanted):
        missing = 2 * (len(legs) - len(wanted) + len(chosen))
        tip = f"{sided(wanted[0].bones[-1], 'L')}_tip"
        raise BadInput(
            f"{template.name}: {2 * len(legs)} feet expected, {missing} found ({described(body)}): pass "
            f"--landmark {tip}=x,y,z or another --template"
        )
    for limb, pair in zip(wanted, sorted(chosen, key=lambda p: p.left.tip[1] + p.left.base[1])):
        found[limb.limb] = (pair.left, pair.right)
        free.remove(pair)


def _assign_pairs(
    body: Body, template: Template, free: list[Pair], found: dict[str, tuple[Part, ...]]
) -> None:
    for limb in template.limbs:
        if limb.kind == "leg" or limb.limb in found:
            continue
        candidates = [pair for pair in free if _FITS[limb.kind](body, pair)]
        if candidates:
            pair = max(candidates, key=lambda p: p.length)
            found[limb.limb] = (pair.left, pair.right)
            free.remove(pair)
        elif not limb.optional:
            tip = f"{sided(limb.bones[-1], 'L')}_tip"
            raise BadInput(
                f"{template.name}: no pair of {limb.kind}s found ({described(body)}): pass --landmark "
                f"{tip}=x,y,z or another --template"
            )


def _is_arm(body: Body, pair: Pair) -> bool:
    return pair.length > 0.08 * body.scale and body.share_of_height(pair.left.base[2]) > 0.3


def _is_wing(body: Body, pair: Pair) -> bool:
    """Long, and leaving the body where it is high, not where the head is."""
    front = body.low[1] + 0.12 * (body.high[1] - body.low[1])
    return pair.length > 0.25 * body.scale and pair.rise > -0.15 and pair.tip[1] > front


def _is_sheet(body: Body, pair: Pair) -> bool:
    """Wide for its thickness, over the outer part of its length."""
    reach = 0.6 * pair.length
    away = paths.distances(body.solid, np.array([pair.left.voxel]))
    outer = away < reach
    round_limb = np.pi * body.solid.depth[outer].max() ** 2 * reach
    return float(outer.sum()) * body.solid.size**3 > SHEET * round_limb


def _is_ear(body: Body, pair: Pair) -> bool:
    return (
        pair.rise > 0.1
        and pair.length < 0.4 * body.scale
        and pair.left.base[2] > body.low[2] + 0.6 * body.height
    )


def _is_fin(body: Body, pair: Pair) -> bool:
    return pair.length > 0.08 * body.scale


_FITS = {"arm": _is_arm, "wing": _is_wing, "ear": _is_ear, "fin": _is_fin}


def _front(body: Body, template: Template, tips: dict[str, Part]) -> Part:
    head = next(chain.bones[-1] for chain in template.trunk if chain.end == "front")
    if f"{head}_tip" in tips:
        return tips[f"{head}_tip"]
    if template.front == "topmost" or body.height > UPRIGHT * float(body.high[1] - body.low[1]):
        up = [p for p in body.middle if p.rise > 0 and body.share_of_height(p.tip[2]) > 0.6]
        return max(up, key=lambda p: p.tip[2], default=None) or blunt_end(body, 2, 1)
    fore, _ = _ends_along(body)
    return fore or blunt_end(body, 1, -1)


def _rear(body: Body, template: Template, tips: dict[str, Part], front: Part) -> Part | None:
    chain = next((chain for chain in template.trunk if chain.end == "rear"), None)
    if chain is None:
        return None
    name = f"{chain.bones[-1]}_tip"
    if name in tips:
        return tips[name]
    if template.rear == "farthest":
        return _farthest(body, front)
    _, aft = _ends_along(body)
    if aft and aft.length >= STUB * body.scale:
        return aft
    return None if chain.optional else aft or blunt_end(body, 1, 1)


def _farthest(body: Body, front: Part) -> Part:
    """The voxel in the middle plane that is farthest from the head's end by the way through the body; the
    middle of the last bit, as an abdomen may be blunt."""
    away = paths.distances(body.solid, np.array([front.voxel]))
    points = body.solid.points
    middle = np.flatnonzero(np.abs(points[:, 0] - body.plane) < 1.5 * body.solid.size)
    last = middle[away[middle] > away[middle].max() - 0.05 * body.scale]
    voxel = int(last[((points[last] - points[last].mean(0)) ** 2).sum(1).argmin()])
    return Part(points[voxel], voxel, 0.0, points[voxel])


def blunt_end(body: Body, axis: int, direction: int) -> Part:
    """Where nothing stands out: the middle of the voxels in the middle plane that lie farthest along an
    axis (1: Y, 2: Z) in a direction (1 or -1)."""
    points = body.solid.points
    middle = np.flatnonzero(np.abs(points[:, 0] - body.plane) < 1.5 * body.solid.size)
    along = points[middle, axis] * direction
    edge = middle[along > along.max() - 0.05 * body.scale]
    voxel = int(edge[((points[edge] - points[edge].mean(0)) ** 2).sum(1).argmin()])
    return Part(points[voxel], voxel, 0.0, points[voxel])
