# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A stick creature's clip as a reader would have seen it, drawn from a known motion."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from mocap.motion import Motion
from mocap.refine.drawing import Artist
from mocap.refine.evidence import Evidence, Seen, writer
from mocap.rig_info import RigInfo
from mocap.skin import Skin
from mocap.solve.cameras import Cameras
from mocap.solve.observations import pivot

SIDE, CELLS = 128, 48
"""Pixels of the pictures' squares, cells of the masks."""
_BACKDROP = (120, 125, 118)
_UNSURE = 0.1
"""Share of the masks' probability that lies anywhere."""


def cameras(info: RigInfo, frames: int) -> Cameras:
    return Cameras.nominal(info.layout, pivot(info.skeleton), frames)


def framings(info: RigInfo, frames: int) -> np.ndarray:
    """(T, V, 2, 3): the whole panel fills the square."""
    scales = [SIDE / max(view.size) for view in info.layout.views]
    each = np.stack([np.array([[s, 0, 0], [0, s, 0]], float) for s in scales])
    return np.tile(each, (frames, 1, 1, 1))


def inflated(skin: Skin, metres: float) -> Skin:
    """The skin with every vertex moved outwards along its normal."""
    corners = skin.points[skin.triangles]
    face = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.zeros_like(skin.points)
    for corner in range(3):
        np.add.at(normals, skin.triangles[:, corner], face)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    return replace(skin, points=skin.points + metres * normals)


def film(
    path: Path, info: RigInfo, motion: Motion, skin: Skin, painted: bool = True, seed: int = 0
) -> Evidence:
    """What was seen of ``motion`` in ``skin``. Not ``painted``: every limb is of one grey, lit from the front."""
    artist = Artist(info.skeleton, skin)
    posed, views = motion.pose(info.skeleton), cameras(info, motion.frames)
    squares = framings(info, motion.frames)
    rng = np.random.default_rng(seed)
    limbs = artist.limbs.backdrop
    shape = (motion.frames, len(info.layout.views))
    pictures = np.zeros((*shape, SIDE, SIDE, 3), np.uint8)
    masks = np.zeros((*shape, CELLS, CELLS, limbs + 1), np.uint8)
    inks = np.array([*_inks(info, artist, painted), _BACKDROP], float)
    for frame, view in np.ndindex(shape):
        drawing = artist.draw(artist.points(posed, frame), views, frame, view, squares[frame, view], SIDE)
        light = 1 + 0.2 * np.sin(np.arange(SIDE) / 17)[:, None, None]
        noisy = inks[drawing.shown] * light + rng.normal(0, 6, (SIDE, SIDE, 3))
        pictures[frame, view] = np.clip(noisy, 0, 255)
        shares = [(drawing.shown == limb).astype(np.float32) for limb in range(limbs + 1)]
        coarse = [cv2.resize(share, (CELLS, CELLS), interpolation=cv2.INTER_AREA) for share in shares]
        masks[frame, view] = np.rint(255 * ((1 - _UNSURE) * np.stack(coarse, -1) + _UNSURE / (limbs + 1)))
    with writer(path, info.digest, artist.limbs.members, {}) as out:
        out.add(Seen(squares, pictures, masks))
    return Evidence(path, info.digest)


def _inks(info: RigInfo, artist: Artist, painted: bool) -> list[np.ndarray]:
    if not painted:
        return [np.array([150.0, 150.0, 150.0])] * artist.limbs.backdrop
    colours = [limb.colour for limb in info.skeleton.limbs]
    return [
        255 * np.array(colours[member] if member >= 0 else (0.5, 0.5, 0.5)) for member in artist.limbs.members
    ]
