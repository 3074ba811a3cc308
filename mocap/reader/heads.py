# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What is read off a backbone's features: heatmaps, masks, and each joint's visibility, sigma and depth."""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .blocks import ConvNorm
from .heatmaps import Peaks, decode

_SHUFFLED, _SHADE, _MIXED = 20, 12, 32
"""Channels of the mask head: features brought to twice their resolution, the picture's own edges, both together."""
_HIDDEN = 48


class Maps(NamedTuple):
    """N pictures. heatmaps (N, J, h, w) logits; masks (M, P + 1, 2 h, 2 w) logits of the first M pictures, the
    backdrop last; features (N, D, h, w)."""

    heatmaps: Tensor
    masks: Tensor
    features: Tensor


class Traits(NamedTuple):
    """Of every joint, (N, J): logit of being seen; logarithm of the deviation an axis in heatmap cells; depth behind
    the root bone's head in heights."""

    visible: Tensor
    log_sigma: Tensor
    depth: Tensor


class MaskHead(nn.Module):
    """Features and the picture -> logits of P parts and the backdrop, at twice the heatmaps' resolution.

    Sub-pixel convolution (Shi et al. 2016); the picture comes in again because features at a quarter of its
    resolution have lost thin limbs' edges.
    """

    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.spread = ConvNorm(width, 4 * _SHUFFLED, 1)
        self.shade = ConvNorm(3, _SHADE, 3, 2)
        self.mix = ConvNorm(_SHUFFLED + _SHADE, _MIXED)
        self.out = nn.Conv2d(_MIXED, classes, 1)

    def forward(self, features: Tensor, pictures: Tensor) -> Tensor:
        finer = F.pixel_shuffle(self.spread(features), 2)
        wanted = (2 * finer.shape[-2], 2 * finer.shape[-1])
        if pictures.shape[-2:] != wanted:
            pictures = F.interpolate(pictures, wanted, mode="bilinear", antialias=True)
        return self.out(self.mix(torch.cat([finer, self.shade(pictures)], 1)))


class TraitHead(nn.Module):
    """A small perceptron on the features at a joint's peak, with a code and an output layer for each joint."""

    def __init__(self, width: int, joints: int) -> None:
        super().__init__()
        self.inner = nn.Linear(width + 1, _HIDDEN)
        self.code = nn.Parameter(torch.randn(joints, _HIDDEN) * 0.1)
        self.out = nn.Parameter(torch.randn(joints, _HIDDEN, 3) * _HIDDEN**-0.5)
        self.bias = nn.Parameter(torch.zeros(joints, 3))

    def forward(self, features: Tensor, peaks: Peaks, stride: float) -> Traits:
        side = torch.tensor(features.shape[:1:-1], device=features.device) * stride
        grid = peaks.positions / side * 2 - 1
        local = F.grid_sample(features.float(), grid[:, :, None], align_corners=False)[..., 0].mT
        doubt = (peaks.mass + 1e-3).log()[..., None]
        hidden = F.gelu(self.inner(torch.cat([local, doubt], -1)) + self.code)
        visible, sigma, depth = (torch.einsum("njd,jdk->njk", hidden, self.out) + self.bias).unbind(-1)
        return Traits(visible, sigma.clamp(-4, 4), depth)


class ReaderNet(nn.Module):
    """A backbone (``forward(pictures, views) -> features``, ``width``, ``stride``, ``groups``) under the heads."""

    def __init__(self, trunk: nn.Module, joints: int, parts: int) -> None:
        super().__init__()
        self.trunk = trunk
        self.heatmaps = nn.Conv2d(trunk.width, joints, 1)
        self.masks = MaskHead(trunk.width, parts + 1)
        self.traits = TraitHead(trunk.width, joints)

    @property
    def stride(self) -> float:
        """Input pixels to a heatmap cell."""
        return self.trunk.stride

    def forward(self, pictures: Tensor, views: int, masked: int | None = None) -> Maps:
        """pictures (N, 3, S, S), normalised, the views of a frame following each other. Masks are made for the first
        ``masked`` pictures only; None: for all."""
        features = self.trunk(pictures, views)
        count = len(pictures) if masked is None else masked
        masks = self.masks(features[:count], pictures[:count]) if count else features.new_zeros(0)
        return Maps(self.heatmaps(features), masks, features)

    def read(self, maps: Maps) -> tuple[Peaks, Traits]:
        """Positions and traits in float32."""
        peaks = decode(maps.heatmaps, self.stride)
        return peaks, self.traits_at(maps, peaks)

    def traits_at(self, maps: Maps, peaks: Peaks) -> Traits:
        return self.traits(maps.features, peaks, self.stride)

    def groups(self) -> tuple[list[nn.Parameter], list[nn.Parameter], list[list[nn.Parameter]]]:
        """Weights for Muon, for AdamW, and pretrained ones from the first layer to the last. Muon is for inner
        weights with two or more dimensions, not for first layers, outputs, or codes."""
        inner, rest, pretrained = self.trunk.groups()
        rest = [*rest, *self.heatmaps.parameters(), *self.traits.parameters()]
        for name, weight in self.masks.named_parameters():
            chosen = inner if inner and weight.ndim > 1 and not name.startswith(("out", "shade")) else rest
            chosen.append(weight)
        return inner, rest, pretrained
