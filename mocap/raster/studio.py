# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A pose through a layout camera: the creature cut out, its masks, its joints, and which of them are seen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import paint, parts, skin
from ..layout import View
from ..rig_info import CreaturePaths, RigInfo
from ..skeleton import Posed
from ..skin import Skin
from . import draw, lights, visible

_STEPS = 4096


class Labels(NamedTuple):
    """positions (J, 2) panel pixels; depth (J,) metres along the view; visible (J,) bool."""

    positions: np.ndarray
    depth: np.ndarray
    visible: np.ndarray


class Shot(NamedTuple):
    """One view. ``rgba`` (h, w, 4) uint8 premultiplied, sides even; ``parts`` (h, w) uint8; ``corner`` (2,): the
    panel pixel of the top-left corner."""

    rgba: np.ndarray
    parts: np.ndarray
    corner: np.ndarray
    labels: Labels


class Buffers(NamedTuple):
    """What a view's fine pixels show (draw.depth_buffer), and the window's corner and size in panel pixels."""

    depth: np.ndarray
    owner: np.ndarray
    place: np.ndarray
    corner: np.ndarray


class Studio:
    """Prepared once for a creature; its methods only read, so threads may share it."""

    def __init__(self, rig: RigInfo, worn: Skin) -> None:
        skeleton = rig.skeleton
        self.rig, self.skin, self.skeleton = rig, worn, skeleton
        self.digest = paint.digest(worn, skeleton)
        self.parts = parts.of(skeleton)
        self.vertex_part = self.parts.bone_part[worn.owner]
        self.colours = {
            True: _linear(paint.vertex_colours(worn, skeleton)),
            False: _linear(worn.albedo / 255),
        }
        self.table = np.rint(_srgb(np.linspace(0, 1, _STEPS)) * 255).astype(np.uint8)
        self.places = int(worn.welded.max()) + 1
        self.owners = visible.owners(skeleton)
        self.reach = visible.reach(skeleton, worn.points, worn.owner)

    @classmethod
    def of(cls, paths: CreaturePaths) -> Studio:
        """Of an adopted creature. Raises BadInput where its rig or skin cannot be read."""
        rig = RigInfo.load(paths.rig_info)
        return cls(rig, skin.load(paths.skin, rig.skeleton))

    def points(self, posed: Posed, frame: int = 0) -> np.ndarray:
        """(V, 3) the skin in one frame of ``posed``, world metres."""
        turns, worn = posed.turns[frame], self.skin
        moves = posed.heads[frame] - np.einsum("bij,bj->bi", turns, self.skeleton.heads)
        return draw.blended(worn.points, worn.bones, worn.weights, turns, moves)

    def buffers(self, points: np.ndarray, view: View) -> Buffers:
        """The view's window around the vertices ``points`` (V, 3) world, as far as it lies in the panel."""
        pixels, depth = view.project(points)
        size = np.array(view.size)
        low = np.clip(np.floor(pixels.min(0)).astype(int) - 1, 0, size - 2)
        high = np.clip(np.ceil(pixels.max(0)).astype(int) + 1, low + 2, size)
        width, height = (high - low + 1) // 2 * 2
        fine = (pixels - low) * draw.SUPER
        found = draw.depth_buffer(
            fine, depth, self.skin.triangles, int(height) * draw.SUPER, int(width) * draw.SUPER
        )
        return Buffers(*found, low.astype(float))

    def masks(self, buffers: Buffers) -> np.ndarray:
        """(h, w) uint8: the part that each pixel of the window shows."""
        return draw.parts(
            buffers.owner, buffers.place, self.skin.triangles, self.vertex_part, np.uint8(self.parts.backdrop)
        )

    def colour(
        self, points: np.ndarray, buffers: Buffers, view: View, light: lights.Lights, painted: bool = True
    ) -> np.ndarray:
        """(h, w, 4) uint8 premultiplied RGBA of the window."""
        worn = self.skin
        flat, smooth = draw.normals(points, worn.triangles, worn.welded, self.places)
        axes = view.R * np.array([[1.0], [-1.0], [-1.0]])
        return draw.shaded(
            buffers.owner,
            buffers.place,
            worn.triangles,
            self.colours[painted],
            flat,
            smooth,
            worn.welded,
            worn.smooth,
            np.ascontiguousarray(axes),
            tuple(np.ascontiguousarray(part) for part in light),
            self.table,
        )

    def labels(self, posed: Posed, buffers: Buffers, view: View, frame: int = 0) -> Labels:
        positions, depth = view.project(posed.joints[frame])
        return Labels(positions, depth, self._seen(positions, depth, buffers, view))

    def _seen(self, positions: np.ndarray, depth: np.ndarray, buffers: Buffers, view: View) -> np.ndarray:
        inside = ((positions >= 0) & (positions <= np.array(view.size))).all(1)
        height, width = buffers.owner.shape
        at = np.floor((positions - buffers.corner) * draw.SUPER).astype(int)
        covered = ((at >= 0) & (at < [width, height])).all(1)
        x, y = np.clip(at[:, 0], 0, width - 1), np.clip(at[:, 1], 0, height - 1)
        triangle = np.where(covered, buffers.owner[y, x], -1)
        gap = np.where(triangle >= 0, depth - buffers.depth[y, x], 0.0)
        bone = self.skin.owner[self.skin.triangles[triangle, 0]]
        own = self.owners[np.arange(len(bone)), bone] | self.skeleton.is_marker
        return inside & ((gap <= 0) | (own & (gap < self.reach)))

    def shot(
        self,
        posed: Posed,
        view: View,
        light: lights.Lights,
        painted: bool = True,
        middle: int = 0,
    ) -> Shot:
        """One picture of the frames of ``posed``: the mean over an exposure where there are several. Labels and
        masks are those of frame ``middle``."""
        points = [self.points(posed, frame) for frame in range(len(posed.heads))]
        buffers = self.buffers(points[middle], view)
        masks, labels = self.masks(buffers), self.labels(posed, buffers, view, middle)
        if len(points) == 1:
            rgba = self.colour(points[0], buffers, view, light, painted)
            return Shot(rgba, masks, buffers.corner, labels)
        drawn = []
        for moved in points:
            found = self.buffers(moved, view)
            drawn.append((found.corner, self.colour(moved, found, view, light, painted)))
        corner, rgba = _mean(drawn)
        return Shot(
            rgba, _moved(masks, buffers.corner, corner, rgba.shape, self.parts.backdrop), corner, labels
        )


def _mean(pictures: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Corner and mean of premultiplied pictures that lie at different corners."""
    low = np.min([corner for corner, _ in pictures], axis=0)
    high = np.max([corner + picture.shape[1::-1] for corner, picture in pictures], axis=0)
    width, height = (np.ceil(high - low).astype(int) + 1) // 2 * 2
    total = np.zeros((height, width, 4), np.uint16)
    for corner, picture in pictures:
        x, y = (corner - low).astype(int)
        total[y : y + picture.shape[0], x : x + picture.shape[1]] += picture
    return low, ((total + len(pictures) // 2) // len(pictures)).astype(np.uint8)


def _moved(
    masks: np.ndarray, corner: np.ndarray, to: np.ndarray, shape: tuple[int, ...], backdrop: int
) -> np.ndarray:
    """``masks`` from a window at ``corner`` in the window at ``to`` of ``shape``."""
    out = np.full(shape[:2], backdrop, np.uint8)
    x, y = (corner - to).astype(int)
    out[y : y + masks.shape[0], x : x + masks.shape[1]] = masks
    return out


def _linear(srgb: np.ndarray) -> np.ndarray:
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def _srgb(linear: np.ndarray) -> np.ndarray:
    return np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
