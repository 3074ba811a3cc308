# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""From a clean render with alpha to what a frame of video looks like; about a millisecond an image."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from .. import framing
from .backdrops import Backdrops

# Each picture is small: OpenCV's own threads cost more than they bring, and fight with torch's.
cv2.setNumThreads(1)


@dataclass(frozen=True)
class Cutout:
    """The creature cut out of a panel: premultiplied RGBA (h, w, 4) uint8, even sides, and its half.

    ``corner`` (2,) is where the picture's top-left corner lies, in panel pixels.
    """

    rgba: np.ndarray
    half: np.ndarray
    corner: np.ndarray

    @classmethod
    def from_panel(cls, rgba: np.ndarray) -> Cutout:
        """Keep the part of a panel (H, W, 4) with straight alpha that is not empty."""
        rows, columns = np.flatnonzero(rgba[..., 3].any(1)), np.flatnonzero(rgba[..., 3].any(0))
        if len(rows) == 0:
            rows = columns = np.array([0, 1])
        top, left = rows[0], columns[0]
        part = rgba[top : rows[-1] + 1, left : columns[-1] + 1]
        part = np.pad(part, ((0, part.shape[0] % 2), (0, part.shape[1] % 2), (0, 0)))
        alpha = part[..., 3:].astype(np.uint16)
        colour = (part[..., :3] * alpha + 127) // 255
        premultiplied = np.concatenate([colour.astype(np.uint8), part[..., 3:]], -1)
        return cls(premultiplied, framing.halve(premultiplied), np.array([left, top], float))

    def warp(self, view: np.ndarray, out: tuple[int, int]) -> np.ndarray:
        """Premultiplied RGBA of size ``out`` (width, height) seen through the panel's framing ``view``."""
        factor = 2 if framing.halves(view) else 1
        picture = self.half if factor == 2 else self.rgba
        shift = view[:, :2] @ self.corner + view[:, 2]
        matrix = np.concatenate([view[:, :2] * factor, shift[:, None]], 1)
        return framing.warp(picture, matrix, out, cv2.BORDER_CONSTANT)


def jittered(
    box: tuple[np.ndarray, np.ndarray], rng: np.random.Generator, out: int, loose: tuple[float, float]
) -> np.ndarray:
    """A framing near ``box`` (centre, sides): scaled within ``loose``, moved, a little stretched, turned."""
    centre, sides = box
    sides = sides * rng.uniform(*loose) * np.exp(rng.normal(0, 0.03, 2))
    centre = centre + rng.uniform(-0.05, 0.05, 2) * sides
    return framing.place(centre, sides, out, np.radians(rng.normal(0, 3)))


def compose(rgba: np.ndarray, backdrop: np.ndarray) -> np.ndarray:
    """Lay premultiplied RGBA over an RGB picture of the same size."""
    see_through = cv2.cvtColor(255 - rgba[..., 3], cv2.COLOR_GRAY2RGB)
    return cv2.add(cv2.multiply(backdrop, see_through, scale=1 / 255), np.ascontiguousarray(rgba[..., :3]))


def picture(
    cutout: Cutout, view: np.ndarray, out: tuple[int, int], bank: Backdrops, rng: np.random.Generator
) -> np.ndarray:
    """A picture of size ``out`` (width, height), RGB uint8: the cutout through ``view``, on a backdrop,
    as on video."""
    rgba = cutout.warp(view, out)
    if rng.random() < 0.5:
        rgba = np.dstack([cv2.LUT(np.ascontiguousarray(rgba[..., :3]), _tone(rng, 0.5)), rgba[..., 3]])
        # Premultiplied colour may not exceed its alpha.
        rgba[..., :3] = cv2.min(rgba[..., :3], cv2.cvtColor(rgba[..., 3], cv2.COLOR_GRAY2RGB))
    return degrade(compose(rgba, bank.pick(rng, out)), rng)


def degrade(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Colour, exposure, blur, lost resolution, noise and compression, each with some probability."""
    size = image.shape[1], image.shape[0]
    image = cv2.LUT(image, _tone(rng, 1.0))
    if rng.random() < 0.3:
        image = cv2.GaussianBlur(image, (0, 0), rng.uniform(0.4, 1.3))
    if rng.random() < 0.2:
        ratio = rng.uniform(0.45, 0.9)
        small = cv2.resize(image, None, fx=ratio, fy=ratio, interpolation=cv2.INTER_AREA)
        image = cv2.resize(small, size, interpolation=cv2.INTER_LINEAR)
    if rng.random() < 0.5:
        image = _noisy(image, rng)
    if rng.random() < 0.2:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(35, 92))]
        image = cv2.imdecode(cv2.imencode(".jpg", image, quality)[1], cv2.IMREAD_COLOR)
    return image


def _tone(rng: np.random.Generator, strength: float) -> np.ndarray:
    """(1, 256, 3) look-up table: gain, tint, gamma and offset."""
    gain = np.exp(rng.normal(0, 0.12 * strength)) * np.exp(rng.normal(0, 0.06 * strength, 3))
    gamma = np.exp(rng.normal(0, 0.18 * strength))
    ramp = (np.arange(256) / 255)[:, None] ** gamma * gain * 255 + rng.normal(0, 7 * strength)
    return np.clip(ramp, 0, 255).astype(np.uint8)[None]


@lru_cache(maxsize=1)
def _noise_bank() -> np.ndarray:
    return np.clip(np.random.default_rng(3).normal(128, 32, (1024, 1024, 3)), 0, 255).astype(np.uint8)


def _noisy(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    bank = _noise_bank()
    height, width = image.shape[:2]
    top, left = rng.integers(bank.shape[0] - height + 1), rng.integers(bank.shape[1] - width + 1)
    part = bank[top : top + height, left : left + width]
    amount = rng.uniform(0, 0.3)
    return cv2.addWeighted(image, 1.0, part, amount, -128 * amount)
