# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Backdrops of families that training never shows: cells, chequered floors, wavy stripes, fractal scenery."""

from __future__ import annotations

import cv2
import numpy as np
from scipy.spatial import cKDTree

_COARSE = 2
"""Cells are found at half size."""


def draw(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    """One of the families, (h, w, 3) uint8 RGB of ``size`` (width, height)."""
    family = (cells, chequers, stripes, scenery)[rng.integers(4)]
    return family(rng, size)


def cells(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    """A Voronoi mosaic, each cell of its own colour, with dark joints between them."""
    width, height = size[0] // _COARSE, size[1] // _COARSE
    seeds = rng.uniform(0, (width, height), (int(rng.integers(15, 90)), 2))
    columns, rows = np.meshgrid(np.arange(width), np.arange(height))
    distance, nearest = cKDTree(seeds).query(np.stack([columns, rows], -1).reshape(-1, 2), k=2)
    colours = _palette(rng, len(seeds))[nearest[:, 0]]
    joint = np.clip((distance[:, 1] - distance[:, 0]) / rng.uniform(1, 3), 0.45, 1)
    picture = (colours * joint[:, None]).reshape(height, width, 3).astype(np.uint8)
    return cv2.resize(picture, size, interpolation=cv2.INTER_LINEAR)


def chequers(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    """A chequered floor that runs away to a horizon, under a plain wall."""
    squares, side = int(rng.integers(8, 24)), 16
    board = np.indices((squares, squares)).sum(0) % 2
    floor = _palette(rng, 2)[board].repeat(side, 0).repeat(side, 1).astype(np.uint8)
    out = np.full((size[1], size[0], 3), _palette(rng, 1)[0], np.uint8)
    horizon, edge = rng.uniform(0.2, 0.6) * size[1], squares * side
    across = np.array([rng.uniform(0.1, 0.4), rng.uniform(0.6, 0.9), 2.2, -1.2]) * size[0]
    corners = np.array(
        [[across[0], horizon], [across[1], horizon], [across[2], size[1]], [across[3], size[1]]], np.float32
    )
    board_corners = np.array([[0, 0], [edge, 0], [edge, edge], [0, edge]], np.float32)
    warp = cv2.getPerspectiveTransform(board_corners, corners)
    return cv2.warpPerspective(floor, warp, size, dst=out, borderMode=cv2.BORDER_TRANSPARENT)


def stripes(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    """Bent stripes of two to four colours, soft or sharp."""
    columns, rows = np.meshgrid(np.linspace(0, 1, size[0]), np.linspace(0, 1, size[1]))
    angle, bend = rng.uniform(0, np.pi), rng.uniform(0, 0.12)
    along = columns * np.cos(angle) + rows * np.sin(angle)
    aside = rows * np.cos(angle) - columns * np.sin(angle)
    phase = (along + bend * np.sin(aside * rng.uniform(4, 14))) * rng.uniform(5, 22)
    colours = _palette(rng, int(rng.integers(2, 5)))
    first = np.floor(phase).astype(int)
    mix = np.clip((phase - first - 0.5) * rng.uniform(1.5, 12) + 0.5, 0, 1)[..., None]
    return (colours[first % len(colours)] * (1 - mix) + colours[(first + 1) % len(colours)] * mix).astype(
        np.uint8
    )


def scenery(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    """Clouds over hills: noise whose amplitude falls as a power of its frequency, in two ramps of colours."""
    sky, land, ridge = (_fractal(rng, size, power) for power in rng.uniform((1.6, 0.9, 1.8), (2.2, 1.4, 2.3)))
    line = size[1] * (rng.uniform(0.3, 0.7) + 0.12 * ridge[size[1] // 2])
    above = (np.arange(size[1])[:, None] < line[None])[..., None]
    return np.where(above, _ramp(sky, _palette(rng, 3)), _ramp(land, _palette(rng, 3))).astype(np.uint8)


def _fractal(rng: np.random.Generator, size: tuple[int, int], power: float) -> np.ndarray:
    """(h, w) noise of mean 0 and deviation 1 with a spectrum of 1 / frequency^power."""
    white = np.fft.rfft2(rng.normal(size=(size[1], size[0])))
    frequency = np.hypot(np.fft.fftfreq(size[1])[:, None], np.fft.rfftfreq(size[0])[None])
    frequency[0, 0] = np.inf
    noise = np.fft.irfft2(white / frequency**power, s=(size[1], size[0]))
    return noise / noise.std()


def _ramp(noise: np.ndarray, colours: np.ndarray) -> np.ndarray:
    levels = np.clip(noise / 4 + 0.5, 0, 1)
    stops = np.linspace(0, 1, len(colours))
    return np.stack([np.interp(levels, stops, channel) for channel in colours.T], -1)


def _palette(rng: np.random.Generator, count: int) -> np.ndarray:
    """(count, 3) colours around a common one, half of the time muted."""
    colours = rng.uniform(30, 225, 3) + rng.normal(0, 42, (count, 3))
    if rng.random() < 0.5:
        colours = 0.35 * colours + 0.65 * colours.mean(1, keepdims=True)
    return np.clip(colours, 0, 255)
