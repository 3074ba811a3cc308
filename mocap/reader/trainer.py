# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""One training: network, optimisers, averaged weights and data, and what a checkpoint keeps of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from .. import cli
from ..dataset.backdrops import Backdrops
from ..dataset.held_out import easy_panels
from ..dataset.training import Batches, SampleSet
from ..rig_info import RigInfo
from . import backbones, figures, heatmaps, optimise, uncertainty
from .checkpoint import Checkpoint
from .config import CompactConfig, Dinov2Config, TrainConfig
from .predict import Reader, autocast, height_in_pixels, normalise

_HELD_OUT_SEED = 0x7E57
_HELD_OUT_AT_MOST = 96
"""Held-out samples looked at after an epoch; more would cost time and tell little more."""


class Trainer:
    """Holds what changes while training. ``epochs_done`` counts whole passes over the data."""

    def __init__(
        self,
        rig: RigInfo,
        data: SampleSet,
        backbone: CompactConfig | Dinov2Config,
        config: TrainConfig,
        device: torch.device,
        bank: Backdrops,
    ) -> None:
        torch.manual_seed(config.seed)
        self.rig, self.data, self.backbone, self.config, self.device = rig, data, backbone, config, device
        self.views = len(rig.layout.views)
        self.net = backbones.build(backbone, len(rig.skeleton.joints), self.views).to(device)
        self.height_px = height_in_pixels(rig.layout, rig.skeleton.height, rig.skeleton.bare.joint_points)
        size = backbone.input_size
        self.batches = Batches(data, bank, size, config.batch, config.seed, config.draws, config.whole_share)
        self.epochs_done, self.step = 0, 0
        self.begin()

    def begin(self) -> None:
        """(Re)make the optimisers and the average for the weights that the network has now."""
        self.optimisers = optimise.Optimisers(self.net, self.config)
        self.average = optimise.Average(self.net, self.config.ema)

    def adopt(self, pretrained: dict[str, torch.Tensor]) -> None:
        """Start the transformer from pretrained weights."""
        self.net.transformer.load_state_dict(pretrained)
        self.begin()

    def run_epoch(self, schedule: optimise.Schedule, workers: int) -> float:
        """One pass over the training samples; returns its mean loss."""
        epoch, losses = self.epochs_done, []
        steps = self.batches.steps
        self.net.train()
        for at, batch in enumerate(
            cli.track(
                self.batches.epoch(epoch, workers),
                f"epoch {epoch + 1}",
                total=steps,
                note=lambda: f"loss {np.mean(losses[-20:]):.3f}" if losses else "",
                logged=False,
            )
        ):
            losses.append(self._step(batch, schedule.factor(epoch + at / steps)))
        self.epochs_done += 1
        return float(np.mean(losses))

    def _step(self, batch, factor: float) -> float:
        pictures = normalise(batch.pictures, self.device, self.config.channels_last)
        points = torch.from_numpy(batch.points).to(self.device)
        inside = torch.from_numpy(batch.inside).to(self.device)
        with autocast(self.device, self.config.precision):
            logits = self.net(pictures, self.views)
        loss = heatmaps.cross_entropy(logits, points, inside, self.net.stride, self.config.sigma_cells)
        self.net.zero_grad(set_to_none=True)
        loss.backward()
        self.optimisers.step(factor)
        self.step += 1
        self.average.update(self.net, self.step)
        return loss.item()

    def reader(self) -> Reader:
        """A reader with the averaged weights, its uncertainty still unknown."""
        net = backbones.build(self.backbone, len(self.rig.skeleton.joints), self.views).to(self.device)
        net.load_state_dict(self.average.state)
        return Reader(
            net.eval(),
            self.backbone.input_size,
            self.rig.layout,
            self.height_px,
            None,
            self.device,
            self.config.precision,
            self.config.channels_last,
        )

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


class HeldOut:
    """The held-out samples as panels of video, made once, and what a reader makes of them."""

    def __init__(self, data: SampleSet, rig: RigInfo) -> None:
        self.rows = data.held_out[:_HELD_OUT_AT_MOST]
        self.truth, self.visible = data.positions[self.rows], data.visible[self.rows]
        self.skeleton = rig.skeleton
        self.view_names = rig.layout.names
        self.panels = easy_panels(data, self.rows, Backdrops(_HELD_OUT_SEED, 48))
        self.height_px = height_in_pixels(rig.layout, rig.skeleton.height, rig.skeleton.bare.joint_points)
        baseline = figures.mean_pose_error(data.positions[data.training], self.truth)
        self.baseline = self._summary(baseline, ~rig.skeleton.is_marker)

    def _summary(self, error: np.ndarray, which: np.ndarray) -> dict[str, Any]:
        """Figures per view of those joints (J,) bool; empty where there are none."""
        if not which.any():
            return {}
        return figures.summary(error[..., which], self.visible[..., which], self.height_px, self.view_names)

    def check(self, read: Callable) -> tuple[dict[str, Any], uncertainty.Uncertainty, np.ndarray]:
        """Figures, the fitted uncertainty, and the positions read (N, V, J, 2). Figures speak of the joints;
        markers have their own.

        ``read`` is ``Reader.raw``: the same two passes as when a clip is read.
        """
        raw = read(self.panels)
        error = figures.distances(raw.positions, self.truth)
        scale = self.height_px[:, None]
        marker = self.skeleton.is_marker
        bare = self.skeleton.bare
        joints, truth = raw.positions[:, :, ~marker], self.truth[:, :, ~marker]
        markers = tuple(joint.name for joint in self.skeleton.joints if joint.kind == "marker")
        found = {
            "views": self._summary(error, ~marker),
            "markers": self._summary(error, marker),
            "swapped_pct": figures.swapped(joints, truth, bare.joint_mirror, self.height_px).tolist(),
            "per_joint_px": figures.per_joint(error[..., ~marker], bare.joint_names),
            "per_marker_px": figures.per_joint(error[..., marker], markers),
        }
        fitted = uncertainty.fit((raw.spread / scale).ravel(), (error / scale).ravel())
        return found, fitted, raw.positions
