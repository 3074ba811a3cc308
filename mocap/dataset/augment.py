# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""From a clean render with alpha to what a frame of video looks like; about a millisecond an image."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from .. import framing
from . import camera, covers, moving, shadows, tones
from .backdrops import Backdrops

# Each picture is small: OpenCV's own threads cost more than they bring, and fight with torch's.
cv2.setNumThreads(1)

SCALES = (0.5, 1.2)
"""Size of the creature in a whole panel, in units of its size on the sheet."""
CHANCES = {
    "repainted": 0.4,
    "smear": 0.08,
    "ghost": 0.08,
    "shadow": 0.35,
    "covered": 0.08,
    "saturated": 0.3,
    "barred": 0.03,
    "blurred": 0.3,
    "coarsened": 0.25,
    "rolled": 0.06,
    "noisy": 0.5,
    "as_h264": 0.06,
    "as_jpeg": 0.2,
}
"""How often each degradation happens. A ghost is drawn where there is no smear, JPEG where there is no H.264."""


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


def scaled(size: tuple[int, int], rng: np.random.Generator, out: int) -> np.ndarray:
    """A framing of a whole panel of ``size`` in which the creature is 0.5 to 1.2 times its usual size, most
    often near 1, for clips that show it smaller or larger than the sheet does."""
    scale = rng.uniform(*SCALES) if rng.random() < 0.5 else rng.uniform(0.88, 1.15)
    centre, sides = framing.whole_box(size)
    # A small creature may stand farther from the middle.
    centre = centre + rng.uniform(-1, 1, 2) * np.maximum(0.0, 1 / scale - 1) * 0.35 * sides
    return jittered((centre, sides / scale), rng, out, (1.0, 1.0))


def cropped(box: tuple[np.ndarray, np.ndarray], rng: np.random.Generator, out: int) -> np.ndarray:
    """A framing near ``box`` that leaves a part of it outside the picture: up to 35% on one side."""
    centre, sides = box
    aside = np.zeros(2)
    aside[rng.integers(2)] = rng.uniform(0.15, 0.35) * (1 if rng.random() < 0.5 else -1)
    return jittered((centre + aside * sides, sides), rng, out, (0.85, 1.1))


def compose(rgba: np.ndarray, backdrop: np.ndarray) -> np.ndarray:
    """Lay premultiplied RGBA over an RGB picture of the same size."""
    see_through = cv2.cvtColor(cv2.bitwise_not(cv2.extractChannel(rgba, 3)), cv2.COLOR_GRAY2RGB)
    return cv2.add(cv2.multiply(backdrop, see_through, scale=1 / 255), cv2.cvtColor(rgba, cv2.COLOR_RGBA2RGB))


def picture(
    cutout: Cutout, view: np.ndarray, out: tuple[int, int], bank: Backdrops, rng: np.random.Generator
) -> np.ndarray:
    """A picture of size ``out`` (width, height), RGB uint8: the cutout through ``view``, on a backdrop,
    as on video. Where a joint lies is where ``view`` puts it: no degradation moves it."""
    rgba = cutout.warp(view, out)
    if _happens("repainted", rng):
        rgba = tones.repainted(rgba, rng)
    if _happens("smear", rng):
        rgba = moving.smear(rgba, rng)
    elif _happens("ghost", rng):
        rgba = moving.ghost(rgba, rng)
    backdrop = bank.pick(rng, out)
    if _happens("shadow", rng):
        backdrop = shadows.cast(cv2.extractChannel(rgba, 3), backdrop, rng)
    image = compose(rgba, backdrop)
    if _happens("covered", rng):
        image = covers.covered(image, cv2.extractChannel(rgba, 3), bank.pick(rng, out), rng)
    return degrade(image, rng, float(framing.scale(view)))


def degrade(image: np.ndarray, rng: np.random.Generator, scale: float = 1.0) -> np.ndarray:
    """Light and colour, then what lies between a scene and its clip, each by its chance in CHANCES.
    ``scale``: picture pixels a panel pixel."""
    image = tones.exposed(image, rng)
    if _happens("saturated", rng):
        image = tones.saturated(image, rng.uniform(0.55, 1.3))
    if _happens("barred", rng):
        image = camera.barred(image, rng)
    if _happens("blurred", rng):
        image = camera.blurred(image, rng)
    if _happens("coarsened", rng):
        image = camera.coarsened(image, rng, scale)
    if _happens("rolled", rng):
        image = camera.rolled(image, rng)
    if _happens("noisy", rng):
        image = camera.noisy(image, rng)
    if _happens("as_h264", rng):
        return camera.as_h264(image, rng)
    return camera.as_jpeg(image, rng) if _happens("as_jpeg", rng) else image


def _happens(name: str, rng: np.random.Generator) -> bool:
    return bool(rng.random() < CHANCES[name])
