# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""One training: network, optimisers, averaged weights and data, and what a checkpoint keeps of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch

from .. import cli
from ..dataset.backdrops import Backdrops
from ..dataset.training import Batch, Batches, Mix, SampleSet
from ..raster.stream import Stream
from ..raster.studio import Studio
from . import backbones, losses, optimise
from .checkpoint import Checkpoint
from .config import CompactConfig, Dinov2Config, TrainConfig
from .predict import TorchEngine, autocast, normalise
from .reading import Reader, height_in_pixels
from .team import Team

_STREAM_WINDOW = 1024
"""Drawn samples kept for showing them again; about 0.3 GB."""


class Trainer:
    """Holds what changes while training. ``epochs_done`` counts whole passes over the data."""

    def __init__(
        self,
        studio: Studio,
        data: SampleSet,
        backbone: CompactConfig | Dinov2Config,
        config: TrainConfig,
        device: torch.device,
        bank: Backdrops,
        team: Team | None = None,
    ) -> None:
        torch.manual_seed(config.seed)
        self.team = team or Team()
        self.rig = studio.rig
        self.studio, self.data, self.backbone, self.config, self.device = (
            studio,
            data,
            backbone,
            config,
            device,
        )
        self.views = len(self.rig.layout.views)
        self.net = self._net()
        skeleton = self.rig.skeleton
        self.height_px = height_in_pixels(self.rig.layout, skeleton.height, skeleton.bare.joint_points)
        self.batches = Batches(
            data,
            Stream(studio, config.seed, _STREAM_WINDOW + config.batch) if config.stream else None,
            Mix(config.stream, config.reuse, _STREAM_WINDOW),
            bank,
            backbone.input_size,
            config.batch,
            config.seed,
            config.pairs,
            config.whole_share,
            self.team.share(config.batch),
        )
        self.epochs_done, self.step = 0, 0
        self.begin()

    def _net(self) -> backbones.ReaderNet:
        net = backbones.build(
            self.backbone, len(self.rig.skeleton.joints), len(self.studio.parts.names), self.views
        )
        return net.to(self.device)

    def begin(self) -> None:
        """(Re)make the optimisers and the average for the weights that the network has now."""
        self.optimisers = optimise.Optimisers(self.net, self.config)
        self.average = optimise.Average(self.net, self.config.ema)

    def adopt(self, pretrained: dict[str, torch.Tensor]) -> None:
        """Start the transformer from pretrained weights."""
        self.net.trunk.transformer.load_state_dict(pretrained)
        self.begin()

    def start_from(self, common: dict[str, torch.Tensor]) -> None:
        """Start what fits every creature from what was trained on others (``ReaderNet.common``)."""
        self.net.load_state_dict(common, strict=False)
        self.begin()

    def run_epoch(self, schedule: optimise.Schedule, workers: int) -> dict[str, float]:
        """One pass over the training samples; returns the mean of each loss."""
        epoch, found = self.epochs_done, []
        steps = self.batches.steps
        self.net.train()
        self.optimisers.freeze(epoch < self.config.frozen_epochs)
        batches = self.batches.epoch(epoch, workers)
        for at, batch in enumerate(
            cli.track(
                batches,
                f"epoch {epoch + 1}",
                total=steps,
                note=lambda: f"loss {np.mean([f.heatmaps for f in found[-20:]]):.3f}" if found else "",
                logged=False,
            )
        ):
            found.append(self.train_step(batch, schedule.factor(epoch + at / steps)))
        self.team.average_buffers(self.net)
        self.epochs_done += 1
        return losses.Losses(*np.mean(found, axis=0).tolist())._asdict()

    def train_step(self, batch: Batch, factor: float) -> losses.Losses:
        """One optimiser step; returns each loss as a number."""
        found = step_losses(self.net, batch, self.config, self.views, self.device, self._chosen())
        self.net.zero_grad(set_to_none=True)
        found.total.backward()
        self.team.average_gradients(self.optimisers.parameters)
        self.optimisers.step(factor)
        self.step += 1
        if self.team.rank == 0:
            self.average.update(self.net, self.step)
        return losses.Losses(*(value.item() for value in found.losses))

    def _chosen(self) -> torch.Tensor | None:
        """Indices of all joints and of some markers, in order; None where all are learned. The step decides."""
        marker = self.rig.skeleton.is_marker
        if self.config.marker_share == 1 or not marker.any():
            return None
        markers = np.flatnonzero(marker)
        rng = np.random.default_rng([self.config.seed, self.step, 0x3A])
        some = rng.choice(markers, max(1, round(self.config.marker_share * len(markers))), replace=False)
        return torch.from_numpy(np.sort(np.concatenate([np.flatnonzero(~marker), some]))).to(self.device)

    def reader(self) -> Reader:
        """A reader with the averaged weights, its uncertainty still unknown."""
        net = self._net()
        net.load_state_dict(self.average.state)
        engine = TorchEngine(net, self.views, self.device, self.config.precision, self.config.channels_last)
        return Reader(engine, self.backbone.input_size, self.rig.layout, self.height_px)

    def state_dict(self, schedule: optimise.Schedule) -> dict[str, Any]:
        return {
            "epoch": self.epochs_done,
            "step": self.step,
            "schedule": {"start": schedule.start, "end": schedule.end, "peak": schedule.peak},
            "weights": {name: value.detach().cpu() for name, value in self.net.state_dict().items()},
            "optimisers": self.optimisers.state_dict(),
            "random": torch.get_rng_state(),
            "data": self.data.digest,
        }

    def load_state(self, checkpoint: Checkpoint) -> None:
        """Go on exactly where ``checkpoint`` was written."""
        state = checkpoint.state
        self.net.load_state_dict(state["weights"])
        self.begin()
        self.optimisers.load_state_dict(state["optimisers"])
        self.average.load(checkpoint.weights)
        self.epochs_done, self.step = state["epoch"], state["step"]
        torch.set_rng_state(state["random"].cpu())


class StepLosses(NamedTuple):
    losses: losses.Losses
    total: torch.Tensor


def step_losses(
    net: backbones.ReaderNet,
    batch: Batch,
    config: TrainConfig,
    views: int,
    device: torch.device,
    chosen: torch.Tensor | None,
) -> StepLosses:
    """The losses of ``net`` on a batch; ``chosen``: indices of the joints whose heatmaps are made, None: all."""
    pictures = normalise(batch.pictures, device, config.channels_last)
    masked = round(config.mask_share * len(pictures) / views) * views
    truth = _truth(batch, masked, chosen, device)
    framings = torch.from_numpy(batch.framings).to(device)
    with autocast(device, config.precision):
        maps = net(pictures, views, framings, masked, chosen)
    found = losses.compute(net, maps, truth, views, config.sigma_cells, chosen)
    return StepLosses(found, losses.total(found))


def _truth(batch: Batch, masked: int, chosen: torch.Tensor | None, device: torch.device) -> losses.Truth:
    of_joints = (batch.points, batch.inside, batch.visible, batch.depth)
    tensors = [torch.from_numpy(array).to(device) for array in of_joints]
    if chosen is not None:
        tensors = [tensor.index_select(1, chosen) for tensor in tensors]
    masks = torch.from_numpy(batch.masks[:masked].astype(np.int64)).to(device)
    return losses.Truth(*tensors, masks)
