# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The exam's clip: rendered panels side by side on a backdrop, as an H.264 video."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from .. import video
from ..errors import BadInput
from ..layout import VIEW_NAMES
from ..motion import JointTrack

BACKDROPS = ("plain", "procedural")
_GREY = 128
_CRF = 16
"""H.264's constant rate factor: visually near lossless, so that the exam is about reading."""


def film(folder: Path, out: Path, fps: float, backdrop: str, seed: int) -> int:
    """Write ``out`` from the pictures in ``folder`` (<view>/00000.png …); returns the number of frames."""
    frames = len(JointTrack.load(folder / "joints.json").positions)
    panels = {name: pictures(folder / name, frames) for name in VIEW_NAMES if (folder / name).is_dir()}
    if not panels:
        raise BadInput(
            f"{folder}: no pictures (folders {' and '.join(VIEW_NAMES)}); run apply_motion with --views"
        )
    sizes = [read_picture(paths[0]).shape[:2] for paths in panels.values()]
    backgrounds = [background(backdrop, size, seed + slot) for slot, size in enumerate(sizes)]
    sheets = _sheets(list(panels.values()), backgrounds)
    with video.writer(out, fps, _CRF) as clip:
        for sheet in sheets:
            clip.write(sheet)
    return frames


def pictures(folder: Path, frames: int) -> list[Path]:
    """The view's pictures in order; BadInput where one of ``frames`` is missing or left over."""
    found = sorted(p for p in folder.iterdir() if re.fullmatch(r"\d{5}\.png", p.name))
    expected = [f"{index:05d}.png" for index in range(frames)]
    if [p.name for p in found] != expected:
        missing = sorted(set(expected) - {p.name for p in found})
        fault = f"{missing[0]} is missing" if missing else f"{len(found)} pictures for {frames} frames"
        raise BadInput(f"{folder}: {fault}; render the motion again")
    return found


def read_picture(path: Path) -> np.ndarray:
    """(H, W, 4) uint8 RGBA."""
    picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if picture is None or picture.ndim != 3 or picture.shape[2] != 4 or picture.dtype != np.uint8:
        raise BadInput(f"{path}: not an 8-bit RGBA picture")
    return cv2.cvtColor(picture, cv2.COLOR_BGRA2RGBA)


def background(kind: str, size: tuple[int, int], seed: int) -> np.ndarray:
    """(H, W, 3) uint8: plain grey, or a quiet scene of soft colour patches over a gradient."""
    height, width = size
    if kind == "plain":
        return np.full((height, width, 3), _GREY, np.uint8)
    rng = np.random.default_rng([seed, 0x626B])
    brightness, tint = rng.uniform(70, 190, (2, 1, 1, 1)), rng.normal(0, 12, (2, 1, 1, 3))
    top, bottom = brightness + tint
    scene = top + (bottom - top) * np.linspace(0, 1, height)[:, None, None]
    for cells, strength in ((4, 22.0), (16, 10.0), (64, 5.0)):
        patches = rng.normal(0, strength, (cells, cells, 1)) + rng.normal(0, strength / 4, (cells, cells, 3))
        scene = scene + cv2.resize(patches.astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC)
    return np.clip(scene, 0, 255).astype(np.uint8)


def _sheets(panels: list[list[Path]], backgrounds: list[np.ndarray]) -> Iterator[np.ndarray]:
    for paths in zip(*panels):
        composed = [_over(read_picture(p), behind, p) for p, behind in zip(paths, backgrounds)]
        heights = {panel.shape[0] for panel in composed}
        if len(heights) > 1:
            raise BadInput(f"{paths[0]}: the views' pictures differ in height ({sorted(heights)})")
        yield np.concatenate(composed, 1)


def _over(picture: np.ndarray, behind: np.ndarray, path: Path) -> np.ndarray:
    if picture.shape[:2] != behind.shape[:2]:
        raise BadInput(f"{path}: its size differs from the first picture's")
    alpha = picture[..., 3:].astype(np.float32) / 255
    return (picture[..., :3] * alpha + behind * (1 - alpha) + 0.5).astype(np.uint8)
