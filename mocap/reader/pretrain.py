# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Make the compact backbone's start: one network trained on the streams of many creatures, each with outputs of its
own.

    python -m mocap.reader.pretrain assets/a assets/b ... --out start.pt --steps 10000

What a limb's edge, a hue, a joint between two shades looks like is the same for every painted creature; a reader that
begins with it needs its own minutes for its own creature only. Draws with the rasteriser alone: no renders are
needed. Run again after an interruption, the same command goes on from START.part, written every few minutes. With
``--begin EARLIER`` it takes an earlier start further, on the same creatures or on others.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from .. import cli, devices, process
from ..dataset import training
from ..dataset.backdrops import Backdrops
from ..errors import BadInput
from ..raster.stream import Stream
from ..raster.studio import Studio
from ..rig_info import creature_paths
from . import backbones, optimise, plain, start, team
from .config import CompactConfig, TrainConfig
from .train import RECIPES
from .trainer import step_losses

_WINDOW = 256
"""Drawn samples that each creature keeps."""
_TURN = 4
"""Steps with one creature before the next one's turn."""
_KEPT_EVERY = 200
"""Turns between two writings of what a stopped one goes on from."""
_PART_SCHEMA = 1
_PART_KIND = "anymove.start.part"


class Many(nn.Module):
    """Readers of several creatures that share all that fits every creature."""

    def __init__(self, backbone: CompactConfig, studios: list[Studio], views: int) -> None:
        super().__init__()
        nets = [backbones.build(backbone, len(s.skeleton.joints), len(s.parts.names), views) for s in studios]
        for name, module in nets[0].common().items():
            for net in nets[1:]:
                net.set_submodule(name, module)
        self.nets = nn.ModuleList(nets)

    def groups(self) -> tuple[list[nn.Parameter], list[nn.Parameter], list[list[nn.Parameter]]]:
        """Muon's, AdamW's (shared ones once), pretrained ones (none)."""
        gathered: tuple[dict, dict] = ({}, {})
        for net in self.nets:
            for kept, weights in zip(gathered, net.groups()[:2]):
                kept.update({id(weight): weight for weight in weights})
        return list(gathered[0].values()), list(gathered[1].values()), []


class Plan(NamedTuple):
    """What a start is made of; goes to every process that takes part."""

    backbone: CompactConfig
    homes: list[Path]
    steps: int
    batch: int
    out: Path
    begin: Path | None

    @property
    def part(self) -> Path:
        return self.out.with_name(self.out.name + ".part")


def run(of: team.Team, plan: Plan) -> None:
    """All the turns that are left; the leader writes ``plan.out`` in the end."""
    process.keep_memory()
    torch.manual_seed(0)
    studios = [Studio.of(creature_paths(home)) for home in plan.homes]
    views = len(studios[0].rig.layout.views)
    config = TrainConfig(
        batch=plan.batch, pairs=_TURN * plan.batch, stream=1.0, precision="bfloat16", **RECIPES["compact"]
    )
    many, earlier = Many(plan.backbone, studios, views), []
    if plan.begin is not None:
        earlier = start.history(plan.begin)
        many.nets[0].load_state_dict(start.load(plan.begin, plan.backbone, views), strict=False)
    optimisers, average = optimise.Optimisers(many, config), optimise.Average(many.nets[0], config.ema)
    batches = [_batches(studio, plan, config, of, index) for index, studio in enumerate(studios)]
    made_of = {
        "creatures": [s.rig.digest for s in studios],
        "steps": plan.steps,
        "batch": plan.batch,
        "begin": str(plan.begin),
    }
    done = _go_on(plan.part, made_of, many, optimisers, average)
    turns = max(len(studios), plan.steps // _TURN)
    schedule, recent = optimise.Schedule(0, turns, 1.0, config.warm_up), []
    for turn in range(done, turns):
        which = turn % len(studios)
        net = many.nets[which].train()
        for at, batch in enumerate(batches[which].epoch(turn // len(studios))):
            found = step_losses(net, batch, config, views, torch.device("cpu"), None)
            many.zero_grad(set_to_none=True)
            found.total.backward()
            of.average_gradients(optimisers.parameters)
            optimisers.step(schedule.factor(turn + at / _TURN))
            if of.rank == 0:
                average.update(many.nets[0], turn * _TURN + at + 1)
                recent.append(found.losses.heatmaps.item())
        if (turn + 1) % _KEPT_EVERY == 0:
            of.average_buffers(many)
            if of.rank == 0:
                cli.say(f"step {(turn + 1) * _TURN} of {turns * _TURN}: loss {np.mean(recent):.3f}")
                recent.clear()
                _keep(plan.part, made_of, many, optimisers, average, turn + 1)
    if of.rank == 0:
        names = [studio.skeleton.name for studio in studios]
        common = {name: average.state[name] for name in start.state_of(many.nets[0])}
        start.save(plan.out, plan.backbone, common, names, turns * _TURN, earlier)
        plan.part.unlink(missing_ok=True)
        cli.say(f"wrote {plan.out}: {turns * _TURN} steps over {', '.join(names)}")


def _batches(studio: Studio, plan: Plan, config: TrainConfig, of: team.Team, seed: int) -> training.Batches:
    return training.Batches(
        training.nothing(studio),
        Stream(studio, seed, _WINDOW),
        training.Mix(1.0, config.reuse, _WINDOW),
        Backdrops(seed, 64),
        plan.backbone.input_size,
        config.batch,
        seed,
        config.pairs,
        config.whole_share,
        of.share(config.batch),
    )


def _keep(
    path: Path,
    made_of: dict[str, Any],
    many: Many,
    optimisers: optimise.Optimisers,
    average: optimise.Average,
    turns: int,
) -> None:
    values = {
        "made_of": made_of,
        "turns": turns,
        "weights": many.state_dict(),
        "optimisers": optimisers.state_dict(),
        "average": average.state,
    }
    plain.save(path, _PART_KIND, _PART_SCHEMA, values)


def _go_on(
    path: Path,
    made_of: dict[str, Any],
    many: Many,
    optimisers: optimise.Optimisers,
    average: optimise.Average,
) -> int:
    """Turns that are done already: those of a stopped one's part, put into the network and its optimisers."""
    if not path.exists():
        return 0
    data = plain.load(path, "part of a start", _PART_KIND, _PART_SCHEMA, "mocap.reader.pretrain")
    if data["made_of"] != made_of:
        raise BadInput(
            f"{path}: was begun with other creatures, --steps, --batch or --begin; give the same ones, or "
            "delete it"
        )
    many.load_state_dict(data["weights"])
    optimisers.load_state_dict(data["optimisers"])
    average.load(data["average"])
    cli.say(f"{path}: going on after step {data['turns'] * _TURN}")
    return data["turns"]


def main(argv: Sequence[str]) -> None:
    parser = cli.Parser(
        prog="python -m mocap.reader.pretrain", description="Make the compact backbone's start."
    )
    parser.add_argument("creatures", nargs="+", type=Path, help="folders assets/<c>; rigs only, no samples")
    parser.add_argument("--out", type=Path, required=True, metavar="PATH", help="start.pt to write")
    parser.add_argument("--steps", type=cli.positive_int, default=10_000)
    parser.add_argument("--batch", type=cli.positive_int, default=8)
    parser.add_argument(
        "--begin", type=Path, metavar="PATH", help="an earlier start to go on from; default: noise"
    )
    arguments = parser.parse_args(argv)
    cli.need(
        not arguments.out.exists(), f"{arguments.out}: is there already; give another name, or move it away"
    )
    homes = [creature_paths(home).home for home in arguments.creatures]
    size = team.size_for(arguments.batch)
    if size > 1:
        devices.limit_threads(1)
    backbone = backbones.choose("compact", None, devices.best()).config
    begin = arguments.begin and arguments.begin.absolute()
    plan = Plan(backbone, homes, arguments.steps, arguments.batch, arguments.out.absolute(), begin)
    with team.lead(size, run, (plan,)) as lead:
        run(lead, plan)


if __name__ == "__main__":
    sys.exit(cli.run(main))
