# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""reader.pt: a trained reader and, for going on with its training, the training's state.

One ``torch.save`` of plain values and tensors.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from .. import __version__, files
from . import backbones, plain
from .config import CompactConfig, Dinov2Config, TrainConfig, backbone_config, train_config
from .heads import ReaderNet
from .predict import TorchEngine
from .reading import Card, Reader

SCHEMA = 6
KIND = "anymove.reader"


@dataclass(frozen=True)
class Checkpoint:
    """Everything in reader.pt.

    ``weights`` are the averaged ones, which read; ``state`` holds what training goes on from (raw
    weights, optimisers, epoch, step, schedule, random state); ``figures`` the held-out errors.
    """

    card: Card
    backbone: CompactConfig | Dinov2Config
    why: str
    """Why this backbone was chosen."""
    train: TrainConfig
    weights: dict[str, Tensor]
    figures: dict[str, Any] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)

    def save(self, path: str | os.PathLike) -> None:
        data = {
            "tool_version": __version__,
            "card": self.card.to_json(),
            "backbone": self.backbone.model_dump(mode="json"),
            "why": self.why,
            "train": self.train.model_dump(mode="json"),
            "weights": {name: value.detach().cpu() for name, value in self.weights.items()},
            "figures": self.figures,
            "state": self.state,
        }
        plain.save(path, KIND, SCHEMA, data)

    def net(self) -> ReaderNet:
        """The network with the averaged weights."""
        net = backbones.build(
            self.backbone,
            len(self.card.joint_names),
            len(self.card.part_names),
            len(self.card.layout.views),
        )
        net.load_state_dict(self.weights)
        return net.eval()

    def reader(self, device: str = "cpu") -> Reader:
        """Ready to read on ``device`` (a kind: "cuda", "cpu")."""
        views, train = len(self.card.layout.views), self.train
        engine = TorchEngine(self.net(), views, device, train.precision, train.channels_last)
        return Reader.of(engine, self.card)


def load(path: str | os.PathLike, map_location: str | torch.device = "cpu") -> Checkpoint:
    """Read reader.pt. Raises BadInput with one line where it is not one."""
    data = plain.load(path, "reader", KIND, SCHEMA, "mocap.reader.train", map_location)
    return files.parse(path, "reader", lambda: _from(data, str(path)))


def _from(data: dict[str, Any], where: str) -> Checkpoint:
    return Checkpoint(
        Card.from_json(data["card"]),
        backbone_config(data["backbone"], where),
        data["why"],
        train_config(data["train"], where),
        data["weights"],
        data["figures"],
        data["state"],
    )
