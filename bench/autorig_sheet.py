# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Fitted skeletons over their meshes, from the front and from the side, on one sheet."""

from __future__ import annotations

import cv2
import numpy as np

from mocap.pictures import grid

VIEWS = {
    "front": np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]),
    "side": np.array([[0, 1.0, 0], [0, 0, 1], [1, 0, 0]]),
}
"""Rows: right, up, towards the viewer."""
SIZE = 280


def sheet(results: dict) -> np.ndarray:
    """RGB; ``results`` as bench/autorig.py has them. The artist's joints are black rings."""
    tiles = []
    for name, (row, theirs, ours) in results.items():
        pair = [picture(ours, theirs, axes) for axes in VIEWS.values()]
        tile = np.hstack(pair)
        text = f"{name}: {row['template']}, {row['mean_pct']:.1f}% of height"
        cv2.putText(tile, text, (8, 16), cv2.FONT_HERSHEY_SIMPLEX, 0.45, (30, 30, 30), 1, cv2.LINE_AA)
        tiles.append(tile)
    return grid(tiles, 2)


def picture(ours, theirs, axes: np.ndarray) -> np.ndarray:
    seen = ours.points @ axes.T
    low, high = seen.min(0), seen.max(0)
    scale = (SIZE - 40) / (high - low)[:2].max()
    middle = (low + high)[:2] / 2

    def place(points: np.ndarray) -> np.ndarray:
        flat = (np.asarray(points) @ axes[:2].T - middle) * scale
        return np.stack([SIZE / 2 + flat[..., 0], SIZE / 2 + 8 - flat[..., 1]], -1)

    image = np.full((SIZE, SIZE, 3), 255, np.uint8)
    _shade(image, seen, place(ours.points), ours.triangles)
    for point in place(theirs.skeleton.heads):
        cv2.circle(image, _pixel(point), 3, (0, 0, 0), 1, cv2.LINE_AA)
    limb = ours.skeleton.bone_limb
    record = ours.info.source["autorig"]
    for index, bone in enumerate(ours.skeleton.bones):
        colour = (
            ours.skeleton.limbs[limb[index]].colour if ours.skeleton.limbs[limb[index]].side else (0, 0.5, 0)
        )
        ink = tuple(int(200 * c) for c in colour)
        head, tail = place(np.array(bone.head)), place(record["joints"][record["ends"][bone.name]]["point"])
        cv2.line(image, _pixel(head), _pixel(tail), ink, 2, cv2.LINE_AA)
        cv2.circle(image, _pixel(head), 3, ink, -1, cv2.LINE_AA)
    return image


def _shade(image: np.ndarray, seen: np.ndarray, flat: np.ndarray, triangles: np.ndarray) -> None:
    """Fill triangles from the back to the front (painter's algorithm), lit from above the viewer."""
    corners = seen[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    light = np.clip(160 + 80 * np.abs(normal @ np.array([0.3, 0.5, 0.8])), 0, 250)
    for face in np.argsort(corners[:, :, 2].mean(1)):
        shape = np.round(flat[triangles[face]] * 16).astype(np.int32)
        cv2.fillConvexPoly(image, shape, (float(light[face]),) * 3, cv2.LINE_AA, 4)


def _pixel(point: np.ndarray) -> tuple[int, int]:
    return round(float(point[0])), round(float(point[1]))
