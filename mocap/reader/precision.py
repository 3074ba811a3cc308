# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Which number format and memory layout trains fastest here, found by running real steps."""

from __future__ import annotations

import copy
import time

import torch
from torch import nn

from .heatmaps import cross_entropy
from .predict import autocast

_MARGIN = 1.1
"""What must be gained for leaving float32 and plain layout."""
_STEPS = 2


def measure(net: nn.Module, size: int, frames: int, views: int, joints: int, device: torch.device) -> dict:
    """Seconds a training step for each combination: {(precision, channels_last): seconds}."""
    probe = copy.deepcopy(net).train()
    pictures = torch.randn(frames * views, 3, size, size, device=device)
    points = torch.rand(frames * views, joints, 2, device=device) * size
    inside = torch.ones(frames * views, joints, dtype=torch.bool, device=device)
    found = {}
    _step(probe, pictures, points, inside, views, "float32")  # the very first step sets things up
    for precision in ("float32", "bfloat16"):
        for last in (False, True):
            layout = torch.channels_last if last else torch.contiguous_format
            batch = pictures.contiguous(memory_format=layout)
            times = [_step(probe, batch, points, inside, views, precision) for _ in range(1 + _STEPS)]
            found[precision, last] = min(times[1:])
    return found


def _step(net, batch, points, inside, views: int, precision: str) -> float:
    device = batch.device
    start = time.perf_counter()
    with autocast(device, precision):
        logits = net(batch, views)
    cross_entropy(logits, points, inside, net.stride, 1.5).backward()
    next(net.parameters()).grad.flatten()[0].item()  # waits for a GPU to finish
    net.zero_grad(set_to_none=True)
    return time.perf_counter() - start


def fastest(times: dict) -> tuple[str, bool]:
    """The quickest combination, unless it beats float32 in plain layout by less than a margin."""
    best = min(times, key=times.get)
    return best if times[best] * _MARGIN < times["float32", False] else ("float32", False)
