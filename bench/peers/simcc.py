# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""SimCC (Li et al. 2022): the place of a joint as two classifications, over columns and over rows."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from mocap.reader.blocks import ConvNorm, Residual

from .base import Peer

_WIDTHS = (24, 32, 64, 96)
"""Channels at strides 2, 4, 8 and 16."""
_STRIDE = 16
_SPLIT = 2
"""Classes a pixel."""
_SIGMA = 6.0
"""Of the smoothed label, in classes."""


class SimCC(Peer):
    """Residual stages to stride 16, a map a joint, and a linear layer for each axis over the flattened map."""

    def __init__(self, joints: int, size: int) -> None:
        super().__init__()
        w2, w4, w8, w16 = _WIDTHS
        self.trunk = nn.Sequential(
            *(ConvNorm(3, w2, 3, 2), Residual(w2, w4, 2), Residual(w4, w4), Residual(w4, w8, 2)),
            *(Residual(w8, w8), Residual(w8, w16, 2), Residual(w16, w16), Residual(w16, w16)),
        )
        self.maps = nn.Conv2d(w16, joints, 1)
        cells = (size // _STRIDE) ** 2
        self.across, self.down = (nn.Linear(cells, size * _SPLIT) for _ in range(2))

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (N, J, S * 2) of the columns and of the rows."""
        flat = self.maps(self.trunk(pictures)).flatten(2)
        return self.across(flat), self.down(flat)

    def loss(self, pictures: Tensor, points: Tensor, inside: Tensor) -> Tensor:
        both = 0.0
        for axis, logits in enumerate(self(pictures)):
            classes = torch.arange(logits.shape[-1], device=points.device)
            away = classes + 0.5 - points[..., axis, None] * _SPLIT
            target = torch.softmax(-(away**2) / (2 * _SIGMA**2), -1)
            both = both - (target * logits.float().log_softmax(-1)).sum(-1)
        return (both * inside).sum() / inside.sum().clamp(min=1)

    def positions(self, pictures: Tensor) -> Tensor:
        return torch.stack([(logits.argmax(-1) + 0.5) / _SPLIT for logits in self(pictures)], -1)
