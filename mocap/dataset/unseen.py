# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Looks that training never shows, for measuring what a reader does with what it has not seen.

Nothing that training imports may import this module: what is seen in training is no test.
"""

from __future__ import annotations

import cv2
import numpy as np

from . import codec, unseen_backdrops
from .augment import Cutout, compose
from .backdrops import Backdrops

CHANCES = {
    "own_backdrop": 0.7,
    "decoyed": 0.6,
    "shaded": 0.5,
    "coloured": 0.6,
    "overgrown": 0.7,
    "hazed": 0.4,
    "defocused": 0.35,
    "bloomed": 0.4,
    "vignetted": 0.5,
    "fringed": 0.5,
    "combed": 0.3,
    "grained": 0.6,
    "posterised": 0.25,
}
"""How often each happens; the film by MPEG-4 always does."""
MOST_COVERED = 0.08
"""Share of the creature that blades in front of it may hide."""
_APART_PX = 1.0
"""Colours and fields are moved by at most this much, to both sides alike."""
_QP_TO_LAMBDA = 118
"""FFmpeg's scale of global_quality."""


def picture(
    cutout: Cutout, view: np.ndarray, out: tuple[int, int], bank: Backdrops, rng: np.random.Generator
) -> np.ndarray:
    """Like ``augment.picture``, of the same geometry, with none of its degradations."""
    rgba = cutout.warp(view, out)
    backdrop = unseen_backdrops.draw(rng, out) if _happens("own_backdrop", rng) else bank.pick(rng, out)
    if _happens("decoyed", rng):
        backdrop = decoyed(backdrop, rgba, rng)
    image = compose(rgba, backdrop)
    for change in (shaded, coloured):
        if _happens(change.__name__, rng):
            image = change(image, rng)
    if _happens("overgrown", rng):
        image = overgrown(image, cv2.extractChannel(rgba, 3), rng)
    for change in (hazed, defocused, bloomed, vignetted, fringed, combed, grained, posterised):
        if _happens(change.__name__, rng):
            image = change(image, rng)
    return filmed(image, rng)


def _happens(name: str, rng: np.random.Generator) -> bool:
    return bool(rng.random() < CHANCES[name])


def decoyed(backdrop: np.ndarray, rgba: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Bent sticks behind the creature, as thick as limbs and in colours of its own."""
    rows, columns = np.nonzero(rgba[..., 3] > 250)
    if len(rows) == 0:
        return backdrop
    out, side = backdrop.copy(), backdrop.shape[0]
    extent = max(np.ptp(rows), np.ptp(columns), 10)
    for _ in range(int(rng.integers(2, 6))):
        at = rng.integers(len(rows))
        ink = [int(value) for value in rgba[rows[at], columns[at], :3]]
        start = np.array([columns[at], rows[at]]) + rng.normal(0, 0.35, 2) * extent
        bends = start + np.cumsum(rng.normal(0, 0.16, (3, 2)) * extent, 0)
        thick = max(2, round(rng.uniform(0.03, 0.07) * extent))
        cv2.polylines(out, [np.round(bends).astype(np.int32)], False, ink, min(thick, side // 8), cv2.LINE_AA)
    return out


def shaded(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The hard shadow of something else, a window's bars or leaves, across all that is there."""
    height, width = image.shape[:2]
    shade = np.zeros((height, width), np.uint8)
    if rng.random() < 0.5:
        angle, step = rng.uniform(0, np.pi), rng.uniform(0.12, 0.3) * width
        along = np.arange(width)[None] * np.cos(angle) + np.arange(height)[:, None] * np.sin(angle)
        shade[(along / step) % 1 < rng.uniform(0.25, 0.5)] = 255
    else:
        for _ in range(int(rng.integers(5, 14))):
            middle = tuple(int(value) for value in rng.uniform(0, (width, height)))
            sides = tuple(int(value) for value in rng.uniform(0.03, 0.16, 2) * width)
            cv2.ellipse(shade, middle, sides, rng.uniform(0, 180), 0, 360, 255, -1)
    light = 255 - cv2.convertScaleAbs(shade, alpha=rng.uniform(0.25, 0.45))
    return cv2.multiply(image, cv2.cvtColor(light, cv2.COLOR_GRAY2RGB), scale=1 / 255)


def coloured(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Lit by two lamps of different colours from opposite sides."""
    height, width = image.shape[:2]
    lamps, angle = rng.uniform(0.75, 1.25, (2, 3)), rng.uniform(0, 2 * np.pi)
    across, down = np.linspace(-0.7, 0.7, width), np.linspace(-0.7, 0.7, height)
    along = np.clip(np.cos(angle) * across[None] + np.sin(angle) * down[:, None] + 0.5, 0, 1)[..., None]
    return np.clip(image * (lamps[0] * (1 - along) + lamps[1] * along), 0, 255).astype(np.uint8)


def overgrown(image: np.ndarray, alpha: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Blades of grass or bars in front, as many as leave MOST_COVERED of the creature uncovered at least."""
    height, width = image.shape[:2]
    creature = alpha > 127
    hidden, out = np.zeros((height, width), np.uint8), image.copy()
    upright = rng.random() < 0.4
    ink = rng.uniform((20, 50, 10), (140, 170, 70)) if not upright else np.full(3, rng.uniform(20, 200))
    for _ in range(60):
        blade = _blade(rng, width, height, upright)
        trial = cv2.fillConvexPoly(hidden.copy(), blade, 255, cv2.LINE_AA)
        if (creature & (trial > 0)).sum() > MOST_COVERED * max(creature.sum(), 1):
            break
        hidden = trial
        shade = ink * rng.uniform(0.6, 1.3)
        cv2.fillConvexPoly(out, blade, [float(min(value, 255)) for value in shade], cv2.LINE_AA)
    return out


def _blade(rng: np.random.Generator, width: int, height: int, upright: bool) -> np.ndarray:
    """Corners (n, 2) int32 of a bar from top to bottom, or of a blade that tapers off as it rises."""
    foot, half = rng.uniform(0, width), rng.uniform(0.002, 0.008) * width
    if upright:
        lean = rng.normal(0, 0.02) * width
        corners = [
            (foot - half, height),
            (foot + half, height),
            (foot + half + lean, 0),
            (foot - half + lean, 0),
        ]
    else:
        tip = (foot + rng.normal(0, 0.1) * width, height * rng.uniform(0.45, 0.9))
        corners = [(foot - half, height), (foot + half, height), tip]
    return np.round(corners).astype(np.int32)


def hazed(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Haze that takes up to two fifths of the contrast and lies thicker at the top or at the bottom."""
    thick = np.linspace(*rng.uniform(0.15, 0.42, 2), image.shape[0])[:, None, None]
    return (image * (1 - thick) + rng.uniform(120, 235, 3) * thick).astype(np.uint8)


def defocused(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Out of focus: every point a disc."""
    radius = rng.uniform(0.004, 0.009) * image.shape[0]
    reach = int(np.ceil(radius))
    grid = np.arange(-reach, reach + 1)
    disc = np.clip(radius + 0.5 - np.hypot.outer(grid, grid), 0, 1)
    return cv2.filter2D(image, -1, disc / disc.sum(), borderType=cv2.BORDER_REPLICATE)


def bloomed(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Bright parts that shine over their edges, a little redder, as on film."""
    bright = cv2.subtract(image, (int(rng.uniform(110, 180)),) * 3)
    glow = cv2.GaussianBlur(bright, (0, 0), rng.uniform(0.01, 0.04) * image.shape[0])
    strength = rng.uniform(0.6, 1.6)
    return cv2.add(image, np.clip(glow * (np.array([1.15, 0.95, 0.85]) * strength), 0, 255).astype(np.uint8))


def vignetted(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Darker towards the corners."""
    down, across = (np.linspace(-1, 1, length) ** 2 for length in image.shape[:2])
    fall = 1 - rng.uniform(0.15, 0.35) * np.add.outer(down, across) / 1.2
    return (image * np.clip(fall, 0, 1)[..., None]).astype(np.uint8)


def fringed(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Chromatic aberration: red a little larger than green, blue as much smaller."""
    height, width = image.shape[:2]
    most = _APART_PX / (0.5 * np.hypot(height, width))
    channels = list(cv2.split(image))
    sign = 1 if rng.random() < 0.5 else -1
    for channel, way in ((0, sign), (2, -sign)):
        scale = 1 + way * most * rng.uniform(0.6, 1.0)
        matrix = np.array([[scale, 0, (1 - scale) * width / 2], [0, scale, (1 - scale) * height / 2]])
        channels[channel] = cv2.warpAffine(
            channels[channel], matrix, (width, height), borderMode=cv2.BORDER_REPLICATE
        )
    return cv2.merge(channels)


def combed(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Interlaced: odd and even rows from moments apart, moved to either side of the middle."""
    out = image.copy()
    shift = rng.uniform(0.5, 1.0) * _APART_PX
    for first, way in ((0, shift), (1, -shift)):
        matrix = np.array([[1, 0, way], [0, 1, 0]])
        size = image.shape[1::-1]
        out[first::2] = cv2.warpAffine(image, matrix, size, borderMode=cv2.BORDER_REPLICATE)[first::2]
    return out


def grained(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Film grain: noise that hangs together over a few pixels, strongest in the middle tones."""
    size = rng.uniform(0.7, 1.6)
    noise = cv2.GaussianBlur(rng.normal(0, 1, image.shape).astype(np.float32), (0, 0), size)
    noise += 0.7 * cv2.cvtColor(noise, cv2.COLOR_RGB2GRAY)[..., None]
    weight = 0.35 + 2.6 * (image / 255) * (1 - image / 255)
    return np.clip(image + noise / noise.std() * rng.uniform(6, 12) * weight, 0, 255).astype(np.uint8)


def posterised(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Few levels a channel, as after a bad conversion."""
    step = 255 / int(rng.integers(5, 9))
    return cv2.LUT(image, np.round(np.round(np.arange(256) / step) * step).astype(np.uint8))


def filmed(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The last frame of a short pan encoded as MPEG-4 at a low rate: a key frame, then predicted ones."""
    pan = rng.normal(0, 0.008, 2) * image.shape[1]
    size = image.shape[1::-1]
    frames = [
        cv2.warpAffine(
            image,
            np.array([[1, 0, x], [0, 1, y]]),
            size,
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
        for x, y in (pan * before for before in (3, 2, 1))
    ]
    quality = str(int(rng.integers(14, 31)) * _QP_TO_LAMBDA)
    options = {"flags": "+qscale", "global_quality": quality, "g": "100", "bf": "0"}
    return codec.recoded([*frames, image], "mpeg4", options)[-1]
