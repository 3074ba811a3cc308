# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Held-out samples as panels of video: what errors are measured on, the same every time.

Easy panels look as training pictures do; hard ones have looks that training never shows.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from . import augment, unseen
from .backdrops import Backdrops
from .training import SampleSet

Panels = list[list[np.ndarray]]
_WHOLE = np.eye(2, 3)


def easy_panels(data: SampleSet, rows: np.ndarray, bank: Backdrops) -> Panels:
    """Each row's whole panels on a backdrop, degraded as training pictures are."""
    return _panels(data, rows, bank, augment.picture, 0x4E1D)


def hard_panels(data: SampleSet, rows: np.ndarray, bank: Backdrops) -> Panels:
    """The same panels with the looks of ``unseen``, most of them on backdrops unlike those of ``bank``."""
    return _panels(data, rows, bank, unseen.picture, 0x4A8D)


def sheet(data: SampleSet, rows: np.ndarray, bank: Backdrops, scale: float = 0.5) -> np.ndarray:
    """RGB picture for people: a line for each row, its views easy on the left and hard on the right."""
    pairs = zip(easy_panels(data, rows, bank), hard_panels(data, rows, bank))
    lines = [
        cv2.resize(np.hstack([*easy, *hard]), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        for easy, hard in pairs
    ]
    return np.vstack(lines)


def _panels(data: SampleSet, rows: np.ndarray, bank: Backdrops, picture: Callable, salt: int) -> Panels:
    frames = []
    for row in rows:
        rng = np.random.default_rng([int(data.indices[row]), salt])
        frames.append(
            [
                picture(cutout, _WHOLE, tuple(view.size), bank, rng)
                for cutout, view in zip(data.cutouts[row], data.rig.layout.views)
            ]
        )
    return frames
