# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Left/right partners from the rest pose's geometry. Pure numpy."""

from __future__ import annotations

import numpy as np

FAR = 0.08
"""Partners may miss each other's mirror image by this much, in heights."""


def mirror_bones(parents: list[int], heads: np.ndarray, tips: np.ndarray) -> list[int]:
    """(B,) partner of each bone: itself on the middle line, -1 where it has none.

    heads, tips (B, 3) in heights (tips may be NaN), mirror plane x = 0. Works down the hierarchy, so
    that a partner always hangs on the partner of the parent; each bone is compared by its head and the
    middle of all that hangs on it.
    """
    children: list[list[int]] = [[] for _ in parents]
    for bone, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(bone)
    middles = subtree_middles(parents, heads, tips)
    partner = [-1] * len(parents)
    partner[0] = 0
    queue = [0]
    while queue:
        bone = queue.pop(0)
        if partner[bone] >= 0:
            _match(children[bone], children[partner[bone]], heads, middles, partner)
        queue.extend(children[bone])
    return partner


def _match(
    left: list[int], right: list[int], heads: np.ndarray, middles: np.ndarray, partner: list[int]
) -> None:
    """Match children of one bone with children of its partner, nearest mirror image first."""
    flip = np.array([-1.0, 1.0, 1.0])
    costs = sorted(
        (
            float(
                np.linalg.norm(heads[a] * flip - heads[b]) + np.linalg.norm(middles[a] * flip - middles[b])
            ),
            a,
            b,
        )
        for a in left
        for b in right
    )
    for cost, a, b in costs:
        if cost < 2 * FAR and partner[a] < 0 and partner[b] < 0:
            partner[a], partner[b] = b, a


def subtree_middles(parents: list[int], heads: np.ndarray, tips: np.ndarray) -> np.ndarray:
    """(B, 3) mean of all heads and tips at and below each bone."""
    total = heads + np.nan_to_num(tips)
    count = 1.0 + np.isfinite(tips).all(1)
    for bone in range(len(parents) - 1, 0, -1):
        total[parents[bone]] += total[bone]
        count[parents[bone]] += count[bone]
    return total / count[:, None]


def sides(partner: list[int], parents: list[int], middles: np.ndarray) -> list[str]:
    """L (+X), R (-X) or empty for each bone; a bone without a partner takes its parent's side."""
    out: list[str] = []
    for bone, other in enumerate(partner):
        if other == bone:
            out.append("")
        elif other >= 0:
            out.append("L" if middles[bone][0] > middles[other][0] else "R")
        else:
            out.append(out[parents[bone]] if parents[bone] >= 0 else "")
    return out
