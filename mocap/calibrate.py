# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""From a clip's pixels to the layout's: the frame's size, and a drift of each panel's scale and place.

A film made from the reference sheet may come back slightly zoomed or moved. Its first frame still shows
the sheet, so the drift is found by comparing the two: the scale and shift of each panel that give the
highest normalised correlation, first on a grid (OpenCV's matchTemplate), then by simplex search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from scipy.optimize import minimize

from .errors import BadInput
from .layout import Layout

MIN_CORRELATION = 0.9
"""Below this the first frame does not show the reference's pose, and its drift cannot be told."""
_SHAPE_TOLERANCE = 0.01
_SCALES = (0.85, 1.18)
_COARSE = 16
_PLAIN = 1.0
"""Product of the deviations (grey values) below which a picture holds nothing to align."""
_REACH = 0.15
"""How far a panel may have moved, in units of its side."""


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

    def framing_of_layout(self, framing: np.ndarray) -> np.ndarray:
        """A framing (..., 2, 3) of the clip's panel -> of the layout's."""
        if not self.used:
            return framing
        shift = framing[..., :2] @ np.array(self.shift) + framing[..., 2]
        return np.concatenate([framing[..., :2] * self.scale, shift[..., None]], -1)

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

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> PanelDrift:
        return cls(data["scale"], tuple(data["shift_px"]), data["correlation"], data["used"])

    def undone(self, panel: np.ndarray) -> np.ndarray:
        """The clip's panel (H, W, 3) in the layout's framing."""
        if not self.used:
            return panel
        # OpenCV's pixel centres lie at whole numbers, ours half a pixel farther.
        shift = np.array(self.shift) + 0.5 * (self.scale - 1)
        to_clip = np.array([[self.scale, 0, shift[0]], [0, self.scale, shift[1]]])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return cv2.warpAffine(
            panel, to_clip, panel.shape[1::-1], flags=flags, borderMode=cv2.BORDER_REPLICATE
        )

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
    template, image = _smooth(reference), _smooth(first)
    coarse = [(*_match(template, image, scale), scale) for scale in np.geomspace(*_SCALES, _COARSE)]
    _, move, scale = max(coarse, key=lambda found: found[0])
    start = np.array([np.log(scale), *move])
    simplex = start + np.array([[0, 0, 0], [0.02, 0, 0], [0, 2, 0], [0, 0, 2]])
    found = minimize(
        lambda drift: -_correlation(_drawn(template, *drift), image),
        start,
        method="Nelder-Mead",
        options={"initial_simplex": simplex, "xatol": 1e-3, "fatol": 1e-7, "maxfev": 300},
    )
    scale, correlation = float(np.exp(found.x[0])), -float(found.fun)
    shift = _middle(template) * (1 - scale) + found.x[1:]
    return PanelDrift(scale, (float(shift[0]), float(shift[1])), correlation, correlation >= MIN_CORRELATION)


def _smooth(panel: np.ndarray) -> np.ndarray:
    grey = cv2.cvtColor(panel, cv2.COLOR_RGB2GRAY).astype(np.float32)
    return cv2.GaussianBlur(grey, (0, 0), 1.0)


def _middle(panel: np.ndarray) -> np.ndarray:
    return np.array([panel.shape[1], panel.shape[0]]) / 2


def _drawn(template: np.ndarray, log_scale: float, x: float, y: float) -> np.ndarray:
    """The template scaled about its middle and moved by (x, y)."""
    scale = float(np.exp(log_scale))
    shift = _middle(template) * (1 - scale) + (x, y)
    # OpenCV counts from the centre of pixel (0, 0).
    matrix = np.array([[scale, 0, shift[0] + 0.5 * scale - 0.5], [0, scale, shift[1] + 0.5 * scale - 0.5]])
    size = template.shape[1], template.shape[0]
    return cv2.warpAffine(template, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Normalised correlation of two pictures; -1 where one of them is plain."""
    a, b = a - a.mean(), b - b.mean()
    norm = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float((a * b).sum()) / norm if norm > _PLAIN * a.size else -1.0


def _match(template: np.ndarray, image: np.ndarray, scale: float) -> tuple[float, np.ndarray]:
    """Correlation and whole-pixel move (2,) of the template's inner part within the image, anywhere within
    _REACH of the panel's side: thin limbs that do not overlap at first leave a local search lost."""
    drawn = _drawn(template, np.log(scale), 0.0, 0.0)
    margin = round(_REACH * min(template.shape))
    scores = cv2.matchTemplate(image, drawn[margin:-margin, margin:-margin], cv2.TM_CCOEFF_NORMED)
    _, score, _, place = cv2.minMaxLoc(np.nan_to_num(scores, posinf=-1.0, neginf=-1.0))
    return score, np.array(place, float) - margin
