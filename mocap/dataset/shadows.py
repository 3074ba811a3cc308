# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The creature's shadow on what is behind it."""

from __future__ import annotations

import cv2
import numpy as np

_POOL_SHARE = 0.35
_COARSE = 2
"""Shadows are soft: they are drawn at half size."""


def cast(alpha: np.ndarray, backdrop: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """``backdrop`` (h, w, 3) darkened by the creature with ``alpha`` (h, w): thrown on the floor, sheared and
    squashed, or on a wall close behind; or the soft pool of shade under it that a studio shows."""
    left, top, width, height = cv2.boundingRect(alpha)
    if width == 0:
        return backdrop
    small = cv2.resize(alpha, None, fx=1 / _COARSE, fy=1 / _COARSE, interpolation=cv2.INTER_AREA)
    box = np.array([left, top, width, height]) / _COARSE
    shade = _pool(small, box, rng) if rng.random() < _POOL_SHARE else _thrown(small, box, rng)
    shade = cv2.GaussianBlur(shade, (0, 0), rng.uniform(0.008, 0.05) * small.shape[0])
    light = 255 - cv2.convertScaleAbs(shade, alpha=rng.uniform(0.15, 0.6))
    light = cv2.resize(light, alpha.shape[::-1], interpolation=cv2.INTER_LINEAR)
    return cv2.multiply(backdrop, cv2.cvtColor(light, cv2.COLOR_GRAY2RGB), scale=1 / 255)


def _pool(small: np.ndarray, box: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    left, top, width, height = box
    out = np.zeros_like(small)
    middle = (round(left + width * rng.uniform(0.35, 0.65)), round(top + height * rng.uniform(0.94, 1.02)))
    sides = max(2, round(width * rng.uniform(0.3, 0.65))), max(1, round(height * rng.uniform(0.03, 0.12)))
    return cv2.ellipse(out, middle, sides, 0, 0, 360, 255, -1)


def _thrown(small: np.ndarray, box: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The outline hung on the ground line under the feet; a negative squash falls towards the viewer."""
    ground = box[1] + box[3]
    squash = rng.uniform(0.1, 1.0) * (-1 if rng.random() < 0.3 else 1)
    shear, aside = rng.uniform(-1.2, 1.2), rng.normal(0, 0.02) * small.shape[1]
    matrix = np.array([[1, shear, aside - shear * ground], [0, squash, ground - squash * ground]])
    return cv2.warpAffine(small, matrix, small.shape[::-1], flags=cv2.INTER_LINEAR)
