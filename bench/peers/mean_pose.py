# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Always the mean place of every joint: what a reader must beat to be one."""

from __future__ import annotations

import torch
from torch import Tensor

from .base import Peer


class MeanPose(Peer):
    by_gradient = False

    def __init__(self, joints: int, size: int) -> None:
        super().__init__()
        self.size = size
        self.register_buffer("total", torch.zeros(joints, 2, dtype=torch.float64))
        self.register_buffer("count", torch.zeros(joints, 1, dtype=torch.float64))

    def loss(self, pictures: Tensor, points: Tensor, inside: Tensor) -> Tensor:
        """Takes the points into the mean; the distance from it, in input pixels."""
        self.total += (points * inside[..., None]).sum(0)
        self.count += inside.sum(0)[:, None]
        apart = (self.positions(pictures) - points).norm(dim=-1)
        return (apart * inside).sum() / inside.sum().clamp(min=1)

    def positions(self, pictures: Tensor) -> Tensor:
        """A joint that was never inside is answered by the middle."""
        mean = torch.where(self.count > 0, self.total / self.count.clamp(min=1), self.size / 2)
        return mean.to(pictures.dtype).expand(len(pictures), -1, -1)
