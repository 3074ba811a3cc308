# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Light and colour: exposure, gamma, colour temperature, saturation.

A limb is known by its hue, the left one's opposite to the right one's: nothing here turns hues by more
than about 15 degrees.
"""

from __future__ import annotations

import cv2
import numpy as np


def exposed(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """An RGB picture under another exposure, gamma, black level and white balance."""
    temperature, tint = _bounded(rng, 0.06, 0.14), _bounded(rng, 0.02, 0.04)
    balance = np.exp([temperature, 0.2 * temperature + tint, -temperature])
    return cv2.LUT(image, _ramp(rng, 1.0, balance))


def repainted(rgba: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Premultiplied RGBA whose paint is lighter or darker, paler or richer, of the same hues."""
    alpha = cv2.extractChannel(rgba, 3)
    colour = cv2.cvtColor(rgba, cv2.COLOR_RGBA2RGB)
    colour = saturated(cv2.LUT(colour, _ramp(rng, 0.6, np.ones(3))), rng.uniform(0.7, 1.2))
    out = cv2.cvtColor(colour, cv2.COLOR_RGB2RGBA)
    # Premultiplied colour may not exceed its alpha.
    return cv2.min(out, cv2.merge([alpha, alpha, alpha, alpha]))


def saturated(image: np.ndarray, factor: float) -> np.ndarray:
    """RGB with its colourfulness multiplied: 0 is grey, 1 changes nothing."""
    grey = cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
    return cv2.addWeighted(image, factor, grey, 1 - factor, 0)


def _ramp(rng: np.random.Generator, strength: float, balance: np.ndarray) -> np.ndarray:
    """(1, 256, 3) look-up table: gamma, gain by channel, black level."""
    gain, gamma = np.exp(_bounded(rng, 0.12 * strength, 0.3)), np.exp(_bounded(rng, 0.12 * strength, 0.3))
    ramp = (np.arange(256) / 255)[:, None] ** gamma * gain * balance * 255 + rng.normal(0, 6 * strength)
    return np.clip(ramp, 0, 255).astype(np.uint8)[None]


def _bounded(rng: np.random.Generator, deviation: float, most: float) -> float:
    return float(np.clip(rng.normal(0, deviation), -most, most))
