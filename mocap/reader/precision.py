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
_ROUNDS = 3
_FRAMES = 4


def measure(net: nn.Module, size: int, views: int, joints: int, device: torch.device) -> dict:
    """Seconds of a small training step for each combination: {(precision, channels_last): seconds}.

    The combinations take turns and the best of each counts, and the CPU uses one thread, so that other
    busy processes disturb the comparison little.
    """
    probe = copy.deepcopy(net).train()
    pictures = torch.randn(_FRAMES * views, 3, size, size, device=device)
    points = torch.rand(_FRAMES * views, joints, 2, device=device) * size
    inside = torch.ones(_FRAMES * views, joints, dtype=torch.bool, device=device)
    layouts = {False: torch.contiguous_format, True: torch.channels_last}
    batches = {last: pictures.contiguous(memory_format=layout) for last, layout in layouts.items()}
    combinations = [(precision, last) for precision in ("float32", "bfloat16") for last in layouts]
    found = dict.fromkeys(combinations, float("inf"))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for turn in range(1 + _ROUNDS):  # the first turn sets things up
            for precision, last in combinations:
                seconds = _step(probe, batches[last], points, inside, views, precision)
                if turn > 0:
                    found[precision, last] = min(found[precision, last], seconds)
    finally:
        torch.set_num_threads(threads)
    return found


def _step(net, batch, points, inside, views: int, precision: str) -> float:
    device = batch.device
    start = time.perf_counter()
    with autocast(device, precision):
        maps = net(batch, views)
    (
        cross_entropy(maps.heatmaps, points, inside, net.stride, 1.5)[0] + maps.masks.float().square().mean()
    ).backward()
    next(net.heatmaps.parameters()).grad.flatten()[0].item()  # waits for a GPU to finish
    net.zero_grad(set_to_none=True)
    return time.perf_counter() - start


def fastest(times: dict) -> tuple[str, bool]:
    """The quickest combination, unless it beats float32 in plain layout by less than a margin."""
    best = min(times, key=times.get)
    return best if times[best] * _MARGIN < times["float32", False] else ("float32", False)
