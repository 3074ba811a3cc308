# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Reading: panels in, joints out. The one interface to every backbone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from .. import framing
from ..layout import Layout
from .uncertainty import Uncertainty

_TRUSTED = 0.05
"""First-pass readings whose sigma is larger than this share of the creature's height, and than twice
the median, do not shape the second pass's framing."""


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
    of the second pass; ``masks`` (B, V, P + 1, m, m) float16, probabilities of the parts and the backdrop in the
    input's square seen through them, where they were asked for."""

    positions: np.ndarray
    sigma: np.ndarray
    visible: np.ndarray
    depth: np.ndarray
    framings: np.ndarray
    masks: np.ndarray | None


def normalise(pictures: np.ndarray, device: torch.device, channels_last: bool = True) -> torch.Tensor:
    """(N, S, S, 3) uint8 -> (N, 3, S, S) float32 about zero."""
    tensor = torch.from_numpy(pictures).to(device).permute(0, 3, 1, 2).float().sub_(127).div_(64)
    return tensor.contiguous(memory_format=torch.channels_last if channels_last else torch.contiguous_format)


class Reader:
    """A trained network with its layout and uncertainty.

    ``height_px`` (V,): the creature's height in panel pixels of each view. Reading takes two passes: the
    whole panels, then a close framing around what the first pass found.
    """

    def __init__(
        self,
        net: nn.Module,
        input_size: int,
        layout: Layout,
        height_px: np.ndarray,
        uncertainty: Uncertainty | None = None,
        device: torch.device | None = None,
        precision: str = "float32",
        channels_last: bool = True,
    ) -> None:
        self.net, self.size, self.layout = net, input_size, layout
        self.height_px = np.asarray(height_px, float)
        self.uncertainty = uncertainty
        self.device = device or torch.device("cpu")
        self.precision, self.channels_last = precision, channels_last
        self.whole = np.stack(
            [framing.place(*framing.whole_box(view.size), input_size) for view in layout.views]
        )

    def read(self, frames: list[list[np.ndarray]], batch: int = 8) -> Reading:
        """``frames``: for each frame its panels (H, W, 3) uint8 RGB, in the layout's order."""
        if self.uncertainty is None:
            raise ValueError("this reader has no uncertainty yet: it was never checked on held-out samples")
        return self.judged(self.raw(frames, batch))

    def judged(self, raw: Raw) -> Reading:
        """``raw`` with its uncertainty calibrated."""
        scale = self.height_px[:, None]
        sigma, confidence = self.uncertainty.read(raw.sigma / scale)
        return Reading(raw.positions, confidence, sigma * scale, raw.visible, raw.depth)

    def raw(self, frames: list[list[np.ndarray]], batch: int = 8, masks: bool = False) -> Raw:
        """Both passes over ``frames``, ``batch`` frames at a time, without the uncertainty."""
        found = [self._two_passes(frames[at : at + batch], masks) for at in range(0, len(frames), batch)]
        return Raw(*(None if arrays[0] is None else np.concatenate(arrays) for arrays in zip(*found)))

    def _two_passes(self, frames: list[list[np.ndarray]], masks: bool) -> Raw:
        first = self._pass(frames, np.broadcast_to(self.whole, (len(frames), *self.whole.shape)), False)
        return self._pass(frames, self._close_framings(first), masks)

    def _close_framings(self, first: Raw) -> np.ndarray:
        """(B, V, 2, 3): around the joints of the first pass that can be trusted, always at least half."""
        spread = first.sigma / self.height_px[:, None]
        trusted = spread <= np.maximum(_TRUSTED, 2 * np.median(spread, -1, keepdims=True))
        return np.stack(
            [
                [
                    framing.place(*framing.tight_box(points[keep]), self.size)
                    for points, keep in zip(frame_points, frame_keep)
                ]
                for frame_points, frame_keep in zip(first.positions, trusted)
            ]
        )

    @torch.inference_mode()
    def _pass(self, frames: list[list[np.ndarray]], framings: np.ndarray, masks: bool) -> Raw:
        """One pass through the network; framings (B, V, 2, 3)."""
        views = len(self.layout.views)
        pictures = np.stack(
            [
                framing.cut(panel, view, self.size)
                for panels, row in zip(frames, framings)
                for panel, view in zip(panels, row)
            ]
        )
        self.net.eval()
        batch = normalise(pictures, self.device, self.channels_last)
        with autocast(self.device, self.precision):
            maps = self.net(batch, views, None if masks else 0)
        peaks, traits = self.net.read(maps)
        shape = (len(frames), views)

        def numbers(tensor: torch.Tensor) -> np.ndarray:
            return tensor.cpu().double().numpy().reshape(*shape, *tensor.shape[1:])

        scale = framing.scale(framings)[..., None]
        probabilities = None
        if masks:
            soft = maps.masks.float().softmax(1).half().cpu().numpy()
            probabilities = soft.reshape(*shape, *soft.shape[1:])
        return Raw(
            framing.apply(framing.invert(framings), numbers(peaks.positions)),
            numbers(traits.log_sigma.exp()) * self.net.stride / scale,
            numbers(traits.visible.sigmoid()),
            numbers(traits.depth),
            np.array(framings),
            probabilities,
        )


def autocast(device: torch.device, precision: str) -> torch.autocast:
    return torch.autocast(device.type, torch.bfloat16, enabled=precision == "bfloat16")


def height_in_pixels(layout: Layout, height: float, points: np.ndarray) -> np.ndarray:
    """(V,) panel pixels of ``height`` metres at the depth of the middle of ``points`` (N, 3), world."""
    middle = points.mean(0)
    return np.array([view.focal * height / view.project(middle)[1] for view in layout.views])
