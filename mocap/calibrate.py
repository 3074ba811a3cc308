# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""From a clip's pixels to the layout's: the frame's size, and a drift of each panel's scale and place.

A film made from the reference sheet may come back slightly zoomed or moved. Its first frame still shows
the sheet, so the drift is found by comparing the two: scale and shift of each panel by maximising the
enhanced correlation coefficient (Evangelidis and Psarakis 2008, OpenCV's findTransformECC).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from scipy.optimize import minimize_scalar

from .errors import BadInput
from .layout import Layout

MIN_CORRELATION = 0.9
"""Below this the first frame does not show the reference's pose, and its drift cannot be told."""
_SHAPE_TOLERANCE = 0.01
_SCALES = (0.85, 1.18)
_COARSE = 12


@dataclass(frozen=True)
class PanelDrift:
    """clip = scale * layout + shift, panel pixels; ``used`` only where the correlation is high enough."""

    scale: float = 1.0
    shift: tuple[float, float] = (0.0, 0.0)
    correlation: float | None = None
    used: bool = False

    def to_layout(self, points: np.ndarray) -> np.ndarray:
        """(..., 2) pixels read in the clip's panel -> pixels of the layout's panel."""
        return (points - np.array(self.shift)) / self.scale if self.used else points

    @property
    def magnification(self) -> float:
        return self.scale if self.used else 1.0

    def to_json(self) -> dict[str, Any]:
        return {
            "scale": self.scale,
            "shift_px": list(self.shift),
            "correlation": self.correlation,
            "used": self.used,
        }

    def describe(self, view: str) -> str:
        found = (
            f"{view}: scale {self.scale:.4f}, shift {self.shift[0]:+.1f}, {self.shift[1]:+.1f} px, "
            f"correlation {self.correlation:.3f}"
        )
        return found if self.used else f"{found}: not used, the first frame does not match the reference"


def check_size(size: tuple[int, int], layout: Layout, what: str) -> None:
    """Refuse a picture that is not the layout's sheet up to a uniform scale."""
    wide, high = size[0] / layout.sheet_size[0], size[1] / layout.sheet_size[1]
    if abs(wide / high - 1) > _SHAPE_TOLERANCE:
        sheet = "{}x{}".format(*layout.sheet_size)
        raise BadInput(f"{what}: wrong frame size {size[0]}x{size[1]}, the layout is {sheet}")


def panels(frame: np.ndarray, layout: Layout) -> list[np.ndarray]:
    """Bring a frame (H, W, 3) to the sheet's size and cut it into the layout's panels."""
    if (frame.shape[1], frame.shape[0]) != layout.sheet_size:
        shrinks = frame.shape[1] > layout.sheet_size[0]
        how = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
        frame = cv2.resize(frame, layout.sheet_size, interpolation=how)
    return [
        np.ascontiguousarray(frame[y : y + height, x : x + width])
        for (x, y), (width, height) in ((view.corner, view.size) for view in layout.views)
    ]


def estimate(reference: np.ndarray, first: np.ndarray, layout: Layout) -> tuple[PanelDrift, ...]:
    """The drift of every panel between the reference sheet and a clip's first frame, both RGB."""
    return tuple(_panel_drift(a, b) for a, b in zip(panels(reference, layout), panels(first, layout)))


def _panel_drift(reference: np.ndarray, first: np.ndarray) -> PanelDrift:
    template, image = _edges_kept(reference), _edges_kept(first)
    coarse = [(_align(template, image, scale)[0], scale) for scale in np.geomspace(*_SCALES, _COARSE)]
    best = max(coarse)[1]
    step = (_SCALES[1] / _SCALES[0]) ** (1 / (_COARSE - 1))
    found = minimize_scalar(
        lambda scale: -_align(template, image, scale)[0],
        bounds=(best / step, best * step),
        method="bounded",
        options={"xatol": 2e-4},
    )
    correlation, shift = _align(template, image, float(found.x))
    return PanelDrift(float(found.x), shift, correlation, correlation >= MIN_CORRELATION)


def _edges_kept(panel: np.ndarray) -> np.ndarray:
    grey = cv2.cvtColor(panel, cv2.COLOR_RGB2GRAY).astype(np.float32)
    return cv2.GaussianBlur(grey, (0, 0), 1.0)


def _align(template: np.ndarray, image: np.ndarray, scale: float) -> tuple[float, tuple[float, float]]:
    """Best correlation of ``image`` with the template drawn at ``scale``, and the shift that gives it.

    A scale about the panel's middle keeps the shift small, which ECC needs; the shift is returned for
    the scale about the panel's corner, as PanelDrift has it.
    """
    height, width = template.shape
    middle = np.array([width, height]) / 2
    offset = middle - scale * middle
    # OpenCV counts from the centre of pixel (0, 0).
    matrix = np.array([[scale, 0, offset[0] + 0.5 * scale - 0.5], [0, scale, offset[1] + 0.5 * scale - 0.5]])
    drawn = cv2.warpAffine(
        template, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    move = np.eye(2, 3, dtype=np.float32)
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 40, 1e-5)
    try:
        correlation, move = cv2.findTransformECC(
            drawn, image, move, cv2.MOTION_TRANSLATION, criteria, None, 5
        )
    except cv2.error:  # ECC's way of saying that it does not converge
        return -1.0, (0.0, 0.0)
    shift = offset + move[:, 2]
    return float(correlation), (float(shift[0]), float(shift[1]))
