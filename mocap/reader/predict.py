# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Running the network in torch."""

from __future__ import annotations

import numpy as np
import torch

from .heads import ReaderNet
from .reading import Outputs


def normalise(pictures: np.ndarray, device: torch.device, channels_last: bool = True) -> torch.Tensor:
    """(N, S, S, 3) uint8 -> (N, 3, S, S) float32 about zero."""
    tensor = torch.from_numpy(pictures).to(device).permute(0, 3, 1, 2).float().sub_(127).div_(64)
    return tensor.contiguous(memory_format=torch.channels_last if channels_last else torch.contiguous_format)


def autocast(device: torch.device, precision: str) -> torch.autocast:
    return torch.autocast(device.type, torch.bfloat16, enabled=precision == "bfloat16")


class TorchEngine:
    """A reading.Engine: the network on ``device``, in the precision that it was trained in."""

    def __init__(
        self,
        net: ReaderNet,
        views: int,
        device: torch.device | str = "cpu",
        precision: str = "float32",
        channels_last: bool = True,
    ) -> None:
        self.device = torch.device(device)
        self.net, self.views = net.to(self.device).eval(), views
        self.precision, self.channels_last = precision, channels_last

    @torch.inference_mode()
    def __call__(self, pictures: np.ndarray, framings: np.ndarray, masks: bool) -> Outputs:
        batch = normalise(pictures, self.device, self.channels_last)
        where = torch.from_numpy(np.asarray(framings, np.float32)).to(self.device)
        with autocast(self.device, self.precision):
            maps = self.net(batch, self.views, where, None if masks else 0)
        traits = self.net.read(maps, self.views)
        sigma = traits.log_sigma.exp() * self.net.stride
        numbers = (traits.positions, sigma, traits.visible.sigmoid(), traits.depth)
        soft = maps.masks.float().softmax(1).half().cpu().numpy() if masks else None
        return Outputs(*(tensor.cpu().double().numpy() for tensor in numbers), soft)
