# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One view of the stage to pixels, sharp or blurred over an exposure."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np

from ...mocap import files

MOST_SUBFRAMES = 7
PIXELS_PER_SUBFRAME = 3.5


def shoot(scene: bpy.types.Scene, camera: bpy.types.Object) -> np.ndarray:
    """(H, W, 4) uint8 of the scene as it stands, top row first, alpha straight (not premultiplied)."""
    scene.camera = camera
    handle, name = tempfile.mkstemp(suffix=".png", dir=_scratch())
    os.close(handle)
    try:
        scene.render.filepath = name
        bpy.ops.render.render(scene=scene.name, write_still=True)
        return read_png(name)
    finally:
        os.unlink(name)


def _scratch() -> str | None:
    """Memory where the system has it: every picture passes through a file."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def read_png(path: str | os.PathLike) -> np.ndarray:
    """(H, W, 4) uint8, top row first. Blender keeps byte images as they are stored."""
    image = bpy.data.images.load(str(path))
    try:
        width, height = image.size
        flat = np.empty(width * height * 4, np.float32)
        image.pixels.foreach_get(flat)
    finally:
        bpy.data.images.remove(image)
    return np.rint(flat.reshape(height, width, 4)[::-1] * 255).astype(np.uint8)


def write_png(path: Path, pixels: np.ndarray) -> None:
    """Write (H, W, 4) uint8, atomically and byte for byte reproducibly."""
    height, width = pixels.shape[:2]
    image = bpy.data.images.new(path.stem, width, height, alpha=True)
    try:
        image.alpha_mode = "CHANNEL_PACKED"
        image.pixels.foreach_set((pixels[::-1].astype(np.float32) / 255).ravel())
        image.file_format = "PNG"
        with files.atomic_path(path) as temporary:
            image.filepath_raw = str(temporary)
            try:
                image.save()
            except RuntimeError as error:
                raise OSError(None, str(error).strip()) from error
    finally:
        bpy.data.images.remove(image)


def blurred(shots: Callable[[float], np.ndarray], whens: np.ndarray) -> np.ndarray:
    """Mean of the pictures at each moment of the exposure, weighted by coverage. (H, W, 4) uint8."""
    if len(whens) == 1:
        return shots(float(whens[0]))
    total = None
    for when in whens:
        shot = shots(float(when)).astype(np.float32)
        shot[..., :3] *= shot[..., 3:] / 255
        total = shot if total is None else total + shot
    mean = total / len(whens)
    alpha = mean[..., 3:]
    mean[..., :3] = np.where(alpha > 0, mean[..., :3] * 255 / np.maximum(alpha, 1e-6), 0)
    return np.clip(np.rint(mean), 0, 255).astype(np.uint8)


def exposure(travel_px: float) -> np.ndarray:
    """Moments in [-0.5, 0.5], evenly about 0, close enough that fast limbs smear instead of doubling."""
    count = int(np.clip(np.ceil(travel_px / PIXELS_PER_SUBFRAME), 2, MOST_SUBFRAMES))
    return (np.arange(count) + 0.5) / count - 0.5
