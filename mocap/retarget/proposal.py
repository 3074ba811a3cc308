# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Propose a mapping: limbs by what they are and where they stand, bones by their share of the limb; names only settle
what geometry leaves open."""

from __future__ import annotations

import numpy as np

from ..errors import BadInput
from ..rig_info import RigInfo
from ..skeleton import Limb, Skeleton
from . import geometry
from .mapping import Mapping

CURVES = ("body", "spine", "neck", "tail")
"""Limbs that bend all along; the others have joints that must meet joints."""
INSTEAD = {"leg": ("arm",), "arm": ("leg", "wing"), "wing": ("arm", "fin"), "fin": ("wing", "arm")}
OTHER_POSE = 30.0
"""Degrees: arms and wings that hang farther than this from the source's at rest were modelled in another pose."""
ALIGN = ("auto", "always", "never")


def propose(source: RigInfo, target: RigInfo, align: str = "auto") -> Mapping:
    """Raises BadInput where the two have no limb in common."""
    pairs = _pairs(source.skeleton, target.skeleton)
    if not pairs:
        raise BadInput(
            f"{target.skeleton.name}: has no limb that {source.skeleton.name} has, too; there is nothing to copy"
        )
    bones: dict[str, dict[str, float]] = {}
    for there, here in pairs:
        bones.update(_bones(source.skeleton, there, target.skeleton, here))
    legs = {here.name: there.name for there, here in pairs if here.kind == there.kind == "leg"}
    aligned = tuple(
        here.name
        for there, here in pairs
        if align == "always" or (align == "auto" and _posed(source.skeleton, there, target.skeleton, here))
    )
    return Mapping(source.digest, target.digest, bones, legs, aligned)


def _pairs(source: Skeleton, target: Skeleton) -> list[tuple[Limb, Limb]]:
    """(source limb, target limb), each target limb once at most."""
    out = []
    for kind in dict.fromkeys(limb.kind for limb in target.limbs):
        for side in ("", "L", "R"):
            here = _ranked(target, kind, side)
            if not here:
                continue
            there = _ranked(source, kind, side)
            substitutes = [
                other for instead in INSTEAD.get(kind, ()) for other in _ranked(source, instead, side)
            ]
            if kind == "leg" and len(here) > len(there) > 0:
                # A biped's arms are a quadruped's front legs.
                there = [*substitutes, *there]
            elif kind == "arm" and not there:
                # ... and the other way round; its hind legs stay legs.
                there = _ranked(source, "leg", side)[:-1] or substitutes
            there = there or substitutes
            if kind == "leg" and len(there) > len(here) == 1:
                there = there[-1:]
            out += [(there[at], limb) for at, limb in zip(_spread(len(there), len(here)), here)]
    return out


def _ranked(skeleton: Skeleton, kind: str, side: str) -> list[Limb]:
    """Limbs of a kind and side, front to back."""
    found = [limb for limb in skeleton.limbs if limb.kind == kind and limb.side == side]
    return sorted(found, key=lambda limb: skeleton.heads[limb.bones[0], 1])


def _spread(count: int, over: int) -> list[int]:
    """For each of ``over`` limbs, which of ``count`` others it follows; empty where there is none."""
    if not count:
        return []
    return [round(at * (count - 1) / max(over - 1, 1)) for at in range(over)]


def _bones(source: Skeleton, there: Limb, target: Skeleton, here: Limb) -> dict[str, dict[str, float]]:
    names = [source.bone_names[bone] for bone in there.bones]
    own = [target.bone_names[bone] for bone in here.bones]
    if set(own) <= set(names):
        return {name: {name: 1.0} for name in own}
    if here.kind in CURVES:
        table = along_curve(_places(source, there), _places(target, here))
    else:
        table = grouped(geometry.lengths(source, there), geometry.lengths(target, here))
    rows = ({names[at]: round(float(w), 3) for at, w in enumerate(row) if w > 5e-4} for row in table)
    return dict(zip(own, rows))


def _places(skeleton: Skeleton, limb: Limb) -> np.ndarray:
    """(N,) from 0 to 1 along the limb. A spine is measured from back to front: its root may lie anywhere on it."""
    if limb.kind in ("spine", "body"):
        along = -geometry.points(skeleton, limb)[:, 1]
        middle = -geometry.middles(skeleton, limb)[:, 1]
        return (middle - along.min()) / max(np.ptp(along), 1e-9)
    sizes = geometry.lengths(skeleton, limb)
    return (np.cumsum(sizes) - sizes / 2) / max(sizes.sum(), 1e-9)


def along_curve(source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """(target, source) weights: each bone between its two neighbours on the other curve."""
    order = np.argsort(source, kind="stable")
    out = np.zeros((len(target), len(source)))
    for row, place in enumerate(target):
        after = int(np.searchsorted(source[order], place))
        low, high = order[max(after - 1, 0)], order[min(after, len(source) - 1)]
        gap = source[high] - source[low]
        share = np.clip((place - source[low]) / gap, 0, 1) if gap > 1e-9 else 0.0
        out[row, low] += 1 - share
        out[row, high] += share
    return out


def grouped(source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """(target, source) weights: runs of bones against runs of bones, such that the shares of the limb's length
    differ least.

    The limb with fewer bones has one bone in each run.
    """
    if len(source) < len(target):
        return grouped(target, source).T > 0
    share, wanted = source / source.sum(), target / target.sum()
    count, parts = len(share), len(wanted)
    edge = np.concatenate([[0], np.cumsum(share)])
    cost = np.full((parts + 1, count + 1), np.inf)
    came = np.zeros((parts + 1, count + 1), int)
    cost[0, 0] = 0
    for part in range(1, parts + 1):
        for stop in range(part, count + 1):
            tries = cost[part - 1, :stop] + np.abs(edge[stop] - edge[:stop] - wanted[part - 1])
            came[part, stop] = int(tries.argmin())
            cost[part, stop] = tries.min()
    out = np.zeros((parts, count))
    stop = count
    for part in range(parts, 0, -1):
        start = came[part, stop]
        run = share[start:stop]
        out[part - 1, start:stop] = run / run.sum() if run.sum() > 0 else 1 / len(run)
        stop = start
    return out


def _posed(source: Skeleton, there: Limb, target: Skeleton, here: Limb) -> bool:
    """Arms and wings only: legs that stand and backs differ by what the animals are, not by how they pose."""
    if here.kind not in ("arm", "wing", "finger"):
        return False
    ways = [p[-1] - p[0] for p in (geometry.points(source, there), geometry.points(target, here))]
    a, b = (way / max(np.linalg.norm(way), 1e-12) for way in ways)
    return float(np.degrees(np.arccos(np.clip(a @ b, -1, 1)))) > OTHER_POSE
