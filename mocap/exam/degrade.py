# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Hardships done to a view's rendered pictures, before they lie on their backdrop."""

from __future__ import annotations

import cv2
import numpy as np

from ..solve.cameras import OFFSET, SCALE


def smeared(before: np.ndarray, now: np.ndarray, after: np.ndarray, share: float) -> np.ndarray:
    """RGBA (H, W, 4) uint8 pictures mixed, half of ``share`` from each neighbour: the middle stays in place.

    Colours are mixed as they would be on film: what is transparent has no colour to give.
    """
    weights = (share / 2, 1 - share, share / 2)
    mixed = sum(w * premultiplied(picture) for w, picture in zip(weights, (before, now, after)))
    return _straight(mixed)


def moved(picture: np.ndarray, fault: np.ndarray) -> np.ndarray:
    """RGBA (H, W, 4) uint8 scaled about its middle and lowered, as ``fault`` (3,) of ``solve.cameras`` says."""
    height, width = picture.shape[:2]
    scale, down = float(np.exp(fault[SCALE])), float(fault[OFFSET])
    # OpenCV counts from pixel centres, the layout from pixel corners.
    centre = np.array([width, height]) / 2 - 0.5
    shift = (1 - scale) * centre + [0, down]
    matrix = np.array([[scale, 0, shift[0]], [0, scale, shift[1]]])
    return _straight(cv2.warpAffine(premultiplied(picture), matrix, (width, height), flags=cv2.INTER_LINEAR))


def premultiplied(picture: np.ndarray) -> np.ndarray:
    """(H, W, 4) float32: colours times alpha, alpha from 0 to 1."""
    out = picture.astype(np.float32)
    out[..., 3] /= 255
    out[..., :3] *= out[..., 3:]
    return out


def _straight(premultiplied: np.ndarray) -> np.ndarray:
    """The way back, uint8."""
    alpha = premultiplied[..., 3:]
    colours = premultiplied[..., :3] / np.maximum(alpha, 1e-6)
    return np.rint(np.clip(np.concatenate([colours, 255 * alpha], -1), 0, 255)).astype(np.uint8)
