# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The solved motion drawn as the clip shows it: its colours, its backdrop, its views."""

from __future__ import annotations

import numba
import numpy as np

from ..raster import draw
from ..skin import Skin
from ..solve.cameras import Cameras
from .appearance import Appearance


def panel(
    points: np.ndarray, skin: Skin, cameras: Cameras, frame: int, view: int, look: Appearance
) -> np.ndarray:
    """(H, W, 3) uint8: the skin's vertices ``points`` (N, 3), world, as a view sees them before its backdrop."""
    backdrop = look.backdrops[view]
    seen = (points - cameras.places[frame, view]) @ cameras.rotations[frame, view].T
    depth = np.ascontiguousarray(seen[:, 2])
    pixels = seen[:, :2] * (cameras.focals[frame, view] / depth)[:, None] + cameras.centres[frame, view]
    size = np.array(backdrop.shape[1::-1])
    low = np.clip(np.floor(pixels.min(0)).astype(int) - 1, 0, size - 1)
    high = np.clip(np.ceil(pixels.max(0)).astype(int) + 1, low + 1, size)
    width, height = (int(side) for side in high - low)
    fine = (pixels - low) * draw.SUPER
    _, owner, place = draw.depth_buffer(fine, depth, skin.triangles, height * draw.SUPER, width * draw.SUPER)
    out = backdrop.copy()
    window = out[low[1] : high[1], low[0] : high[0]]
    window[:] = _coloured(owner, place, look.colours[view], window)
    return out


@numba.njit(cache=draw.KEPT, nogil=True)
def _coloured(owner, place, colours, backdrop):
    """(h, w, 3) uint8: the mean of each pixel's fine samples, those of no triangle the backdrop's (h, w, 3)."""
    height, width, _ = backdrop.shape
    out = np.empty((height, width, 3), np.uint8)
    fine = draw.SUPER
    total = np.empty(3, np.float32)
    for y in range(height):
        for x in range(width):
            total[:] = 0.0
            for sample in range(fine * fine):
                v, u = y * fine + sample // fine, x * fine + sample % fine
                t = owner[v, u]
                for c in range(3):
                    if t < 0:
                        total[c] += backdrop[y, x, c]
                    else:
                        w1, w2 = place[v, u, 0], place[v, u, 1]
                        own = colours[t]
                        total[c] += (1 - w1 - w2) * own[0, c] + w1 * own[1, c] + w2 * own[2, c]
            for c in range(3):
                out[y, x, c] = np.uint8(total[c] / (fine * fine) + 0.5)
    return out
