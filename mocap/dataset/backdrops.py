# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Backdrops for training: procedural pictures, and the user's photographs where a folder is given."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from ..errors import BadInput

SIZE = 320
PHOTO_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".bmp")
_STUDIO_SHARE = 0.25
"""Clips made from a reference sheet keep its plain studio."""
_PLAIN_SHARE = 0.2


class Backdrops:
    """A bank of (SIZE, SIZE, 3) uint8 pictures, drawn once from ``seed``.

    ``folder``: photographs (one level, any common format) that make up half of what is picked.
    """

    def __init__(self, seed: int, count: int = 192, folder: Path | None = None) -> None:
        rng = np.random.default_rng([seed, 0xBAC])
        self.drawn = [procedural(rng) for _ in range(count)]
        self.photos = load_photos(folder) if folder is not None else []

    def pick(self, rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
        """A random part of a random picture, perhaps mirrored, brought to ``size`` (width, height)."""
        bank = self.photos if self.photos and rng.random() < 0.5 else self.drawn
        picture = bank[rng.integers(len(bank))]
        side = int(rng.uniform(0.5, 1.0) * min(picture.shape[:2]))
        top, left = (int(rng.integers(length - side + 1)) for length in picture.shape[:2])
        part = picture[top : top + side, left : left + side]
        part = cv2.resize(part, size, interpolation=cv2.INTER_LINEAR)
        return cv2.flip(part, 1) if rng.random() < 0.5 else part


def load_photos(folder: Path) -> list[np.ndarray]:
    """RGB photographs with their shorter side brought to SIZE."""
    if not folder.is_dir():
        raise BadInput(f"{folder}: no such folder of photographs")
    photos = []
    for path in sorted(p for p in folder.iterdir() if p.suffix.lower() in PHOTO_SUFFIXES):
        picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if picture is None:
            raise BadInput(f"{path}: cannot be read as a picture; take it out of the folder")
        ratio = SIZE / min(picture.shape[:2])
        picture = cv2.resize(picture, None, fx=ratio, fy=ratio, interpolation=cv2.INTER_AREA)
        photos.append(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB))
    if not photos:
        raise BadInput(f"{folder}: holds no photographs ({', '.join(PHOTO_SUFFIXES)})")
    return photos


def procedural(rng: np.random.Generator) -> np.ndarray:
    """One backdrop: a studio, a gradient, or most often a gradient with clouds of noise, strokes and discs."""
    if rng.random() < _STUDIO_SHARE:
        return studio(rng)
    canvas = _gradient(rng)
    if rng.random() < _PLAIN_SHARE:
        return canvas
    texture = canvas.astype(np.float32)
    for cells in (4, 8, 24, 80):
        if rng.random() < 0.6:
            noise = rng.normal(0, rng.uniform(8, 32), (cells, cells, 3)).astype(np.float32)
            if rng.random() < 0.5:
                noise = noise.mean(2, keepdims=True).repeat(3, 2)
            how = (cv2.INTER_LINEAR, cv2.INTER_CUBIC, cv2.INTER_NEAREST)[rng.integers(3)]
            texture += cv2.resize(noise, (SIZE, SIZE), interpolation=how)
    canvas = np.clip(texture, 0, 255).astype(np.uint8)
    for _ in range(int(rng.integers(0, 10))):
        _stroke(canvas, rng)
    if rng.random() < 0.4:
        canvas = cv2.GaussianBlur(canvas, (0, 0), rng.uniform(0.8, 5))
    return canvas


def studio(rng: np.random.Generator) -> np.ndarray:
    """What a reference sheet is rendered on: white to middle grey, barely tinted, often with a floor that is a
    little darker or lighter beyond a soft horizon, and with light falling off to the sides."""
    shade = rng.uniform(225, 256) if rng.random() < 0.4 else rng.uniform(70, 230)
    canvas = np.full((SIZE, SIZE), shade, np.float32)
    rows = np.linspace(0, 1, SIZE, dtype=np.float32)
    if rng.random() < 0.5:
        horizon, softness = rng.uniform(0.4, 0.85), np.exp(rng.uniform(np.log(0.005), np.log(0.2)))
        canvas += (rng.normal(0, 9) * np.tanh((rows - horizon) / softness))[:, None]
    if rng.random() < 0.5:
        middle, reach = rng.uniform(0.3, 0.7, 2), rng.uniform(0.3, 0.9)
        away = np.hypot.outer(rows - middle[0], rows - middle[1]) / reach
        canvas -= rng.uniform(0, 45) * np.minimum(away, 1.5) ** 2
    return np.clip(canvas[..., None] + rng.normal(0, 3, 3), 0, 255).astype(np.uint8)


def _gradient(rng: np.random.Generator) -> np.ndarray:
    """From one colour to another along a random direction; often nearly grey, as studios are."""
    colours = rng.uniform(0, 255, (2, 3))
    if rng.random() < 0.5:
        colours = colours.mean(1, keepdims=True) + rng.normal(0, 12, (2, 3))
    if rng.random() < 0.5:
        colours[1] = colours[0] + rng.normal(0, 15, 3)
    angle = rng.uniform(0, 2 * np.pi)
    grid = np.linspace(-0.5, 0.5, SIZE)
    along = np.clip(np.cos(angle) * grid[None, :] + np.sin(angle) * grid[:, None] + 0.5, 0, 1)[..., None]
    return np.clip(colours[0] * (1 - along) + colours[1] * along, 0, 255).astype(np.uint8)


def _stroke(canvas: np.ndarray, rng: np.random.Generator) -> None:
    colour = tuple(int(value) for value in rng.integers(0, 256, 3))
    start, end = (tuple(int(v) for v in rng.integers(-20, SIZE + 20, 2)) for _ in range(2))
    kind = rng.random()
    if kind < 0.45:
        cv2.line(canvas, start, end, colour, int(rng.integers(1, 14)), cv2.LINE_AA)
    elif kind < 0.75:
        radius = int(rng.integers(3, SIZE // 4))
        cv2.circle(canvas, start, radius, colour, -1 if rng.random() < 0.6 else 2, cv2.LINE_AA)
    else:
        cv2.rectangle(canvas, start, end, colour, -1 if rng.random() < 0.5 else 3)
