# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones belong to the creature and what each hangs on. Pure numpy.

Control bones (IK goals, pole targets, a master bone on the floor) carry no weights and have no
weighted descendants, or stand above the true root; they are left out by weights, never by name. Feet
that animators hang on IK goals outside the leg are re-attached by geometry.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...mocap.errors import BadInput

LOOSE = 0.06
"""A bone that moves more than this (RMS, in heights) in its parent's frame does not hang on it."""
CENTRE = 0.02
"""Heads closer than this to the symmetry plane (in heights) count as the middle."""


class RigArrays(NamedTuple):
    """N armature bones in units of the creature's height, X across, facing -Y, Z up."""

    names: list[str]
    parents: np.ndarray
    """(N,) index or -1."""
    heads: np.ndarray
    """(N, 3) at rest."""
    weights: np.ndarray
    """(N,) total weight."""
    touching: np.ndarray
    """(N, N) surface adjacency."""
    clip_heads: list[np.ndarray]
    """per clip (T, N, 3)"""
    clip_turns: list[np.ndarray]
    """per clip (T, N, 3, 3)"""


class Hierarchy(NamedTuple):
    order: list[int]
    """Bones kept (indices of the armature), parents first."""
    parents: list[int]
    """Parent as an index into ``order``, -1 for the root."""
    reparented: dict[str, str]
    """Bone -> its new parent."""
    dropped: list[str]


def build(rig: RigArrays, least_weight: float) -> Hierarchy:
    """Raises BadInput where nothing is weighted or a part cannot be attached."""
    weighted = rig.weights >= least_weight
    if not weighted.any():
        raise BadInput("no bone deforms the mesh: every weight is zero")
    parents = _kept_parents(rig, weighted)
    _detach_loose(rig, parents)
    _drop_bare_roots(parents, weighted)
    root = _main_root(rig, parents)
    reparented = _attach_strays(rig, parents, root)
    order = _parents_first(parents, root)
    place = {bone: i for i, bone in enumerate(order)}
    return Hierarchy(
        order,
        [place.get(parents[bone], -1) for bone in order],
        reparented,
        [name for i, name in enumerate(rig.names) if i not in place],
    )


def _kept_parents(rig: RigArrays, weighted: np.ndarray) -> dict[int, int]:
    """Bones that carry weights or have weighted descendants, with their (kept) parents."""
    keep = set()
    for bone in np.flatnonzero(weighted):
        walk = int(bone)
        while walk >= 0 and walk not in keep:
            keep.add(walk)
            walk = int(rig.parents[walk])
    return {bone: int(rig.parents[bone]) for bone in sorted(keep)}


def _detach_loose(rig: RigArrays, parents: dict[int, int]) -> None:
    """Cut the bones that the rig's own clips show to move freely against their parent."""
    for bone, parent in list(parents.items()):
        if parent >= 0 and looseness(rig, bone, parent) > LOOSE:
            parents[bone] = -1


def looseness(rig: RigArrays, bone: int, parent: int) -> float:
    """Median over clips of the RMS wander of the bone's head in the parent's frame, in heights."""
    wanders = []
    for heads, turns in zip(rig.clip_heads, rig.clip_turns):
        local = np.einsum("tji,tj->ti", turns[:, parent], heads[:, bone] - heads[:, parent])
        wanders.append(np.sqrt(((local - np.median(local, 0)) ** 2).sum(1).mean()))
    return float(np.median(wanders)) if wanders else 0.0


def _drop_bare_roots(parents: dict[int, int], weighted: np.ndarray) -> None:
    """A root without weights that holds at most one bone is a control: drop it, and so on down."""
    changed = True
    while changed:
        changed = False
        for bone in [b for b, p in parents.items() if p == -1]:
            children = [b for b, p in parents.items() if p == bone]
            if not weighted[bone] and len(children) <= 1:
                del parents[bone]
                for child in children:
                    parents[child] = -1
                changed = True


def _subtree(parents: dict[int, int], root: int) -> list[int]:
    out = [root]
    for bone in out:
        out.extend(child for child, parent in parents.items() if parent == bone)
    return out


def _main_root(rig: RigArrays, parents: dict[int, int]) -> int:
    """The root of the largest part, by number of bones and share of the weights."""
    roots = [bone for bone, parent in parents.items() if parent == -1]
    total = rig.weights.sum()

    def size(root: int) -> float:
        part = _subtree(parents, root)
        return len(part) / len(parents) + rig.weights[part].sum() / total

    return max(roots, key=size)


def _attach_strays(rig: RigArrays, parents: dict[int, int], root: int) -> dict[str, str]:
    """Hang every other part on the bone it moves with: rigidity over the clips, distance at rest and
    touching surfaces, on the same side of the body only."""
    moved = {}
    core = set(_subtree(parents, root))
    strays = [bone for bone, parent in parents.items() if parent == -1 and bone != root]
    for stray in sorted(strays, key=lambda b: -len(_subtree(parents, b))):
        part = _subtree(parents, stray)
        touch = rig.touching[np.ix_(part, range(len(rig.names)))].sum(0)
        touch = touch / max(touch[list(core)].max(), 1e-12)
        costs = {
            bone: looseness(rig, stray, bone) + 0.1 * _distance(rig, stray, bone) - 0.03 * touch[bone]
            for bone in core
            if _same_side(rig, stray, bone)
        }
        if not costs:
            raise BadInput(
                f"bone {rig.names[stray]}: nothing to hang it on; parent it to the body in the rig"
            )
        best = min(costs, key=costs.get)
        parents[stray] = best
        moved[rig.names[stray]] = rig.names[best]
        core.update(part)
    return moved


def _distance(rig: RigArrays, a: int, b: int) -> float:
    return float(np.linalg.norm(rig.heads[a] - rig.heads[b]))


def _same_side(rig: RigArrays, a: int, b: int) -> bool:
    xa, xb = rig.heads[a, 0], rig.heads[b, 0]
    if abs(xa) < CENTRE:
        return abs(xb) < 2 * CENTRE
    return abs(xb) < CENTRE or np.sign(xa) == np.sign(xb)


def _parents_first(parents: dict[int, int], root: int) -> list[int]:
    """Depth first, so that each limb's bones stand together."""
    order: list[int] = []

    def visit(bone: int) -> None:
        order.append(bone)
        for child, parent in parents.items():
            if parent == bone:
                visit(child)

    visit(root)
    return order
