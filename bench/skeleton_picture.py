# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A picture of what was understood of a rig: limbs and joints drawn over the mesh, from three sides."""

from __future__ import annotations

import cv2
import numpy as np

from mocap.skeleton import Skeleton

# Orthographic: world axis to the right, world axis up, axis towards the eye (with sign).
SIDES = {"front": (0, 2, (1, -1)), "side": (1, 2, (0, 1)), "top": (0, 1, (2, 1))}
INK = (40, 40, 40)


def draw(skeleton: Skeleton, points: np.ndarray, triangles: np.ndarray, size: int = 300) -> np.ndarray:
    """(size, 3 * size, 3) BGR. points (V, 3) at rest in world metres, triangles (F, 3) indices."""
    panels = [_panel(skeleton, points, triangles, side, size) for side in SIDES]
    return np.concatenate(panels, 1)


def titled(picture: np.ndarray, text: str) -> np.ndarray:
    band = np.full((24, picture.shape[1], 3), 255, np.uint8)
    cv2.putText(band, text, (6, 17), cv2.FONT_HERSHEY_SIMPLEX, 0.42, INK, 1, cv2.LINE_AA)
    return np.concatenate([band, picture])


def sheet(pictures: list[np.ndarray], columns: int = 2) -> np.ndarray:
    """All pictures in a grid; the last row is filled with white."""
    blank = np.full_like(pictures[0], 255)
    padded = pictures + [blank] * (-len(pictures) % columns)
    rows = [np.concatenate(padded[i : i + columns], 1) for i in range(0, len(padded), columns)]
    return np.concatenate(rows)


def _panel(skeleton, points, triangles, side: str, size: int) -> np.ndarray:
    right, up, (depth, sign) = SIDES[side]
    flat = points[:, [right, up]]
    low, high = flat.min(0), flat.max(0)
    scale = 0.88 * size / max(high - low)
    middle = (low + high) / 2

    def pixels(world: np.ndarray) -> np.ndarray:
        moved = (np.asarray(world)[..., [right, up]] - middle) * scale
        return np.stack([size / 2 + moved[..., 0], size / 2 - moved[..., 1]], -1)

    canvas = _shaded(pixels(points), points, triangles, depth, sign, size)
    _bones(canvas, skeleton, pixels)
    cv2.putText(canvas, side, (6, size - 8), cv2.FONT_HERSHEY_SIMPLEX, 0.4, INK, 1, cv2.LINE_AA)
    return canvas


def _shaded(pixels, points, triangles, depth: int, sign: int, size: int) -> np.ndarray:
    """The mesh, far faces first (painter's algorithm), in greys by how they face the eye."""
    canvas = np.full((size, size, 3), 255, np.uint8)
    corners = points[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    facing = np.abs(normals[:, depth]) / np.maximum(np.linalg.norm(normals, axis=1), 1e-12)
    greys = (165 + 70 * facing).astype(int)
    drawn = np.round(pixels[triangles] * 8).astype(np.int32)
    for face in np.argsort(sign * corners[:, :, depth].mean(1)):
        cv2.fillConvexPoly(canvas, drawn[face], [int(greys[face])] * 3, cv2.LINE_AA, 3)
    return canvas


def _bones(canvas: np.ndarray, skeleton: Skeleton, pixels) -> None:
    """A line from each bone's head to its tail in its limb's colour, a dot on each joint, a
    speck on each marker."""
    for index, bone in enumerate(skeleton.bones):
        limb = skeleton.bone_limb[index]
        colour = [int(255 * c) for c in reversed(skeleton.limbs[limb].colour)] if limb >= 0 else INK
        ends = np.round(pixels([bone.head, bone.tail])).astype(int)
        cv2.line(canvas, ends[0], ends[1], INK, 4, cv2.LINE_AA)
        cv2.line(canvas, ends[0], ends[1], colour, 2, cv2.LINE_AA)
    for joint in skeleton.joints:
        centre = np.round(pixels(joint.point)).astype(int)
        if joint.kind == "marker":
            cv2.circle(canvas, centre, 1, (90, 90, 90), -1, cv2.LINE_AA)
            continue
        cv2.circle(canvas, centre, 3, INK, -1, cv2.LINE_AA)
        cv2.circle(canvas, centre, 2, (255, 255, 255) if joint.kind == "head" else (60, 60, 255), -1)
    for limb in skeleton.limbs:
        if limb.side != "R":
            bones = [skeleton.bones[b] for b in limb.bones]
            middle = np.mean([pixels(b.tail) for b in bones[len(bones) // 2 :]], axis=0)
            place = (int(middle[0]) + 6, int(middle[1]) - 4)
            cv2.putText(canvas, limb.name, place, cv2.FONT_HERSHEY_SIMPLEX, 0.34, (160, 0, 0), 1, cv2.LINE_AA)
