# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Heatmaps: the loss that trains them and the positions read off them.

A cell's centre lies at (index + 0.5) * stride input pixels.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

WINDOW = 3
"""Cells to each side of the peak that the sub-pixel decoding looks at: 7 x 7."""


def cross_entropy(logits: Tensor, points: Tensor, inside: Tensor, stride: float, sigma: float) -> Tensor:
    """Cross-entropy between each map's softmax and a Gaussian around the true cell.

    logits (N, J, h, w); points (N, J, 2) input pixels; inside (N, J) bool, the joints that count;
    sigma in cells. The Gaussian is separable, so the target map itself is never built:
    CE = -<log softmax(logits), y x^T>.
    """
    logged = logits.float().flatten(2).log_softmax(-1).view(logits.shape)
    cells = points / stride - 0.5
    across = _gaussian(cells[..., 0], logits.shape[-1], sigma)
    down = _gaussian(cells[..., 1], logits.shape[-2], sigma)
    loss = -(torch.matmul(logged, across[..., None])[..., 0] * down).sum(-1)
    return (loss * inside).sum() / inside.sum().clamp(min=1)


def _gaussian(centres: Tensor, length: int, sigma: float) -> Tensor:
    """(N, J) centres in cells -> (N, J, length) weights that sum to one."""
    grid = torch.arange(length, device=centres.device, dtype=centres.dtype)
    return torch.softmax(-((grid - centres[..., None]) ** 2) / (2 * sigma**2), -1)


class Peaks(NamedTuple):
    """positions (N, J, 2) input pixels; spread (N, J) input pixels: the map's own deviation an axis."""

    positions: Tensor
    spread: Tensor


def decode(logits: Tensor, stride: float) -> Peaks:
    """Soft-argmax in a 7 x 7 window around each map's peak, and how widely the whole map spreads.

    The window keeps a second, far peak from pulling the position; the spread is over the whole map, so
    that such a peak is not forgotten.
    """
    logits = logits.float()
    count, joints, _, width = logits.shape
    probability = logits.flatten(2).softmax(-1)
    peak = probability.argmax(-1)
    x0, y0 = peak % width, peak // width
    size = 2 * WINDOW + 1
    padded = F.pad(probability.view(logits.shape), (WINDOW,) * 4)
    reach = torch.arange(size, device=logits.device)
    rows = (y0[..., None] + reach)[..., None].expand(count, joints, size, padded.shape[-1])
    columns = (x0[..., None] + reach)[..., None, :].expand(count, joints, size, size)
    window = padded.gather(2, rows).gather(3, columns)
    window = window / window.sum((2, 3), keepdim=True)
    offset = reach - WINDOW
    dx = (window.sum(2) * offset).sum(-1)
    dy = (window.sum(3) * offset).sum(-1)
    cells = torch.stack([x0 + dx, y0 + dy], -1)
    return Peaks((cells + 0.5) * stride, _spread(probability.view(logits.shape), cells) * stride)


def _spread(probability: Tensor, cells: Tensor) -> Tensor:
    """Root mean square distance an axis of the map's mass from the position read, in cells."""
    squares = []
    for mass, centre in ((probability.sum(2), cells[..., 0]), (probability.sum(3), cells[..., 1])):
        grid = torch.arange(mass.shape[-1], device=mass.device)
        squares.append((mass * (grid - centre[..., None]) ** 2).sum(-1))
    return ((squares[0] + squares[1]) / 2).sqrt()
