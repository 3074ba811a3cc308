# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Drawing for people: joints on panels, contact sheets, pictures on disk. RGB uint8 throughout."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from . import files
from .rig_info import RigInfo


def joint_colours(rig: RigInfo) -> np.ndarray:
    """(J, 3) uint8: each joint in its limb's colour, grey where it belongs to none."""
    limbs = rig.skeleton.bone_limb[rig.skeleton.joint_bones]
    colours = [rig.skeleton.limbs[limb].colour if limb >= 0 else (0.6, 0.6, 0.6) for limb in limbs]
    return np.clip(np.array(colours) * 255, 0, 255).astype(np.uint8)


def joint_radii(is_marker: np.ndarray) -> np.ndarray:
    """(J,) px: markers are drawn small."""
    return np.where(is_marker, 1, 3)


def draw_joints(
    image: np.ndarray,
    points: np.ndarray,
    colours: np.ndarray,
    filled: np.ndarray,
    radii: np.ndarray | int = 3,
) -> None:
    """Dots on an RGB picture in place: filled, or hollow where ``filled`` is False. points (J, 2) px; one
    radius for all, or one each."""
    for point, colour, solid, radius in zip(points, colours, filled, np.broadcast_to(radii, len(points))):
        radius = int(radius)
        place = tuple(round(value - 0.5) for value in point)
        ink = tuple(int(value) for value in colour)
        cv2.circle(image, place, radius + 1, (0, 0, 0), -1 if solid else 1, cv2.LINE_AA)
        cv2.circle(image, place, radius, ink, -1 if solid else 1, cv2.LINE_AA)


def grid(tiles: list[np.ndarray], columns: int) -> np.ndarray:
    """Lay RGB tiles in rows of ``columns``; smaller ones are padded with grey."""
    height, width = max(t.shape[0] for t in tiles), max(t.shape[1] for t in tiles)
    cells = [
        cv2.copyMakeBorder(
            t, 0, height - t.shape[0], 0, width - t.shape[1], cv2.BORDER_CONSTANT, value=(60, 60, 60)
        )
        for t in tiles
    ]
    blank = np.full((height, width, 3), 60, np.uint8)
    cells += [blank] * (-len(cells) % columns)
    return np.vstack([np.hstack(cells[at : at + columns]) for at in range(0, len(cells), columns)])


def save_picture(path: Path, image: np.ndarray) -> None:
    """Write an RGB picture in the format of the path's suffix."""
    ok, data = cv2.imencode(path.suffix, cv2.cvtColor(image, cv2.COLOR_RGB2BGR))
    if not ok:
        raise ValueError(f"{path}: this format cannot be written")
    files.write_bytes(path, data.tobytes())


def side_by_side(panels: list[np.ndarray]) -> np.ndarray:
    """Panels (H, W, 3) in one picture, lower ones padded with black below."""
    height = max(panel.shape[0] for panel in panels)
    return np.hstack([np.pad(p, ((0, height - p.shape[0]), (0, 0), (0, 0))) for p in panels])
