# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""How the creature and what is behind it look in a clip, taken from the clip through a solve of it."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

from ..raster import draw
from ..skin import Skin
from ..solve.cameras import Cameras

_INSIDE = 3
"""Side of the square, in pixels, that must be the creature's all over for a colour to be believed."""
_CORNER = np.full((3, 3), 0.2) + 0.4 * np.eye(3)
"""Where in a triangle its corners' colours are taken, as shares of its corners."""
_AROUND = 0.04
"""So near to the drawing, in heights, a pixel may still be the creature's: it tells nothing of the backdrop."""


class Appearance(NamedTuple):
    """V views. colours (V, F, 3, 3) float32 of the corners of the skin's F triangles, light and all, 0 to 255;
    backdrops: of each view (H, W, 3) uint8."""

    colours: np.ndarray
    backdrops: list[np.ndarray]


class Gatherer:
    """Takes frames one by one, as they come, and holds sums alone."""

    def __init__(self, skin: Skin, sizes: list[tuple[int, int]], height: float) -> None:
        """``sizes`` (width, height) of the panels; ``height`` of the creature, metres."""
        self.skin, self.height = skin, height
        self.colours = np.zeros((len(sizes), len(skin.triangles), 3, 4))
        self.behind = [np.zeros((height, width, 4), np.float32) for width, height in sizes]

    def add(self, panels: list[np.ndarray], points: np.ndarray, cameras: Cameras, frame: int) -> None:
        """Panels (H, W, 3) uint8 in the layout's framing, and the skin's vertices (N, 3) in that frame, world."""
        pixels, depth = cameras.picked(slice(frame, frame + 1)).project(points[None])
        for view, panel in enumerate(panels):
            at, deep = np.ascontiguousarray(pixels[0, view]), np.ascontiguousarray(depth[0, view])
            _, owner, _ = draw.depth_buffer(at, deep, self.skin.triangles, *panel.shape[:2])
            self._add_colours(view, panel, at, owner)
            across = self.height * float(cameras.focals[frame, view] / np.median(deep))
            side = 2 * round(_AROUND * across) + 1
            free = cv2.dilate((owner >= 0).astype(np.uint8), np.ones((side, side), np.uint8)) == 0
            self.behind[view][free, :3] += panel[free]
            self.behind[view][free, 3] += 1

    def _add_colours(self, view: int, panel: np.ndarray, pixels: np.ndarray, owner: np.ndarray) -> None:
        drawn = (owner >= 0).astype(np.uint8)
        inner = cv2.erode(drawn, np.ones((_INSIDE, _INSIDE), np.uint8), borderValue=0)
        at = np.floor(_CORNER @ pixels[self.skin.triangles]).astype(int)
        inside = ((at >= 0) & (at < panel.shape[1::-1])).all(-1)
        x, y = np.moveaxis(np.where(inside[..., None], at, 0), -1, 0)
        seen = inside & (inner[y, x] > 0) & (owner[y, x] == np.arange(len(at))[:, None])
        self.colours[view, seen, :3] += panel[y[seen], x[seen]]
        self.colours[view, seen, 3] += 1

    def appearance(self) -> Appearance:
        colours = np.stack([self._filled(sums) for sums in self.colours])
        return Appearance(colours.astype(np.float32), [backdrop(sums) for sums in self.behind])

    def _filled(self, sums: np.ndarray) -> np.ndarray:
        """(F, 3, 3): what a view never saw looks like what is nearest to it: the triangle, its neighbours, the same in
        other views, its bone's skin, all of it."""
        out = sums.copy()
        everywhere = self.colours.sum(0)
        for seen in (sums, everywhere):
            for places in (np.arange(len(sums))[:, None], self.skin.triangles, self._bones()):
                _fill(out, _pooled(seen, places))
        _fill(out, everywhere.sum((0, 1))[None, None] + [0, 0, 0, 1e-9])
        return out[..., :3] / out[..., 3:]

    def _bones(self) -> np.ndarray:
        """(F, 3) the bone that owns each triangle's corners."""
        return self.skin.owner[self.skin.triangles]


def _fill(colours: np.ndarray, others: np.ndarray) -> None:
    """Where nothing was seen, ``others``; sums (F, 3, 4) both."""
    unseen = colours[..., 3] == 0
    colours[unseen] = np.broadcast_to(others, colours.shape)[unseen]


def _pooled(sums: np.ndarray, places: np.ndarray) -> np.ndarray:
    """(F, 3, 4) sums over all corners that share a place (F, 1) or (F, 3)."""
    places = np.broadcast_to(places, sums.shape[:2])
    pool = np.zeros((int(places.max()) + 1, 4))
    np.add.at(pool, places, sums)
    return pool[places]


def backdrop(sums: np.ndarray) -> np.ndarray:
    """(H, W, 3) uint8: the mean of what was seen (H, W, 4). Unseen places are filled from coarser and coarser pictures
    (pull-push, Gortler et al., The Lumigraph, 1996)."""
    known = sums[..., 3:] > 0
    mean = np.where(known, sums / np.maximum(sums[..., 3:], 1), 0).astype(np.float32)
    return np.rint(_pulled(mean)[..., :3]).astype(np.uint8)


def _pulled(picture: np.ndarray) -> np.ndarray:
    """(H, W, 4), the last 1 where known and 0 elsewhere -> filled."""
    known = picture[..., 3:]
    if known.all() or min(picture.shape[:2]) < 2:
        return picture
    half = cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    coarse = np.where(half[..., 3:] > 0, half / np.maximum(half[..., 3:], 1e-6), 0).astype(np.float32)
    filled = cv2.resize(_pulled(coarse), picture.shape[1::-1], interpolation=cv2.INTER_LINEAR)
    return np.where(known > 0, picture, filled)
