# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A plain U-Net that regresses Gaussian heatmaps by mean squares, as SLEAP trains (Pereira et al. 2022).

A joint covers 0.6% of its map: with all cells alike the net answers zero everywhere for as long as a benchmark lasts
(measured). Squares therefore count more where the joint is, the usual remedy.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from mocap.reader.blocks import ConvNorm, doubled

from .base import Peer

_WIDTHS = (8, 16, 32, 64, 200)
"""Channels at strides 1, 2, 4, 8 and 16."""
_STRIDE = 4
_SIGMA = 1.5
"""Of the target, in cells."""
_FOREGROUND = 100.0
"""How much more a square counts at the target's peak than where the target is zero."""


class UNet(Peer):
    """Two 3x3 convolutions a level and max pooling (Ronneberger et al. 2015); maps at stride 4."""

    def __init__(self, joints: int, size: int) -> None:
        super().__init__()
        fans = (3, *_WIDTHS)
        self.down = nn.ModuleList([_double(fans[at], fans[at + 1]) for at in range(len(_WIDTHS))])
        w4, w8, w16 = _WIDTHS[2:]
        self.up = nn.ModuleList([_double(w16 + w8, w8), _double(w8 + w4, w4)])
        self.head = nn.Conv2d(w4, joints, 1)

    def forward(self, pictures: Tensor) -> Tensor:
        """(N, J, S / 4, S / 4) maps."""
        levels, out = [], pictures
        for level, block in enumerate(self.down):
            out = block(F.max_pool2d(out, 2) if level else out)
            levels.append(out)
        for block, skip in zip(self.up, levels[-2:1:-1]):
            out = block(torch.cat([doubled(out), skip], 1))
        return self.head(out)

    def loss(self, pictures: Tensor, points: Tensor, inside: Tensor) -> Tensor:
        maps = self(pictures)
        target = gaussians(points / _STRIDE - 0.5, maps.shape[-1])
        squares = (maps.float() - target).square() * (1 + _FOREGROUND * target)
        return (squares.mean((2, 3)) * inside).sum() / inside.sum().clamp(min=1)

    def positions(self, pictures: Tensor) -> Tensor:
        return (peaks(self(pictures).float()) + 0.5) * _STRIDE


def _double(fan_in: int, fan_out: int) -> nn.Sequential:
    return nn.Sequential(ConvNorm(fan_in, fan_out), ConvNorm(fan_out, fan_out))


def gaussians(cells: Tensor, side: int) -> Tensor:
    """(N, J, side, side) maps with a peak of height 1 at ``cells`` (N, J, 2)."""
    grid = torch.arange(side, device=cells.device, dtype=cells.dtype)
    across, down = (torch.exp(-((grid - cells[..., axis, None]) ** 2) / (2 * _SIGMA**2)) for axis in (0, 1))
    return down[..., :, None] * across[..., None, :]


def peaks(maps: Tensor) -> Tensor:
    """(N, J, 2) cells: the highest one, moved by up to half a cell to the top of the parabola through the
    logarithms of its neighbours, which is exact for a Gaussian. On the border it stays."""
    height, width = maps.shape[-2:]
    logs = maps.clamp(min=1e-4).log()
    flat = logs.flatten(2)
    at = maps.flatten(2).argmax(-1)
    cells = torch.stack([at % width, at // width], -1)
    offsets = []
    for axis, (step, length) in enumerate(((1, width), (width, height))):
        here = cells[..., axis]
        free = (here > 0) & (here < length - 1)
        step = free * step
        before, top, after = (flat.gather(2, (at + way * step)[..., None])[..., 0] for way in (-1, 0, 1))
        bend = (2 * top - before - after).clamp(min=1e-6)
        offsets.append((free * 0.5 * (after - before) / bend).clamp(-0.5, 0.5))
    return cells + torch.stack(offsets, -1)
