# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Readings with the errors taken off that the reader makes of a drawing of the solve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..detections import Detections
from ..skeleton import Skeleton
from ..solve.swaps import Swap, limb_pairs

STILL = 0.7
"""What is left of a reading's standard deviation: on held-out clips errors in drawings and in the clip correlate by 0.7
to 0.8 (docs/solver.md)."""
LONGEST = 0.15
"""A correction longer than this share of the height is a mistake in the drawing, not the reader's habit."""


def corrected(
    detections: Detections,
    errors: np.ndarray,
    heights: np.ndarray,
    skeleton: Skeleton,
    swaps: Sequence[Swap],
    provenance: dict[str, Any],
) -> Detections:
    """``errors`` (T, V, J, 2): what the reader got wrong in drawings, panel pixels; ``heights`` (V,) the creature's in
    panel pixels; ``swaps``: limbs that the solve exchanged, whose readings are still each other's."""
    length = np.linalg.norm(errors, axis=-1)
    usable = length <= LONGEST * heights[None, :, None]
    taken = exchanged(np.where(usable[..., None], errors, 0.0), detections.layout.names, skeleton, swaps)
    return replace(
        detections,
        positions=detections.positions - taken,
        sigma=detections.sigma * STILL,
        provenance=detections.provenance | {"reread": provenance},
    )


def exchanged(
    errors: np.ndarray, views: Sequence[str], skeleton: Skeleton, swaps: Sequence[Swap]
) -> np.ndarray:
    """The errors (T, V, J, 2) of each joint where the clip's readings have them."""
    pairs = {pair.limb: pair for pair in limb_pairs(skeleton)}
    out = errors.copy()
    for swap in swaps:
        both, other = pairs[swap.limb].exchange
        frames, view = np.array(swap.frames), views.index(swap.view)
        out[np.ix_(frames, [view], both)] = errors[np.ix_(frames, [view], other)]
    return out
