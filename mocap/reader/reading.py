# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Reading: panels in, joints out. The one interface to every backbone, whatever runs it; needs no torch."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from .. import framing
from ..errors import BadInput
from ..layout import Layout
from .uncertainty import Uncertainty

_TRUSTED = 0.05
"""Readings of a pass whose sigma is larger than this share of the creature's height, and than twice the median, do
not shape the next pass's framing."""


Panels = Sequence[np.ndarray | None]
"""One frame: (H, W, 3) uint8 RGB of each view, None where the clip does not have the view."""


class Reading(NamedTuple):
    """B frames, V views, J joints; panel pixels."""

    positions: np.ndarray
    """(B, V, J, 2)"""
    confidence: np.ndarray
    """(B, V, J) probability of being within 5% of the creature's height."""
    sigma: np.ndarray
    """(B, V, J) standard deviation an axis."""
    visible: np.ndarray
    """(B, V, J) probability of being seen, not hidden behind another part of the body."""
    depth: np.ndarray
    """(B, V, J) along the view behind the root bone's head, in the creature's heights."""


class Raw(NamedTuple):
    """What the network says: as in Reading, its ``sigma`` not yet calibrated. ``framings`` (B, V, 2, 3) are those
    of the last pass; ``masks`` (B, V, P + 1, m, m) float16, probabilities of the parts and the backdrop in the
    input's square seen through them, where they were asked for."""

    positions: np.ndarray
    sigma: np.ndarray
    visible: np.ndarray
    depth: np.ndarray
    framings: np.ndarray
    masks: np.ndarray | None


class Outputs(NamedTuple):
    """One pass over N pictures. positions (N, J, 2) input pixels; sigma (N, J) input pixels; visible (N, J)
    probability; depth (N, J) heights; masks (N, P + 1, m, m) float16 probabilities or None."""

    positions: np.ndarray
    sigma: np.ndarray
    visible: np.ndarray
    depth: np.ndarray
    masks: np.ndarray | None


class Engine(Protocol):
    """Runs the network. pictures (N, S, S, 3) uint8 RGB, the views of a frame following each other; framings (N, 2, 3):
    where each lies in its panel (framing.in_panel)."""

    def __call__(self, pictures: np.ndarray, framings: np.ndarray, masks: bool) -> Outputs: ...


@dataclass(frozen=True)
class Card:
    """Whose reader it is and what its outputs mean; travels with the weights, in whatever file they are."""

    creature: str
    rig_digest: str
    joint_names: tuple[str, ...]
    joint_kinds: tuple[str, ...]
    joint_colours: tuple[tuple[int, int, int], ...]
    part_names: tuple[str, ...]
    """The body parts of the masks; the backdrop comes after them."""
    part_limbs: tuple[int, ...]
    """Each part's limb, an index into the skeleton's, -1 where it belongs to none."""
    layout: Layout
    height_px: tuple[float, ...]
    """The creature's height in panel pixels of each view."""
    backbone: str
    input_size: int
    uncertainty: Uncertainty

    @property
    def is_marker(self) -> np.ndarray:
        """(J,) bool."""
        return np.array([kind == "marker" for kind in self.joint_kinds], bool)

    def check_rig(self, rig_digest: str, path: object) -> None:
        if self.rig_digest != rig_digest:
            raise BadInput(
                f"{path}: this reader was trained on another rig or layout "
                f"({self.rig_digest[:8]}, not {rig_digest[:8]}); train one for this rig"
            )

    def to_json(self) -> dict[str, Any]:
        plain = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        lists = {name: list(value) for name, value in plain.items() if isinstance(value, tuple)}
        return {
            **plain,
            **lists,
            "joint_colours": [list(colour) for colour in self.joint_colours],
            "layout": self.layout.to_json(),
            "uncertainty": self.uncertainty.to_json(),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Card:
        return cls(
            data["creature"],
            data["rig_digest"],
            tuple(data["joint_names"]),
            tuple(data["joint_kinds"]),
            tuple(tuple(int(c) for c in colour) for colour in data["joint_colours"]),
            tuple(data["part_names"]),
            tuple(int(limb) for limb in data["part_limbs"]),
            Layout.from_json(data["layout"]),
            tuple(float(value) for value in data["height_px"]),
            data["backbone"],
            int(data["input_size"]),
            Uncertainty.from_json(data["uncertainty"]),
        )


class Reader:
    """An engine with its layout and uncertainty.

    ``height_px`` (V,): the creature's height in panel pixels of each view. Reading takes three passes: the
    whole panels, a close framing around what the first pass found, and one around what the second found. The last two
    are fused: their framings differ a little, and so do their mistakes.
    """

    def __init__(
        self,
        engine: Engine,
        input_size: int,
        layout: Layout,
        height_px: np.ndarray,
        uncertainty: Uncertainty | None = None,
    ) -> None:
        self.engine, self.size, self.layout, self.uncertainty = engine, input_size, layout, uncertainty
        self.height_px = np.asarray(height_px, float)
        self.whole = np.stack(
            [framing.place(*framing.whole_box(view.size), input_size) for view in layout.views]
        )

    @classmethod
    def of(cls, engine: Engine, card: Card) -> Reader:
        return cls(engine, card.input_size, card.layout, np.array(card.height_px), card.uncertainty)

    def read(self, frames: list[Panels], batch: int = 8) -> Reading:
        """``frames``: for each frame its panels in the layout's order. What a missing one would show is not read: its
        confidence is 0, its place the panel's middle."""
        return self.read_all(frames, batch, False)[0]

    def read_all(self, frames: list[Panels], batch: int = 8, masks: bool = True) -> tuple[Reading, Raw]:
        """Beside the reading what it was made from, with the masks of the body parts."""
        if self.uncertainty is None:
            raise ValueError("this reader has no uncertainty yet: it was never checked on held-out samples")
        raw = self.raw(frames, batch, masks)
        reading = self.judged(raw)
        missing = np.array([[panel is None for panel in panels] for panels in frames])
        middles = np.array([view.centre for view in self.layout.views])
        reading.positions[missing] = middles[np.nonzero(missing)[1], None]
        reading.confidence[missing] = reading.visible[missing] = reading.depth[missing] = 0
        return reading, raw

    def judged(self, raw: Raw) -> Reading:
        """``raw`` with its uncertainty calibrated."""
        scale = self.height_px[:, None]
        sigma, confidence = self.uncertainty.read(raw.sigma / scale)
        return Reading(raw.positions, confidence, sigma * scale, raw.visible, raw.depth)

    def raw(self, frames: list[Panels], batch: int = 8, masks: bool = False) -> Raw:
        """All passes over ``frames``, ``batch`` frames at a time, without the uncertainty."""
        found = [self._passes(frames[at : at + batch], masks) for at in range(0, len(frames), batch)]
        return Raw(*(None if arrays[0] is None else np.concatenate(arrays) for arrays in zip(*found)))

    def _passes(self, frames: list[Panels], masks: bool) -> Raw:
        first = self._pass(frames, np.broadcast_to(self.whole, (len(frames), *self.whole.shape)), False)
        second = self._pass(frames, self._close_framings(first), False)
        return fused(second, self._pass(frames, self._close_framings(second), masks))

    def _close_framings(self, found: Raw) -> np.ndarray:
        """(B, V, 2, 3): around the joints of a pass that can be trusted, always at least half."""
        spread = found.sigma / self.height_px[:, None]
        trusted = spread <= np.maximum(_TRUSTED, 2 * np.median(spread, -1, keepdims=True))
        return np.stack(
            [
                [
                    framing.place(*framing.tight_box(points[keep]), self.size)
                    for points, keep in zip(frame_points, frame_keep)
                ]
                for frame_points, frame_keep in zip(found.positions, trusted)
            ]
        )

    def _pass(self, frames: list[Panels], framings: np.ndarray, masks: bool) -> Raw:
        """One pass through the network; framings (B, V, 2, 3)."""
        pictures = np.stack(
            [
                framing.cut(panel, view, self.size)
                for panels, row in zip(frames, framings)
                for panel, view in zip(panels, row)
            ]
        )
        sizes = np.array([view.size for view in self.layout.views])
        in_panels = framing.in_panel(framings, sizes).reshape(-1, 2, 3)
        found = self.engine(pictures, in_panels, masks)
        by_view = Outputs(
            *(None if a is None else a.reshape(*framings.shape[:2], *a.shape[1:]) for a in found)
        )
        return Raw(
            framing.apply(framing.invert(framings), by_view.positions),
            by_view.sigma / framing.scale(framings)[..., None],
            by_view.visible,
            by_view.depth,
            np.array(framings),
            by_view.masks,
        )


def fused(one: Raw, last: Raw) -> Raw:
    """Both readings weighted by the inverse of their variance. Their mistakes hang together, so the fused sigma is the
    weighted mean of both, not smaller than either. Framings and masks are the last one's."""
    weights = np.stack([one.sigma, last.sigma]) ** -2.0
    weights /= weights.sum(0)

    def mean(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        share = weights.reshape(*weights.shape, *(1,) * (a.ndim - weights.ndim + 1))
        return share[0] * a + share[1] * b

    return last._replace(
        positions=mean(one.positions, last.positions),
        sigma=mean(one.sigma, last.sigma),
        visible=mean(one.visible, last.visible),
        depth=mean(one.depth, last.depth),
    )


def height_in_pixels(layout: Layout, height: float, points: np.ndarray) -> np.ndarray:
    """(V,) panel pixels of ``height`` metres at the depth of the middle of ``points`` (N, 3), world."""
    middle = points.mean(0)
    return np.array([view.focal * height / view.project(middle)[1] for view in layout.views])
