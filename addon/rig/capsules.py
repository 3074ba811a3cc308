# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How thick each bone's own skin is: a capsule fitted to the vertices that ride on it. Without bpy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...mocap import skin

RIGID = 0.35
"""Vertices that belong to a bone, and follow it at least this much, are its own."""
LEAST_VERTICES = 4
_ENDS = (4, 96)
"""Percentiles of the own vertices, along the axis, between which the capsule lies."""
_THICK = 50
"""Percentile of their distances from the axis that is the radius: flat parts are taken as thin."""


class Capsule(NamedTuple):
    radius: float
    """Metres; 0 where the bone has no skin of its own."""
    core: np.ndarray
    """(2, 3) ends of the axis at rest, world metres."""


def fit(points: np.ndarray, weights: np.ndarray, heads: np.ndarray) -> list[Capsule]:
    """points (V, 3), weights (V, B) whose rows sum to one, heads (B, 3). The axis is the direction in which
    the own vertices spread most, not the bone's: skin lies beside many a bone."""
    owner = skin.owners(weights)
    own = weights[np.arange(len(points)), owner] >= RIGID
    return [_capsule(points[own & (owner == bone)], heads[bone]) for bone in range(len(heads))]


def _capsule(own: np.ndarray, head: np.ndarray) -> Capsule:
    own = np.unique(own, axis=0)
    if len(own) < LEAST_VERTICES:
        return Capsule(0.0, np.stack([head, head]))
    middle = (own.min(0) + own.max(0)) / 2
    axis = np.linalg.svd(own - own.mean(0), full_matrices=False)[2][0]
    along = (own - middle) @ axis
    aside = np.linalg.norm(own - middle - along[:, None] * axis, axis=1)
    radius = float(np.percentile(aside, _THICK))
    low, high = np.percentile(along, _ENDS)
    # Round ends reach a radius beyond the core; a ball's core is a point.
    low, high = min(low + radius, (low + high) / 2), max(high - radius, (low + high) / 2)
    return Capsule(radius, middle + np.array([low, high])[:, None] * axis)
