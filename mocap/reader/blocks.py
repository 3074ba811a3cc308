# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Building blocks that both backbones share."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class ConvNorm(nn.Module):
    """Convolution without bias, batch norm, and ReLU unless ``act`` is False."""

    def __init__(self, fan_in: int, fan_out: int, kernel: int = 3, stride: int = 1, act: bool = True) -> None:
        super().__init__()
        padding = kernel // 2 if kernel % 2 else 0
        self.conv = nn.Conv2d(fan_in, fan_out, kernel, stride, padding, bias=False)
        self.norm = nn.BatchNorm2d(fan_out)
        self.act = act

    def forward(self, x: Tensor) -> Tensor:
        x = self.norm(self.conv(x))
        return F.relu(x, inplace=True) if self.act else x


class Residual(nn.Module):
    """Two 3x3 convolutions around a shortcut (He et al. 2016); starts as the identity."""

    def __init__(self, fan_in: int, fan_out: int, stride: int = 1) -> None:
        super().__init__()
        self.first = ConvNorm(fan_in, fan_out, 3, stride)
        self.second = ConvNorm(fan_out, fan_out, 3, act=False)
        nn.init.zeros_(self.second.norm.weight)
        # Where the stride is 2, a 2x2 kernel sees every pixel; a 1x1 kernel would drop three of four.
        changes = fan_in != fan_out or stride > 1
        self.shortcut = ConvNorm(fan_in, fan_out, stride, stride, act=False) if changes else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.second(self.first(x)) + self.shortcut(x), inplace=True)


class TokenBlock(nn.Module):
    """A pre-norm transformer block: (B, T, D) tokens -> the same shape."""

    def __init__(self, width: int, heads: int, expand: int = 2) -> None:
        super().__init__()
        self.heads = heads
        self.norm_in = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm_mlp = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, expand * width), nn.GELU(), nn.Linear(expand * width, width)
        )

    def forward(self, tokens: Tensor) -> Tensor:
        count, length, width = tokens.shape
        qkv = self.qkv(self.norm_in(tokens)).reshape(count, length, 3, self.heads, width // self.heads)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(query, key, value).transpose(1, 2).reshape(tokens.shape)
        tokens = tokens + self.out(mixed)
        return tokens + self.mlp(self.norm_mlp(tokens))


_WAVES = 5
CODED = 2 + 4 * _WAVES
"""Length of a place's code."""


def coded(places: Tensor) -> Tensor:
    """(..., 2) places from -1 to 1 -> (..., CODED): themselves, and sines and cosines of them at doubling frequencies
    (Tancik et al. 2020), so that near places can be told apart and far ones compared."""
    waves = torch.pi * 2.0 ** torch.arange(_WAVES, device=places.device)
    turned = (places[..., None, :] * waves[:, None]).flatten(-2)
    return torch.cat([places, turned.sin(), turned.cos()], -1)


def applied(framings: Tensor, places: Tensor) -> Tensor:
    """(N, 2, 3) affine maps of (N, K, 2) or (K, 2) places -> (N, K, 2). No matrix product: autocast would round it."""
    return (places[..., None, :] * framings[:, None, :, :2]).sum(-1) + framings[:, None, :, 2]


class CrossViewBlock(nn.Module):
    """A transformer block over the cells of all views of one frame together.

    What one view shows (which foot is in front) settles what another leaves open. Each view has its own learned
    code, and its own code for every cell where ``cells`` is given. Views are framed each by itself: where a cell lies
    in its panel is told, too, for what is high in one panel is as high in the other.
    """

    def __init__(self, width: int, heads: int, views: int, cells: int = 1) -> None:
        super().__init__()
        self.place = nn.Parameter(torch.randn(1, views, cells, width) * 0.02)
        self.panel = nn.Linear(CODED, width)
        nn.init.zeros_(self.panel.weight)
        nn.init.zeros_(self.panel.bias)
        self.block = TokenBlock(width, heads)

    def forward(self, maps: Tensor, views: int, framings: Tensor, stride: float) -> Tensor:
        """(B * views, D, h, w) -> the same shape; the views of a frame follow each other. framings (B * views, 2, 3):
        from input pixels, ``stride`` of them to a cell, to the panel (framing.in_panel)."""
        count, width, height, columns = maps.shape
        cells = applied(framings, _centres(height, columns, maps.device) * stride)
        tokens = maps.flatten(2).transpose(1, 2) + self.panel(coded(cells))
        tokens = tokens.reshape(count // views, views, height * columns, width)
        tokens = self.block((tokens + self.place).reshape(count // views, -1, width))
        return tokens.reshape(count, height * columns, width).transpose(1, 2).reshape(maps.shape)


def _centres(height: int, columns: int, device: torch.device) -> Tensor:
    """(h w, 2) the cells' centres (x, y), in cells, row by row."""
    down, across = torch.arange(height, device=device) + 0.5, torch.arange(columns, device=device) + 0.5
    return torch.stack(torch.meshgrid(across, down, indexing="xy"), -1).flatten(0, 1)


def doubled(maps: Tensor) -> Tensor:
    return F.interpolate(maps, scale_factor=2.0, mode="nearest")
