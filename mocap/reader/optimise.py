# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Optimisers, learning rate and averaged weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from .config import TrainConfig


class FlatMuon:
    """``torch.optim.Muon`` for weights of any rank.

    Muon (Jordan et al. 2024) orthogonalises matrices; a convolution's weight (out, in, k, k) is one when
    flattened to (out, in k k). The flattened parameters share their memory with the network's.
    """

    def __init__(self, weights: list[nn.Parameter], lr: float, weight_decay: float) -> None:
        self.weights = weights
        self.matrices = [nn.Parameter(w.detach().view(len(w), -1)) for w in weights]
        self.muon = torch.optim.Muon(
            self.matrices, lr=lr, momentum=0.9, weight_decay=weight_decay, ns_steps=3
        )

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        return self.muon.param_groups

    def step(self) -> None:
        for matrix, weight in zip(self.matrices, self.weights):
            matrix.grad = None if weight.grad is None else weight.grad.reshape(matrix.shape)
        self.muon.step()

    def state_dict(self) -> dict[str, Any]:
        return self.muon.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.muon.load_state_dict(state)


class Optimisers:
    """Muon and AdamW side by side, their learning rates moved together."""

    def __init__(self, net: nn.Module, config: TrainConfig) -> None:
        inner, rest, pretrained = net.groups()
        self.parameters = [*inner, *rest, *(weight for layer in pretrained for weight in layer)]
        self.pretrained = [weight for layer in pretrained for weight in layer]
        matrices = [w for w in rest if w.ndim > 1]
        others = [w for w in rest if w.ndim <= 1]
        groups = [
            {"params": matrices, "lr": config.adamw_lr, "weight_decay": config.weight_decay},
            {"params": others, "lr": config.adamw_lr, "weight_decay": 0.0},
        ]
        for above, layer in enumerate(reversed(pretrained)):
            rate = config.backbone_lr * config.layer_decay**above
            groups.append({"params": layer, "lr": rate, "weight_decay": 0.01})
        self.parts: dict[str, Any] = {"adamw": torch.optim.AdamW(groups, fused=True)}
        if inner:
            self.parts["muon"] = FlatMuon(inner, config.muon_lr, config.weight_decay)
        self.base = {name: [g["lr"] for g in part.param_groups] for name, part in self.parts.items()}
        self.clip = config.clip

    def freeze(self, frozen: bool) -> None:
        """Whether pretrained weights rest; AdamW passes over weights without a gradient."""
        for weight in self.pretrained:
            weight.requires_grad_(not frozen)

    @property
    def rates(self) -> dict[str, list[float]]:
        """The base learning rate of every group; AdamW's after the first two are the pretrained layers', last first."""
        return self.base

    def step(self, factor: float) -> None:
        """One step with every learning rate at ``factor`` of its base."""
        for name, part in self.parts.items():
            for group, base in zip(part.param_groups, self.base[name]):
                group["lr"] = base * factor
        nn.utils.clip_grad_norm_(self.parameters, self.clip)
        for part in self.parts.values():
            part.step()

    def state_dict(self) -> dict[str, Any]:
        return {name: part.state_dict() for name, part in self.parts.items()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        for name, part in self.parts.items():
            part.load_state_dict(state[name])


class Schedule:
    """Warm-up, then half a cosine, over a stretch of epochs [start, end]; ``peak`` scales all of it."""

    def __init__(self, start: int, end: int, peak: float, warm_up: float) -> None:
        self.start, self.end, self.peak, self.warm_up = start, end, peak, warm_up

    def factor(self, epoch: float) -> float:
        """Share of the base learning rate at ``epoch`` (with fraction) of the whole training."""
        done = min(max((epoch - self.start) / (self.end - self.start), 0.0), 1.0)
        if done < self.warm_up:
            return self.peak * (0.02 + 0.98 * done / self.warm_up)
        falling = (done - self.warm_up) / (1 - self.warm_up)
        return self.peak * (0.005 + 0.995 * 0.5 * (1 + float(np.cos(np.pi * falling))))


class Average:
    """Exponential moving average of a network's state (weights and batch statistics), in float32.

    The decay grows from 0.2 towards its final value, so that a short training is not held back by its
    random start.
    """

    def __init__(self, net: nn.Module, decay: float) -> None:
        self.decay = decay
        self.state = {name: value.detach().clone() for name, value in net.state_dict().items()}

    @torch.no_grad()
    def update(self, net: nn.Module, step: int) -> None:
        decay = min(self.decay, (1 + step) / (10 + step))
        current = net.state_dict()
        floats = [name for name, value in current.items() if value.dtype.is_floating_point]
        torch._foreach_lerp_(
            [self.state[name] for name in floats], [current[name] for name in floats], 1 - decay
        )
        for name in current.keys() - set(floats):
            self.state[name].copy_(current[name])

    def load(self, state: dict[str, Tensor]) -> None:
        for name, value in self.state.items():
            value.copy_(state[name])
