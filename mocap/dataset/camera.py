# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What lenses, sensors, screens and encoders do to a picture. RGB uint8 in and out, everything in its place."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np

from . import codec

_ROLL_PX = 0.7
"""Rows are moved by at most this much, and by nothing on the average."""


def blurred(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return cv2.GaussianBlur(image, (0, 0), rng.uniform(0.4, 1.2))


def coarsened(image: np.ndarray, rng: np.random.Generator, scale: float) -> np.ndarray:
    """As if the creature were only 0.5 to 1 of its usual size in the clip. ``scale``: input pixels a panel
    pixel; where it is above 1, there are fewer panel pixels than input pixels to begin with."""
    ratio = rng.uniform(0.5, 1.0) / max(1.0, scale)
    small = cv2.resize(image, None, fx=ratio, fy=ratio, interpolation=cv2.INTER_AREA)
    how = cv2.INTER_LINEAR if rng.random() < 0.7 else cv2.INTER_CUBIC
    return cv2.resize(small, image.shape[1::-1], interpolation=how)


def rolled(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Rows that waver sideways, and are blurred more in one part of the picture than in another."""
    height, width = image.shape[:2]
    down = np.arange(height, dtype=np.float32) / height * 2 * np.pi
    waves = sum(
        amplitude * np.sin(down * cycles + phase)
        for amplitude, cycles, phase in zip(
            rng.uniform(0, 0.5, 2), rng.integers(1, 7, 2), rng.uniform(0, 2 * np.pi, 2)
        )
    )
    shift = np.clip(waves * 2 * _ROLL_PX, -_ROLL_PX, _ROLL_PX).astype(np.float32)
    across = np.arange(width, dtype=np.float32)[None] + shift[:, None]
    rows = np.repeat(np.arange(height, dtype=np.float32)[:, None], width, 1)
    image = cv2.remap(image, across, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    soft = cv2.blur(image, (2 * int(rng.integers(1, 4)) + 1, 1))
    weight = 0.5 + 0.5 * np.sin(down * rng.uniform(0.3, 2) + rng.uniform(0, 2 * np.pi))
    weight = np.repeat(weight[:, None].astype(np.float32), width, 1)
    return cv2.blendLinear(soft, image, weight, 1 - weight)


def barred(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A letterbox, or one edge of the picture under a bar; what lies behind it is to be guessed."""
    out = image.copy()
    ink = (0, 0, 0) if rng.random() < 0.6 else tuple(int(value) for value in rng.integers(0, 256, 3))
    along = out if rng.random() < 0.6 else out.transpose(1, 0, 2)
    one, other = rng.uniform(0.03, 0.12, 2) if rng.random() < 0.5 else (rng.uniform(0.05, 0.2), 0.0)
    length = along.shape[0]
    along[: round(one * length)] = ink
    along[length - round(other * length) :] = ink
    return out


def noisy(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    bank = _noise_bank()
    height, width = image.shape[:2]
    top, left = rng.integers(bank.shape[0] - height + 1), rng.integers(bank.shape[1] - width + 1)
    part = bank[top : top + height, left : left + width]
    amount = rng.uniform(0, 0.3)
    return cv2.addWeighted(image, 1.0, part, amount, -128 * amount)


@lru_cache(maxsize=1)
def _noise_bank() -> np.ndarray:
    return np.clip(np.random.default_rng(3).normal(128, 32, (1024, 1024, 3)), 0, 255).astype(np.uint8)


def as_jpeg(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """JPEG with halved chroma: blocks and bleeding colours at a fifth of the price of ``as_h264``."""
    settings = [
        *(cv2.IMWRITE_JPEG_QUALITY, int(np.exp(rng.uniform(np.log(20), np.log(85))))),
        *(cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420),
    ]
    # Encoder and decoder agree on the order of the channels, so RGB must be told as BGR to be halved rightly.
    coded = cv2.imencode(".jpg", cv2.cvtColor(image, cv2.COLOR_RGB2BGR), settings)[1]
    return cv2.cvtColor(cv2.imdecode(coded, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)


def as_h264(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A key frame of H.264 at a low rate."""
    options = {"preset": "ultrafast", "tune": "zerolatency", "crf": str(int(rng.integers(26, 40)))}
    return codec.recoded([image], "libx264", options)[0]
