# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Make the compact backbone's start: one trunk trained on the streams of many creatures, each with heads of its own.

python -m mocap.reader.pretrain assets/a assets/b ... --out start.pt --minutes 30

What a limb's edge, a hue, a joint between two shades looks like is the same for every painted creature; a reader that
begins with it needs its own minutes for its own creature only. Draws with the rasteriser alone: no renders are needed.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn

from .. import cli, devices, process
from ..dataset import training
from ..dataset.backdrops import Backdrops
from ..raster.stream import Stream
from ..raster.studio import Studio
from ..rig_info import creature_paths
from . import backbones, optimise, start, team
from .config import CompactConfig, TrainConfig
from .train import RECIPES
from .trainer import step_losses

_WINDOW = 256
"""Drawn samples that each creature keeps."""
_CREATURE_STEPS = 4
"""Steps with one creature before the next one's turn."""


class Many(nn.Module):
    """Readers of several creatures on one trunk."""

    def __init__(self, backbone: CompactConfig, studios: list[Studio], views: int) -> None:
        super().__init__()
        nets = [backbones.build(backbone, len(s.skeleton.joints), len(s.parts.names), views) for s in studios]
        self.trunk = nets[0].trunk
        for net in nets:
            net.trunk = self.trunk
        self.nets = nn.ModuleList(nets)

    def groups(self) -> tuple[list[nn.Parameter], list[nn.Parameter], list[list[nn.Parameter]]]:
        """Muon's, AdamW's (the trunk's once), pretrained ones (none)."""
        gathered: tuple[dict, dict] = ({}, {})
        for net in self.nets:
            for kept, weights in zip(gathered, net.groups()[:2]):
                kept.update({id(weight): weight for weight in weights})
        return list(gathered[0].values()), list(gathered[1].values()), []


def run(
    of: team.Team, backbone: CompactConfig, homes: list[Path], minutes: float, batch: int, out: Path
) -> None:
    """Train for ``minutes``; the leader writes ``out`` in the end. The clock decides the schedule, so this is the one
    training that cannot go on after a stop."""
    process.keep_memory()
    torch.manual_seed(0)
    studios = [Studio.of(creature_paths(home)) for home in homes]
    views = len(studios[0].rig.layout.views)
    config = TrainConfig(batch=batch, pairs=10**6, stream=1.0, precision="bfloat16", **RECIPES["compact"])
    many = Many(backbone, studios, views)
    optimisers, average = optimise.Optimisers(many, config), optimise.Average(many.trunk, config.ema)
    batches = [_batches(studio, backbone, config, of, index) for index, studio in enumerate(studios)]
    schedule, begin, recent = optimise.Schedule(0, 1, 1.0, config.warm_up), time.perf_counter(), []
    for step in itertools.count():
        gone = _agreed(of, (time.perf_counter() - begin) / (60 * minutes))
        if gone >= 1:
            break
        which = step // _CREATURE_STEPS % len(studios)
        net = many.nets[which].train()
        found = step_losses(net, next(batches[which]), config, views, torch.device("cpu"), None)
        many.zero_grad(set_to_none=True)
        found.total.backward()
        of.average_gradients(optimisers.parameters)
        optimisers.step(schedule.factor(gone))
        if of.rank == 0:
            average.update(many.trunk, step + 1)
            recent.append(found.losses.heatmaps.item())
            if step % 200 == 199:
                cli.say(f"step {step + 1}: loss {np.mean(recent[-200:]):.3f}, {gone:.0%} of the time")
    if of.rank == 0:
        names = [studio.skeleton.name for studio in studios]
        start.save(out, backbone, average.state, names, step)
        cli.say(f"wrote {out}: {step} steps over {', '.join(names)}")


def _batches(
    studio: Studio, backbone: CompactConfig, config: TrainConfig, of: team.Team, seed: int
) -> Iterator[training.Batch]:
    source = training.Batches(
        training.nothing(studio),
        Stream(studio, seed, _WINDOW),
        training.Mix(1.0, config.reuse, _WINDOW),
        Backdrops(seed, 64),
        backbone.input_size,
        config.batch,
        seed,
        config.pairs,
        config.whole_share,
        of.share(config.batch),
    )
    return source.epoch(0)


def _agreed(of: team.Team, gone: float) -> float:
    """The leader's clock counts for all: every process must make the same steps."""
    if of.size == 1:
        return gone
    told = torch.tensor([gone])
    torch.distributed.broadcast(told, 0)
    return float(told)


def main(argv: Sequence[str]) -> None:
    parser = cli.Parser(
        prog="python -m mocap.reader.pretrain", description="Make the compact backbone's start."
    )
    parser.add_argument("creatures", nargs="+", type=Path, help="folders assets/<c>; rigs only, no samples")
    parser.add_argument("--out", type=Path, required=True, metavar="PATH", help="start.pt to write")
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--batch", type=cli.positive_int, default=8)
    arguments = parser.parse_args(argv)
    cli.need(arguments.minutes > 0, f"--minutes is {arguments.minutes}, it must be positive")
    cli.need(
        not arguments.out.exists(), f"{arguments.out}: is there already; give another name, or move it away"
    )
    homes = [creature_paths(home).home for home in arguments.creatures]
    size = team.size_for(arguments.batch)
    if size > 1:
        devices.limit_threads(1)
    backbone = backbones.choose("compact", None, devices.best()).config
    given = (backbone, homes, arguments.minutes, arguments.batch, arguments.out.absolute())
    with team.lead(size, run, given) as lead:
        run(lead, *given)


if __name__ == "__main__":
    sys.exit(cli.run(main))
