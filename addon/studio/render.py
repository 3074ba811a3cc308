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

from ...mocap import files, png
from ...mocap.errors import AnymoveError

MOST_SUBFRAMES = 7
PIXELS_PER_SUBFRAME = 3.5
_TGA_HEADER = 18


def shoot(scene: bpy.types.Scene, camera: bpy.types.Object) -> np.ndarray:
    """(H, W, 4) uint8 of the scene as it stands, top row first, alpha straight (not premultiplied)."""
    scene.camera = camera
    settings = scene.render.image_settings
    handle, name = tempfile.mkstemp(suffix=".tga", dir=_scratch())
    os.close(handle)
    try:
        scene.render.filepath = name
        settings.file_format = "TARGA_RAW"
        settings.color_mode = "RGBA"
        bpy.ops.render.render(scene=scene.name, write_still=True)
        return _read_tga(Path(name).read_bytes())
    finally:
        os.unlink(name)


def _scratch() -> str | None:
    """Memory where the system has it: every picture passes through a file."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _read_tga(data: bytes) -> np.ndarray:
    """Uncompressed 32-bit Targa, as Blender writes it: BGRA, bottom row first."""
    if len(data) < _TGA_HEADER or data[2] != 2 or data[16] != 32:
        raise AnymoveError("Blender rendered no picture; ANYMOVE_DEBUG=1 shows what it said")
    width, height = int.from_bytes(data[12:14], "little"), int.from_bytes(data[14:16], "little")
    start = _TGA_HEADER + data[0]
    rows = np.frombuffer(data, np.uint8, width * height * 4, start).reshape(height, width, 4)
    if not data[17] & 0x20:
        rows = rows[::-1]
    return rows[..., [2, 1, 0, 3]]


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
    files.write_bytes(path, png.encode(pixels))


class Exposure:
    """The mean of several pictures of one panel (width, height), weighted by coverage."""

    def __init__(self, size: tuple[int, int]):
        self.total = np.zeros((size[1], size[0], 4), np.float32)
        self.count = 0

    def add(self, shot: np.ndarray, slices: tuple[slice, slice] = (slice(None), slice(None))) -> None:
        """A picture (h, w, 4) uint8 of the part ``slices`` of the panel; one of a multiple of that part's
        size is brought down to it. What lies outside is empty."""
        part = self.total[slices]
        part += _shrunk(_premultiplied(shot), len(shot) // len(part))
        self.count += 1

    def picture(self) -> np.ndarray:
        """(H, W, 4) uint8, alpha straight."""
        out = np.zeros(self.total.shape, np.uint8)
        seen = self.total[..., 3] > 0
        mean = self.total[seen] / self.count
        mean[:, :3] *= 255 / mean[:, 3:]
        out[seen] = np.clip(np.rint(mean), 0, 255)
        return out


def _premultiplied(shot: np.ndarray) -> np.ndarray:
    alpha = shot[..., 3]
    # Pictures without smoothing have whole and empty pixels only: nothing to multiply.
    if ((alpha == 255) | ~shot.any(-1)).all():
        return shot
    out = shot.astype(np.float32)
    out[..., :3] *= out[..., 3:] / 255
    return out


def _shrunk(shot: np.ndarray, scale: int) -> np.ndarray:
    """(h, w, 4) float: the mean of each ``scale`` x ``scale`` pixels."""
    if scale == 1:
        return shot
    parts = [shot[y::scale, x::scale] for y in range(scale) for x in range(scale)]
    total = parts[0].astype(np.float32)
    for part in parts[1:]:
        total += part
    return total / scale**2


def blurred(shots: Callable[[float], np.ndarray], whens: np.ndarray) -> np.ndarray:
    """Mean of the whole pictures at each moment of the exposure. (H, W, 4) uint8."""
    if len(whens) == 1:
        return shots(float(whens[0]))
    pictures = map(shots, map(float, whens))
    first = next(pictures)
    mean = Exposure(first.shape[1::-1])
    mean.add(first)
    for picture in pictures:
        mean.add(picture)
    return mean.picture()


def exposure(travel_px: float) -> np.ndarray:
    """Moments in [-0.5, 0.5], evenly about 0, close enough that fast limbs smear instead of doubling."""
    count = int(np.clip(np.ceil(travel_px / PIXELS_PER_SUBFRAME), 2, MOST_SUBFRAMES))
    return (np.arange(count) + 0.5) / count - 0.5


def jitter(count: int) -> np.ndarray:
    """(count, 2) offsets within half a pixel whose mean is 0: pictures of one exposure, each moved by its
    own, have smooth edges together, also where nothing moves."""
    # The plastic number's low-discrepancy sequence: even over the pixel for any count.
    steps = np.arange(1, count + 1)[:, None] * np.array([0.7548776662466927, 0.5698402909980532])
    offsets = steps % 1.0
    return offsets - offsets.mean(0)
