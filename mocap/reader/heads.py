# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What is read off a backbone's features: heatmaps, masks, and each joint's place, visibility, sigma and depth."""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .blocks import CODED, ConvNorm, TokenBlock, applied, coded
from .heatmaps import Peaks, decode

_SHUFFLED, _SHADE, _MIXED = 20, 12, 32
"""Channels of the mask head: features brought to twice their resolution, the picture's own edges, both together."""
_HIDDEN = 48
_TOKEN, _TOKEN_HEADS, _TOKEN_BLOCKS = 64, 4, 2
_COMMON = (
    "masks.spread",
    "masks.shade",
    "masks.mix",
    "traits.inner",
    "joints.inner",
    "joints.blocks",
    "joints.out",
)
"""Of the heads, what has no entry for each joint or part."""
_REACH = 0.25
"""What an output of 1 moves a joint by, in the panel's own coordinates."""


class Maps(NamedTuple):
    """N pictures. heatmaps (N, J, h, w) logits; masks (M, P + 1, 2 h, 2 w) logits of the first M pictures, the
    backdrop last; features (N, D, h, w); framings (N, 2, 3): from input pixels to the panel (framing.in_panel)."""

    heatmaps: Tensor
    masks: Tensor
    features: Tensor
    framings: Tensor


class Traits(NamedTuple):
    """Of every joint: positions (N, J, 2) input pixels; and (N, J): logit of being seen; logarithm of the deviation in
    heatmap cells; depth behind the root bone's head in heights."""

    positions: Tensor
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
    """A small perceptron on the features at a joint's peak and on what the joints told each other, with an output layer
    for each joint and a code for each joint and view: whether it is seen, and how deep it lies. Both teach the features
    what lies behind what. What looks alike lies at other depths in another view: seen from the front the head is nearer
    than the tail by a whole body, and how far to the left a foot is there, so deep it lies from the side."""

    def __init__(self, width: int, joints: int, views: int) -> None:
        super().__init__()
        self.inner = nn.Linear(width + 1, _HIDDEN)
        self.context = nn.Linear(_TOKEN, _HIDDEN, bias=False)
        self.code = nn.Parameter(torch.randn(views, joints, _HIDDEN) * 0.1)
        self.out = nn.Parameter(torch.randn(joints, _HIDDEN, 2) * _HIDDEN**-0.5)
        self.bias = nn.Parameter(torch.zeros(views, joints, 2))

    def forward(
        self, local: Tensor, doubt: Tensor, tokens: Tensor, views: int, chosen: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """local (N, J, D), doubt (N, J, 1), tokens (N, J, T) of the JointHead -> logits of being seen, depths; (N, J)
        each."""
        count, joints, _ = local.shape
        by_view = self.inner(torch.cat([local, doubt], -1)) + self.context(tokens)
        by_view = by_view.reshape(count // views, views, joints, _HIDDEN)
        hidden = F.gelu(by_view + _of(self.code, chosen, 1))
        out = torch.einsum("bvjd,jdk->bvjk", hidden, _of(self.out, chosen, 0)) + _of(self.bias, chosen, 1)
        return out.reshape(count, joints, 2).unbind(-1)


class JointHead(nn.Module):
    """The joints of a frame look at each other: a token for each joint and view, from the features at its peak, mixed
    by a small transformer.

    A hidden foot's heatmap is vague, yet its knee, the other legs and the other view tell much about it; and a map
    with two peaks is settled by the joints beside it. Places are told and moved in the panel's own coordinates: a foot
    is as high in one view as in the other, however each is framed. The head starts as the peaks are. It reads the
    features without bending them to its ends: that slowed the heatmaps down.
    """

    def __init__(self, width: int, joints: int, views: int) -> None:
        super().__init__()
        self.inner = nn.Linear(width + 4 + CODED, _TOKEN)
        self.code = nn.Parameter(torch.randn(1, views, joints, _TOKEN) * 0.1)
        self.blocks = nn.Sequential(*[TokenBlock(_TOKEN, _TOKEN_HEADS) for _ in range(_TOKEN_BLOCKS)])
        self.out = nn.Linear(_TOKEN, 3)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(
        self,
        local: Tensor,
        doubt: Tensor,
        grid: Tensor,
        peaks: Tensor,
        framings: Tensor,
        views: int,
        chosen: Tensor | None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """local (N, J, D), doubt (N, J, 1), grid (N, J, 2): places in the input from -1 to 1; peaks (N, J, 2) input
        pixels -> moves (N, J, 2) in input pixels, logarithms of the deviation (N, J), the tokens (N, J, T)."""
        count, joints, _ = local.shape
        linear = framings[:, :, :2]
        determinant = linear[:, 0, 0] * linear[:, 1, 1] - linear[:, 0, 1] * linear[:, 1, 0]
        size = (determinant.abs().log() / 2)[:, None, None].expand(count, joints, 1)
        places = coded(applied(framings, peaks))
        tokens = self.inner(torch.cat([local.detach(), grid, doubt, size, places], -1))
        tokens = tokens.reshape(count // views, views, joints, _TOKEN) + _of(self.code, chosen, 2)
        tokens = self.blocks(tokens.reshape(count // views, views * joints, _TOKEN))
        out = self.out(tokens).float().reshape(count, joints, 3)
        x, y = (out[..., :2] * _REACH / determinant[:, None, None]).unbind(-1)
        (a, b), (c, d) = (row.unbind(-1) for row in linear.unbind(1))
        # The inverse of a 2 x 2 matrix, which ONNX has no operator for.
        moves = torch.stack([d[:, None] * x - b[:, None] * y, a[:, None] * y - c[:, None] * x], -1)
        return moves, out[..., 2].clamp(-4, 4), tokens.float().reshape(count, joints, _TOKEN)


def _of(tensor: Tensor, chosen: Tensor | None, axis: int) -> Tensor:
    return tensor if chosen is None else tensor.index_select(axis, chosen)


def whole(pictures: Tensor) -> Tensor:
    """The framings (N, 2, 3) of pictures (N, 3, S, S) that are whole panels."""
    step = torch.tensor([[2.0, 0, 0], [0, 2.0, 0]], device=pictures.device) / pictures.shape[-1]
    return (step - torch.tensor([[0, 0, 1.0], [0, 0, 1.0]], device=pictures.device)).expand(
        len(pictures), 2, 3
    )


class ReaderNet(nn.Module):
    """Heads over a backbone (``forward(pictures, views, framings) -> features``; ``width``, ``stride``, ``groups``)."""

    def __init__(self, trunk: nn.Module, joints: int, parts: int, views: int) -> None:
        super().__init__()
        self.trunk = trunk
        self.heatmaps = nn.Conv2d(trunk.width, joints, 1)
        self.masks = MaskHead(trunk.width, parts + 1)
        self.traits = TraitHead(trunk.width, joints, views)
        self.joints = JointHead(trunk.width, joints, views)

    @property
    def stride(self) -> float:
        """Input pixels to a heatmap cell."""
        return self.trunk.stride

    def forward(
        self,
        pictures: Tensor,
        views: int,
        framings: Tensor | None = None,
        masked: int | None = None,
        chosen: Tensor | None = None,
    ) -> Maps:
        """pictures (N, 3, S, S), normalised, the views of a frame following each other; framings (N, 2, 3): from input
        pixels to the panel (framing.in_panel), None: each picture is a whole, square panel. Masks are made for the
        first ``masked`` pictures only, heatmaps for the ``chosen`` joints (indices); None: for all."""
        if framings is None:
            framings = whole(pictures)
        features = self.trunk(pictures, views, framings)
        if masked is None:
            masks = self.masks(features, pictures)
        else:
            masks = self.masks(features[:masked], pictures[:masked]) if masked else features.new_zeros(0)
        weight, bias = (_of(part, chosen, 0) for part in (self.heatmaps.weight, self.heatmaps.bias))
        return Maps(F.conv2d(features, weight, bias), masks, features, framings)

    def read(self, maps: Maps, views: int) -> Traits:
        """What the maps say, in float32."""
        return self.at_peaks(maps, decode(maps.heatmaps, self.stride), views)

    def at_peaks(self, maps: Maps, peaks: Peaks, views: int, chosen: Tensor | None = None) -> Traits:
        """The joints' traits from the features at their peaks; ``chosen``: the joints that the peaks are of."""
        height, width = maps.features.shape[-2:]
        side = torch.tensor([width, height], device=maps.features.device) * self.stride
        grid = peaks.positions / side * 2 - 1
        local = F.grid_sample(maps.features.float(), grid[:, :, None], align_corners=False)[..., 0].mT
        doubt = (peaks.mass + 1e-3).log()[..., None]
        moves, log_sigma, tokens = self.joints(
            local, doubt, grid, peaks.positions, maps.framings, views, chosen
        )
        visible, depth = self.traits(local, doubt, tokens, views, chosen)
        return Traits(peaks.positions + moves, visible, log_sigma, depth)

    def common(self) -> dict[str, nn.Module]:
        """The modules that fit every creature, by name: the trunk, and what has no entry for each joint or part."""
        return {name: self.get_submodule(name) for name in ("trunk", *_COMMON)}

    def groups(self) -> tuple[list[nn.Parameter], list[nn.Parameter], list[list[nn.Parameter]]]:
        """Weights for Muon, for AdamW, and pretrained ones from the first layer to the last. Muon is for inner
        weights with two or more dimensions, not for first layers, outputs, or codes."""
        inner, rest, pretrained = self.trunk.groups()
        rest = [*rest, *self.heatmaps.parameters()]
        for part in (self.masks, self.traits, self.joints):
            for name, weight in part.named_parameters():
                outer = name.startswith(("out", "shade", "code", "inner", "context", "bias"))
                (inner if inner and weight.ndim > 1 and not outer else rest).append(weight)
        return inner, rest, pretrained
