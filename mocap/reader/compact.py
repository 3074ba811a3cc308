# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The compact backbone: under a million weights, from scratch, a pair of views in about 10 ms on two cores."""

from __future__ import annotations

from torch import Tensor, nn

from .blocks import ConvNorm, CrossViewBlock, Residual, doubled
from .config import CompactConfig


class CompactTrunk(nn.Module):
    """Residual stages at strides 4 to 32, cross-view attention at 32, a feature pyramid back to 4.

    Lin et al. 2017 for the pyramid, He et al. 2016 for the blocks.
    """

    stride = 4

    def __init__(self, config: CompactConfig, views: int) -> None:
        super().__init__()
        w4, w8, w16, w32 = config.widths
        self.width = config.neck
        self.stem = nn.Sequential(ConvNorm(3, w4 // 2, 3, 2), ConvNorm(w4 // 2, w4, 3, 2))
        self.stage4 = _stage(w4, w4, config.blocks[0], 1)
        self.stage8 = _stage(w4, w8, config.blocks[1], 2)
        self.stage16 = _stage(w8, w16, config.blocks[2], 2)
        self.stage32 = _stage(w16, w32, 1, 2)
        self.cross = CrossViewBlock(w32, config.heads, views, (config.input_size // 32) ** 2)
        self.lateral = nn.ModuleList([nn.Conv2d(width, config.neck, 1) for width in (w32, w16, w8, w4)])
        self.smooth = nn.ModuleList([ConvNorm(config.neck, config.neck) for _ in range(3)])

    def forward(self, pictures: Tensor, views: int, framings: Tensor) -> Tensor:
        """(B * views, 3, S, S) normalised pictures; framings (B * views, 2, 3): from their pixels to
        the panels -> (B * views, neck, S / 4, S / 4) features."""
        f4 = self.stage4(self.stem(pictures))
        f8 = self.stage8(f4)
        f16 = self.stage16(f8)
        f32 = self.stage32(f16)
        f32 = f32 + self.cross(f32, views, framings, 32)
        out = self.lateral[0](f32)
        for lateral, smooth, skip in zip(self.lateral[1:], self.smooth, (f16, f8, f4)):
            out = smooth(doubled(out) + lateral(skip))
        return out

    def groups(self) -> tuple[list[nn.Parameter], list[nn.Parameter], list[list[nn.Parameter]]]:
        """Weights for Muon, for AdamW, and pretrained ones (none)."""
        outer = ("stem.0", "cross.place", "cross.panel")
        inner, rest = [], []
        for name, weight in self.named_parameters():
            (inner if weight.ndim > 1 and not name.startswith(outer) else rest).append(weight)
        return inner, rest, []


def _stage(fan_in: int, fan_out: int, blocks: int, stride: int) -> nn.Sequential:
    first = Residual(fan_in, fan_out, stride)
    return nn.Sequential(first, *[Residual(fan_out, fan_out) for _ in range(blocks - 1)])
