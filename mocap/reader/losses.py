# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What a training step minimises: each head's loss, and their weighted sum."""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from .heads import Maps, ReaderNet
from .heatmaps import cross_entropy


class Truth(NamedTuple):
    """As training.Batch has it, on the device. points (N, J, 2) input pixels; inside, visible (N, J) bool; depth
    (N, J) heights; masks (M, s, s) int64."""

    points: Tensor
    inside: Tensor
    visible: Tensor
    depth: Tensor
    masks: Tensor


class Losses(NamedTuple):
    """Means: heatmaps and masks in nats; seen: binary cross-entropy; places: negative log likelihood of the joints'
    final places; depth (heights, smooth L1)."""

    heatmaps: Tensor
    masks: Tensor
    visible: Tensor
    places: Tensor
    depth: Tensor


WEIGHTS = Losses(1.0, 0.5, 0.1, 0.3, 0.5)
"""The heatmaps lead; the others are strong enough to be learned by the same features."""
_TINY = 1e-6
"""Square input pixels: the length of nothing has no direction."""
_HUBER = 0.05
_BACKDROP_WEIGHT = 0.4
"""Most pixels are backdrop: they must not drown the limbs."""


def compute(
    net: ReaderNet, maps: Maps, truth: Truth, views: int, cells: float, chosen: Tensor | None = None
) -> Losses:
    """``cells``: deviation of the target heatmaps; ``chosen``: the joints that maps and truth are of, None: all."""
    inside = truth.inside.float()
    count = inside.sum().clamp(min=1)

    def over_joints(values: Tensor) -> Tensor:
        return (values * inside).sum() / count

    heatmaps, peaks = cross_entropy(maps.heatmaps, truth.points, truth.inside, net.stride, cells)
    traits = net.at_peaks(maps, peaks, views, chosen)
    off = ((traits.positions - truth.points).square().sum(-1) + _TINY).sqrt() / net.stride
    return Losses(
        heatmaps,
        _masks(maps.masks, truth.masks),
        over_joints(
            F.binary_cross_entropy_with_logits(traits.visible, truth.visible.float(), reduction="none")
        ),
        over_joints(_laplace(off, traits.log_sigma)),
        over_joints(F.smooth_l1_loss(traits.depth, truth.depth, reduction="none", beta=_HUBER)),
    )


def total(losses: Losses) -> Tensor:
    return sum(weight * loss for weight, loss in zip(WEIGHTS, losses))


def _masks(logits: Tensor, masks: Tensor) -> Tensor:
    if not len(logits):
        return torch.zeros((), device=logits.device)
    classes = logits.shape[1]
    weight = torch.ones(classes, device=logits.device)
    weight[-1] = _BACKDROP_WEIGHT
    if masks.shape[-1] != logits.shape[-1]:
        masks = F.interpolate(masks[:, None].float(), logits.shape[-2:], mode="nearest")[:, 0].long()
    return F.cross_entropy(logits.float(), masks, weight)


def _laplace(off: Tensor, log_sigma: Tensor) -> Tensor:
    """Negative log likelihood of distances ``off`` (cells) under exp(-off / b) / (2 pi b^2): its tails are those of a
    reader's errors, a Gaussian's are not."""
    return 2 * log_sigma + off * (-log_sigma).exp()
