# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Coverage: pixels of a limb that the drawing leaves bare pull its skin there, and skin that is drawn where the picture
shows none is pulled back (chamfer distance). Contours look a few pixels far; this brings a leg from farther away.
"""

from __future__ import annotations

import cv2
import numpy as np

from .drawing import Buffer, Drawing

_EVERY = 3
_STRENGTH = 10.0
_RELAXED = 1.5
"""Pulls reach beyond their target by so much: each moves all the skin around it, too."""
_FARTHEST = 0.25
_OTHER_LIMB = 0.5
"""Worth of a pixel that shows another limb: that one may be wrong, too."""
_BLOB, _BLOB_SHARE = 25, 0.15
"""Smaller patches, in pixels and in shares of the limb's largest, are noise."""
_FEWEST = 12
_SEEN = 8
_LEAST_AREA = 60
SCALE = 0.015
BEND = 2.0


def pulls(drawing: Drawing, log: np.ndarray, phase: int) -> dict[str, np.ndarray]:
    """As contours.pulls; log (G + 1, S, S) log probabilities."""
    backdrop = len(drawing.alone)
    wanted = without_blobs(log.argmax(0).astype(np.uint8), backdrop)
    y, x = np.ogrid[: len(wanted), : len(wanted)]
    speaks = (x + y + phase) % _EVERY == 0
    found = []
    for limb, alone in enumerate(drawing.alone):
        want, have = wanted == limb, drawing.shown == limb
        area = (int(want.sum()), int(have.sum()))
        if sum(area) < _FEWEST:
            continue
        weight = _STRENGTH * _EVERY / max(*area, _LEAST_AREA)
        found += _bare(drawing, alone, want & ~have & speaks, area[0], weight)
        found += _astray(drawing, wanted, want, have & ~want & speaks, area[0], weight, backdrop)
    if not found:
        found = [_columns(drawing, drawing.whole, *(np.zeros((0, 2), int),) * 2, np.zeros(0))]
    return {name: np.concatenate([part[name] for part in found]) for name in found[0]}


def without_blobs(shown: np.ndarray, backdrop: int) -> np.ndarray:
    """Small patches of each limb made backdrop."""
    out = shown.copy()
    for limb in range(backdrop):
        mask = (shown == limb).astype(np.uint8)
        if not mask.any():
            continue
        _, number, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
        area = stats[1:, cv2.CC_STAT_AREA]
        small = 1 + np.flatnonzero((area < _BLOB) | (area < _BLOB_SHARE * area.max()))
        if len(small):
            out[np.isin(number, small)] = backdrop
    return out


def _bare(drawing: Drawing, alone: Buffer, bare: np.ndarray, seen: int, weight: float) -> list[dict]:
    """Pixels of the limb where it is not drawn pull its nearest skin, hidden or not."""
    skin = alone.triangle >= 0
    bare = bare & ~skin
    if seen <= _SEEN or not bare.any() or not skin.any():
        return []
    pixels = np.argwhere(bare)
    nearest, far = nearest_of(skin, pixels)
    keep = far < _FARTHEST * drawing.height_in_square
    return [_columns(drawing, alone, nearest[keep], pixels[keep], np.full(int(keep.sum()), weight))]


def _astray(
    drawing: Drawing,
    wanted: np.ndarray,
    want: np.ndarray,
    astray: np.ndarray,
    seen: int,
    weight: float,
    backdrop: int,
) -> list[dict]:
    """Skin that is drawn where the limb is not seen is pulled to where it is; a limb that is hardly seen anywhere only
    off the backdrop, behind any other."""
    goal = want if seen > _SEEN else wanted != backdrop
    if not astray.any() or not goal.any():
        return []
    pixels = np.argwhere(astray)
    bare = wanted[astray] == backdrop
    worth = np.where(bare, 1.0, _OTHER_LIMB if seen > _SEEN else 0.0) * weight
    nearest, far = nearest_of(goal, pixels)
    keep = (far < _FARTHEST * drawing.height_in_square) & (worth > 0)
    return [_columns(drawing, drawing.whole, pixels[keep], nearest[keep], worth[keep])]


def nearest_of(mask: np.ndarray, pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For pixels (N, 2), rows first, the nearest one of ``mask`` and how far away it is."""
    far, number = cv2.distanceTransformWithLabels(
        (~mask).astype(np.uint8), cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    inside = np.argwhere(mask)
    of_number = np.zeros((int(number.max()) + 1, 2), int)
    of_number[number[inside[:, 0], inside[:, 1]]] = inside
    at = tuple(pixels.T)
    return of_number[number[at]], far[at]


def _columns(
    drawing: Drawing, buffer: Buffer, start: np.ndarray, goal: np.ndarray, weights: np.ndarray
) -> dict[str, np.ndarray]:
    """Skin at pixels ``start`` (N, 2), rows first, is wanted at ``goal``."""
    aim = start + (goal - start) * _RELAXED
    square = aim[:, ::-1] + 0.5
    at = tuple(start.T)
    linear, shift = drawing.framing[:, :2], drawing.framing[:, 2]
    return {
        "triangles": buffer.triangle[at],
        "places": buffer.place[at],
        "targets": np.linalg.solve(linear, (square - shift).T).T,
        "normals": np.zeros((len(weights), 2)),
        "weights": weights,
        "scales": np.full(len(weights), SCALE * drawing.height),
        "bends": np.full(len(weights), BEND),
    }
