# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones belong to the creature and what each hangs on. Pure numpy.

Control bones (IK goals, pole targets, a master bone on the floor) carry no skin and have no
descendants with skin, or stand above the true root; they are left out by what they deform, never by name.
Between deform bones, mechanism bones (Rigify's ORG and MCH) are replaced by the deform bone that lies on
them, or skipped.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...mocap.errors import BadInput
from . import attach
from .attach import RigArrays

LOOSE = 0.06
"""A bone that moves more than this (RMS, in heights) in its parent's frame does not hang on it."""
RIGID = 5e-4
"""A bone that moves less than this (RMS, in heights) in another's frame can hang on it without loss."""
SAME_PLACE = 0.005
"""Bones whose ends lie closer than this, in heights, lie on each other."""
IN_FLESH = 0.015
"""Heads no farther outside the skin than this, in heights, count as inside."""
CONTROL_SHARE = 0.01
"""A root outside the flesh with less than this share of the skin is a control."""


class Hierarchy(NamedTuple):
    order: list[int]
    """Bones kept (indices of the armature), parents first."""
    parents: list[int]
    """Parent as an index into ``order``, -1 for the root."""
    reparented: dict[str, str]
    """Bone -> its new parent, where that is neither its parent nor its nearest ancestor kept."""
    dropped: list[str]


def build(rig: RigArrays) -> Hierarchy:
    """Raises BadInput where nothing is weighted or a part cannot be attached."""
    if not rig.deforms.any():
        raise BadInput("no bone deforms the mesh: every weight is zero")
    parents = _kept_parents(rig)
    _detach_loose(rig, parents)
    _drop_bare_roots(rig, parents)
    root, moved = attach.join(rig, parents)
    root = _without_hub(rig, parents, root)
    order = _parents_first(parents, root)
    place = {bone: i for i, bone in enumerate(order)}
    return Hierarchy(
        order,
        [place.get(parents[bone], -1) for bone in order],
        {bone: to for bone, to in moved.items() if rig.names.index(bone) in place},
        [name for i, name in enumerate(rig.names) if i not in place],
    )


def _kept_parents(rig: RigArrays) -> dict[int, int]:
    """Deform bones and what must stand between them, with their (kept) parents."""
    twins = _twins(rig)
    parents: dict[int, int] = {}
    queue = [int(bone) for bone in np.flatnonzero(rig.deforms)]
    while queue:
        bone = queue.pop()
        if bone not in parents:
            parents[bone] = _parent_of(rig, twins, bone)
            if parents[bone] >= 0:
                queue.append(parents[bone])
    _cut_loops(rig, parents)
    return dict(sorted(parents.items()))


def _twins(rig: RigArrays) -> dict[int, int]:
    """Bone without skin -> the deform bone that lies exactly on it."""
    deforming = np.flatnonzero(rig.deforms)
    out = {}
    for bone in np.flatnonzero(~rig.deforms):
        gap = np.linalg.norm(rig.heads[deforming] - rig.heads[bone], axis=1) + np.linalg.norm(
            rig.ends[deforming] - rig.ends[bone], axis=1
        )
        if gap.min() < 2 * SAME_PLACE:
            out[int(bone)] = int(deforming[gap.argmin()])
    return out


def _parent_of(rig: RigArrays, twins: dict[int, int], bone: int) -> int:
    """The nearest ancestor that carries skin, or whose place a deform bone takes, or that must be kept."""
    above = int(rig.parents[bone])
    while above >= 0:
        twin = twins.get(above)
        if rig.deforms[above]:
            return above
        if twin is None and (rig.declared[above] or _needed(rig, bone, above)):
            return above
        if twin is not None and twin != bone and not _is_above(rig, bone, twin):
            return twin
        above = int(rig.parents[above])
    return -1


def _is_above(rig: RigArrays, ancestor: int, bone: int) -> bool:
    while bone >= 0:
        if bone == ancestor:
            return True
        bone = int(rig.parents[bone])
    return False


def _needed(rig: RigArrays, bone: int, above: int) -> bool:
    """True where the clips move the bone against everything further up, so that ``above`` is its pivot."""
    if not rig.clip_heads:
        return False
    further = int(rig.parents[above])
    while further >= 0 and not rig.deforms[further]:
        further = int(rig.parents[further])
    return further >= 0 and attach.most_loose(rig, bone, further) > 2 * RIGID


def _cut_loops(rig: RigArrays, parents: dict[int, int]) -> None:
    """Stand-ins can close a loop (two mechanisms that name each other): its highest bone becomes a root."""
    for start in list(parents):
        walk, seen = start, []
        while walk >= 0 and walk not in seen:
            seen.append(walk)
            walk = parents[walk]
        if walk >= 0:
            loop = seen[seen.index(walk) :]
            parents[max(loop, key=lambda bone: rig.share[bone])] = -1


def _detach_loose(rig: RigArrays, parents: dict[int, int]) -> None:
    """Cut the bones that the rig's own clips show to move freely against their parent."""
    for bone, parent in list(parents.items()):
        if parent >= 0 and attach.looseness(rig, bone, parent) > LOOSE:
            parents[bone] = -1


def _drop_bare_roots(rig: RigArrays, parents: dict[int, int]) -> None:
    """A root without skin that holds at most one bone is a control: drop it, and so on down."""
    changed = True
    while changed:
        changed = False
        for bone in [b for b, p in parents.items() if p == -1]:
            children = [b for b, p in parents.items() if p == bone]
            if not rig.deforms[bone] and len(children) <= 1:
                del parents[bone]
                for child in children:
                    parents[child] = -1
                changed = True


def _without_hub(rig: RigArrays, parents: dict[int, int], root: int) -> int:
    """A root that floats outside the flesh and moves as one with a bone of the body gives way to that bone,
    where the clips prove that nothing is lost; returns the root."""
    children = [bone for bone, parent in parents.items() if parent == root]
    control = rig.outside[root] > IN_FLESH and rig.share[root] < CONTROL_SHARE
    if not control or not rig.clip_heads or len(children) < 2:
        return root
    middle = [c for c in children if abs(rig.heads[c, 0]) < attach.CENTRE]
    able = [
        c for c in middle if all(attach.most_loose(rig, other, c) < RIGID for other in children if other != c)
    ]
    if not able:
        return root
    centre = np.mean([rig.heads[c] for c in children], axis=0)
    heir = min(able, key=lambda c: np.linalg.norm(rig.heads[c] - centre))
    parents[heir] = -1
    del parents[root]
    for child in children:
        if child != heir:
            parents[child] = _rigid_home(rig, parents, child, heir)
    return heir


def _rigid_home(rig: RigArrays, parents: dict[int, int], bone: int, heir: int) -> int:
    """The bone of the heir's part that touches ``bone`` most or is nearest, of those it is rigid with."""
    able = [b for b in attach.subtree(parents, heir) if attach.most_loose(rig, bone, b) < RIGID]
    most = max(rig.touching[bone, able].max(), 1e-12)
    return min(
        able,
        key=lambda b: (
            attach.NEARNESS * attach.distance(rig, bone, b) - attach.APART * rig.touching[bone, b] / most
        ),
    )


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
