# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hang parts of a rig on each other by geometry: rigidity over the clips, touching skin, distance. Pure numpy.

Animators hang feet on IK goals outside the leg, and heads beside the neck; what the mesh shows as one
body must become one tree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...mocap.errors import BadInput

CENTRE = 0.02
"""Heads closer than this to the symmetry plane (in heights) count as the middle."""
NEARNESS = 0.1
"""Cost of one height of distance between a part's head and the bone it would hang on."""
APART = 0.05
"""Cost of hanging on a bone whose skin the part does not touch at all."""


class RigArrays(NamedTuple):
    """N armature bones in units of the creature's height, X across, facing -Y, Z up."""

    names: list[str]
    parents: np.ndarray
    """(N,) index or -1."""
    heads: np.ndarray
    """(N, 3) at rest."""
    ends: np.ndarray
    """(N, 3) where the bone's own Y axis ends at rest, as drawn in Blender."""
    tips: np.ndarray
    """(N, 3) far end of the bone's own skin, NaN where it has none."""
    deforms: np.ndarray
    """(N,) bool: carries skin of its own."""
    declared: np.ndarray
    """(N,) bool: the rig itself calls it a deform bone."""
    outside: np.ndarray
    """(N,) how far its head lies outside the flesh."""
    share: np.ndarray
    """(N,) share of the skin's area that follows it."""
    touching: np.ndarray
    """(N, N) surface adjacency."""
    clip_heads: list[np.ndarray]
    """per clip (T, N, 3)"""
    clip_turns: list[np.ndarray]
    """per clip (T, N, 3, 3)"""


def looseness(rig: RigArrays, bone: int, parent: int) -> float:
    """Median over clips of the RMS wander of the bone's head in the parent's frame, in heights."""
    wanders = [_wander(*clip, bone, parent) for clip in zip(rig.clip_heads, rig.clip_turns)]
    return float(np.median(wanders)) if wanders else 0.0


def most_loose(rig: RigArrays, bone: int, parent: int) -> float:
    """As looseness, for the clip in which the bone wanders most."""
    return max((_wander(*clip, bone, parent) for clip in zip(rig.clip_heads, rig.clip_turns)), default=0.0)


def _wander(heads: np.ndarray, turns: np.ndarray, bone: int, parent: int) -> float:
    local = np.einsum("tji,tj->ti", turns[:, parent], heads[:, bone] - heads[:, parent])
    return float(np.sqrt(((local - np.median(local, 0)) ** 2).sum(1).mean()))


def subtree(parents: dict[int, int], root: int) -> list[int]:
    out = [root]
    for bone in out:
        out.extend(child for child, parent in parents.items() if parent == bone)
    return out


def join(rig: RigArrays, parents: dict[int, int]) -> tuple[int, dict[str, str]]:
    """Make one tree of all parts (roots) in ``parents``, in place; returns its root and bone -> new parent.

    Each part is tried as the main one; the cheapest tree wins, larger parts are preferred. Raises BadInput
    where a part has nothing to hang on.
    """
    roots = [bone for bone, parent in parents.items() if parent == -1]
    parts = {root: subtree(parents, root) for root in roots}
    costs = {root: _costs(rig, parts, root) for root in roots}
    trials = {root: _grow(parts, costs, root) for root in roots}
    whole = {root: trial for root, trial in trials.items() if trial is not None}
    if not whole:
        lost = min(parts, key=lambda root: rig.share[parts[root]].sum())
        raise BadInput(f"bone {rig.names[lost]}: nothing to hang it on; parent it to the body in the rig")
    size = {root: len(parts[root]) / len(parents) + rig.share[parts[root]].sum() for root in roots}
    main = min(whole, key=lambda root: whole[root][0] - 0.1 * size[root])
    for stray, target in whole[main][1].items():
        parents[stray] = target
    return main, {rig.names[stray]: rig.names[target] for stray, target in whole[main][1].items()}


def _costs(rig: RigArrays, parts: dict[int, list[int]], stray: int) -> dict[int, float]:
    """Bone of another part -> what it costs to hang the stray's part on it."""
    part = parts[stray]
    others = [bone for root, bones in parts.items() if root != stray for bone in bones]
    touch = rig.touching[np.ix_(part, range(len(rig.names)))].sum(0)
    most = max(touch[others].max(initial=0.0), 1e-12)
    return {
        bone: looseness(rig, stray, bone)
        + NEARNESS * distance(rig, stray, bone)
        + APART * (1 - touch[bone] / most)
        for bone in others
        if _same_side(rig, stray, bone)
    }


def _grow(
    parts: dict[int, list[int]], costs: dict[int, dict[int, float]], main: int
) -> tuple[float, dict[int, int]] | None:
    """Attach the cheapest stray again and again (Prim); total cost and stray -> bone, None where one stays."""
    core, total, chosen = list(parts[main]), 0.0, {}
    left = [root for root in parts if root != main]
    while left:
        options = [(costs[s][bone], s, bone) for s in left for bone in core if bone in costs[s]]
        if not options:
            return None
        cost, stray, target = min(options)
        total += cost
        chosen[stray] = target
        core.extend(parts[stray])
        left.remove(stray)
    return total, chosen


def distance(rig: RigArrays, stray: int, bone: int) -> float:
    """From the stray's head to the line from the bone's head to the end of its skin (or of its axis)."""
    tip = rig.tips[bone] if np.isfinite(rig.tips[bone]).all() else rig.ends[bone]
    along = tip - rig.heads[bone]
    share = np.dot(rig.heads[stray] - rig.heads[bone], along) / max(np.dot(along, along), 1e-12)
    nearest = rig.heads[bone] + np.clip(share, 0, 1) * along
    return float(np.linalg.norm(rig.heads[stray] - nearest))


def _same_side(rig: RigArrays, a: int, b: int) -> bool:
    xa, xb = rig.heads[a, 0], rig.heads[b, 0]
    if abs(xa) < CENTRE:
        return abs(xb) < 2 * CENTRE
    return abs(xb) < CENTRE or np.sign(xa) == np.sign(xb)
