# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Heatmaps: the loss that trains them and the positions read off them.

A cell's centre lies at (index + 0.5) * stride input pixels.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

_CHUNK = 4
"""Pictures whose maps are looked at together."""
WINDOW = 3
"""Cells to each side of the peak that the sub-pixel decoding looks at: 7 x 7."""


class Peaks(NamedTuple):
    """positions (N, J, 2) input pixels; mass (N, J): share of the map within the window around its peak."""

    positions: Tensor
    mass: Tensor


def cross_entropy(
    logits: Tensor, points: Tensor, inside: Tensor, stride: float, sigma: float
) -> tuple[Tensor, Peaks]:
    """Mean cross-entropy between each map's softmax and a Gaussian around the true cell, and what the maps say.

    logits (N, J, h, w); points (N, J, 2) input pixels; inside (N, J) bool, the joints that count; sigma in cells.
    The Gaussian is separable, so the target map itself is never built.
    """
    cells = points / stride - 0.5
    across = _gaussian(cells[..., 0], logits.shape[-1], sigma)
    down = _gaussian(cells[..., 1], logits.shape[-2], sigma)
    weight = inside / inside.sum().clamp(min=1)
    loss, positions, mass = _CrossEntropy.apply(logits, across, down, weight, stride)
    return loss, Peaks(positions, mass)


class _CrossEntropy(torch.autograd.Function):
    """sum(weight * (logsumexp(logits) - <logits, down x across>)), and the peaks.

    With many joints the maps are most of what a step moves through memory. Loss, gradient (softmax minus target)
    and peaks are therefore made together, a few pictures at a time, so that a CPU's cache holds them.
    """

    @staticmethod
    def forward(context, logits: Tensor, across: Tensor, down: Tensor, weight: Tensor, stride: float):
        losses, positions, masses = [], [], []
        gradient = torch.empty_like(logits)
        for at in range(0, len(logits), _CHUNK):
            part = slice(at, at + _CHUNK)
            # A copy, also of float32: it is worked on in place.
            maps = logits[part].to(torch.float32, memory_format=torch.contiguous_format, copy=True)
            picked = (torch.matmul(maps, across[part, ..., None])[..., 0] * down[part]).sum(-1)
            flat = maps.flatten(2)
            top = flat.amax(-1, keepdim=True)
            flat.sub_(top).exp_()
            whole = flat.sum(-1, keepdim=True)
            flat.div_(whole)
            losses.append(((whole.log() + top)[..., 0] - picked) * weight[part])
            peaks = _peaks(maps, stride)
            positions.append(peaks.positions)
            masses.append(peaks.mass)
            target = down[part, ..., None] * across[part, ..., None, :]
            gradient[part] = maps.sub_(target).mul_(weight[part, ..., None, None])
        context.save_for_backward(gradient)
        found = torch.cat(positions), torch.cat(masses)
        context.mark_non_differentiable(*found)
        return torch.cat(losses).sum(), *found

    @staticmethod
    def backward(context, scale: Tensor, *_):
        (gradient,) = context.saved_tensors
        return gradient * scale.to(gradient.dtype), None, None, None, None


def _gaussian(centres: Tensor, length: int, sigma: float) -> Tensor:
    """(N, J) centres in cells -> (N, J, length) weights that sum to one."""
    grid = torch.arange(length, device=centres.device, dtype=centres.dtype)
    return torch.softmax(-((grid - centres[..., None]) ** 2) / (2 * sigma**2), -1)


def decode(logits: Tensor, stride: float) -> Peaks:
    """Soft-argmax in a 7 x 7 window around each map's peak: a second, far peak does not pull the position, but
    lessens the mass."""
    return _peaks(logits.float().flatten(2).softmax(-1).view(logits.shape), stride)


@torch.no_grad()
def _peaks(probability: Tensor, stride: float) -> Peaks:
    height, width = probability.shape[-2:]
    peak = probability.flatten(2).argmax(-1)
    x0, y0 = peak % width, peak // width
    reach = torch.arange(-WINDOW, WINDOW + 1, device=probability.device)
    rows, columns = y0[..., None] + reach, x0[..., None] + reach
    index = rows.clamp(0, height - 1)[..., None] * width + columns.clamp(0, width - 1)[..., None, :]
    beyond = ((rows < 0) | (rows >= height))[..., None] | ((columns < 0) | (columns >= width))[..., None, :]
    window = probability.flatten(2).gather(2, index.flatten(2)).view(index.shape).masked_fill(beyond, 0.0)
    mass = window.sum((2, 3))
    window = window / mass[..., None, None]
    dx, dy = (window.sum(2) * reach).sum(-1), (window.sum(3) * reach).sum(-1)
    cells = torch.stack([x0 + dx, y0 + dy], -1)
    return Peaks((cells + 0.5) * stride, mass)
