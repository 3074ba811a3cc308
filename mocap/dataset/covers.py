# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Things in front of the creature: what they hide is to be guessed from the rest.

After random erasing (Zhong et al. 2020).
"""

from __future__ import annotations

import cv2
import numpy as np

MOST = 0.08
"""Share of the creature that they hide at most."""
_SIZES = (0.03, 0.12)
"""Of a thing's half axes, in units of the creature's larger extent."""


def covered(
    image: np.ndarray, alpha: np.ndarray, texture: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """RGB ``image`` (h, w, 3) with one to three discs or boxes cut from ``texture`` (h, w, 3) in front of the creature,
    whose ``alpha`` is (h, w)."""
    left, top, width, height = cv2.boundingRect(alpha)
    if width == 0:
        return image
    creature = cv2.inRange(alpha, 128, 255)
    visible = max(1, cv2.countNonZero(creature))
    hidden = np.zeros_like(alpha)
    for _ in range(int(rng.integers(1, 4))):
        trial = _with_a_thing(
            hidden, rng.uniform((left, top), (left + width, top + height)), max(width, height), rng
        )
        if cv2.countNonZero(cv2.bitwise_and(creature, trial)) <= MOST * visible:
            hidden = trial
    return cv2.copyTo(texture, hidden, image.copy())


def _with_a_thing(
    hidden: np.ndarray, middle: np.ndarray, extent: float, rng: np.random.Generator
) -> np.ndarray:
    half, angle = rng.uniform(*_SIZES, 2) * extent, rng.uniform(0, 180)
    if rng.random() < 0.5:
        sides = tuple(round(value) for value in half)
        return cv2.ellipse(
            hidden.copy(), tuple(round(value) for value in middle), sides, angle, 0, 360, 255, -1
        )
    corners = cv2.boxPoints((tuple(middle), tuple(2 * half), angle))
    return cv2.fillConvexPoly(hidden.copy(), np.round(corners).astype(np.int32), 255)
