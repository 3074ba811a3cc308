# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Train the reader of one creature.

    python -m mocap.reader.train [--creature assets/<c>] EPOCHS [BATCH]

EPOCHS is the total number of passes over the samples. Run again after an interruption, the same command
goes on from the last finished epoch; run with more epochs, it trains further.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch

from .. import cli, devices, process
from ..dataset import samples, training
from ..dataset.backdrops import Backdrops
from ..errors import BadInput
from ..raster.studio import Studio
from ..rig_info import CreaturePaths, RigInfo, creature_paths
from . import backbones, board, checkpoint, precision, start, team
from .config import CompactConfig, Dinov2Config, TrainConfig
from .course import Course
from .optimise import Schedule
from .trainer import Trainer

_PAIRS_AN_EPOCH = 1000
"""An epoch shows at least this many pairs of pictures, however few samples there are."""
_RESTART_PEAK = 0.5
"""Share of the learning rate at which a finished training goes on."""
BATCH = {"compact": 8, "dinov2": 20}
"""From scratch, many small steps learn more than few large ones."""
# Rates found on the Wolf for compact; usual fine-tuning rates for dinov2.
RECIPES = {
    "compact": {"muon_lr": 0.1, "adamw_lr": 4e-3, "backbone_lr": 1e-4},
    "dinov2": {"muon_lr": 0.1, "adamw_lr": 1e-3, "backbone_lr": 1e-4, "frozen_epochs": 1},
}
STREAM = {"compact": 0.7, "dinov2": 0.0}
"""Share of the training pictures that the rasteriser draws; DINOv2 learns from renders, as the reference."""


def parser() -> cli.Parser:
    out = cli.Parser(prog="python -m mocap.reader.train", description="Train the reader of one creature.")
    out.add_argument("epochs", type=cli.positive_int, help="passes over the samples, in total")
    out.add_argument(
        "batch",
        type=cli.positive_int,
        nargs="?",
        help="samples (front and side) in one step; default: "
        + ", ".join(f"{kind} {count}" for kind, count in BATCH.items()),
    )
    out.add_argument("--creature", metavar="DIR", help="assets/<c>; default: MOCAP_CREATURE")
    out.add_argument("--backbone", choices=backbones.NAMES, default="auto")
    out.add_argument("--weights", metavar="PATH_OR_NAME", help="pretrained weights for dinov2")
    out.add_argument(
        "--start",
        metavar="PATH",
        help=f"for compact: a file that mocap.reader.pretrain made, {start.SHIPPED_NAME} (the toolkit's own, the "
        "default) or none (noise)",
    )
    out.add_argument("--photos", metavar="DIR", help="your photographs, as further backdrops")
    out.add_argument(
        "--pairs",
        type=cli.positive_int,
        help=f"samples shown in an epoch, always anew; default: all, at least {_PAIRS_AN_EPOCH}",
    )
    out.add_argument(
        "--stream",
        type=cli.share,
        metavar="SHARE",
        help="share of them drawn fresh by the rasteriser, 0 to 1; "
        + ", ".join(f"{kind} {share:g}" for kind, share in STREAM.items()),
    )
    out.add_argument("--seed", type=cli.seed_number, default=0)
    out.add_argument("--restart", action="store_true", help="forget an earlier training")
    out.add_argument(
        "--processes",
        type=cli.positive_int,
        help="processes that share each batch on a CPU; default: one a core",
    )
    out.add_argument("--threads", type=cli.positive_int, help="one process with so many threads instead")
    out.add_argument(
        "--precision", choices=("auto", "float32", "bfloat16"), default="auto", help="auto: what runs fastest"
    )
    cli.add_json_option(out)
    return out


def main(argv: Sequence[str]) -> None:
    arguments = parser().parse_args(argv)
    paths = creature_paths(arguments.creature)
    studio = Studio.of(paths)
    earlier = None if arguments.restart or not paths.reader.exists() else checkpoint.load(paths.reader)
    if earlier is not None:
        _check_same(earlier, arguments, studio.rig, paths.reader)
        if earlier.state["epoch"] >= arguments.epochs:
            cli.say(
                f"{paths.reader}: trained for {earlier.state['epoch']} epochs already, nothing to do; "
                "ask for more epochs to go on, or --restart to begin anew"
            )
            cli.write_figures(arguments.json, earlier.figures)
            return
    board.require()
    device = devices.best()
    cli.say(f"device: {device.kind} ({device.name}; {device.detail})")
    cli.stage("load the samples", 0, 0)
    data = training.load(paths.dataset, studio)
    plan, weights = _kept(earlier) if earlier else _chosen(arguments, studio, data, device)
    schedule = _schedule(earlier, plan.train.warm_up, arguments.epochs)
    _prepare(plan.train, arguments.threads, device)
    with team.lead(plan.train.processes, _member, (paths.home, plan, schedule, earlier is not None)) as lead:
        trainer = plan.trainer(studio, data, torch.device(device.kind), lead, earlier is None)
        if earlier:
            _go_on(trainer, earlier, data)
        elif weights is not None:
            trainer.adopt(weights)
        cli.say(_told(trainer))
        figures = Course(trainer, paths, _shifted(paths, studio), earlier, plan.why).run(schedule)
    cli.write_figures(arguments.json, figures)


class Plan(NamedTuple):
    """What a training is made of; goes to every process that takes part."""

    backbone: CompactConfig | Dinov2Config
    train: TrainConfig
    why: str

    def trainer(
        self, studio: Studio, data: training.SampleSet, device: torch.device, of: team.Team, fresh: bool
    ) -> Trainer:
        """``fresh``: nothing of it was trained before."""
        photographs = Path(self.train.photographs) if self.train.photographs else None
        bank = Backdrops(self.train.seed, folder=photographs)
        made = Trainer(studio, data, self.backbone, self.train, device, bank, of)
        if fresh and self.train.start:
            made.start_from(start.load(start.path_of(self.train.start), self.backbone, made.views))
        return made


def _member(of: team.Team, home: Path, plan: Plan, schedule: Schedule, resumed: bool) -> None:
    """A further process: the same epochs, its own share of every batch."""
    process.keep_memory()
    paths = creature_paths(home)
    studio = Studio.of(paths)
    trainer = plan.trainer(studio, training.load(paths.dataset, studio), torch.device("cpu"), of, not resumed)
    if resumed:
        trainer.load_state(checkpoint.load(paths.reader))
    while trainer.epochs_done < schedule.end:
        trainer.run_epoch(schedule, workers=1)


def _prepare(config: TrainConfig, threads: int | None, device: devices.Probe) -> None:
    """This process's memory and threads."""
    if device.kind != "cpu":
        return
    process.keep_memory()
    if config.processes > 1:
        devices.limit_threads(1)
        cli.say(f"{config.processes} processes of one thread share each batch (--processes N sets them)")
    else:
        devices.limit_threads(threads)


def _check_same(
    earlier: checkpoint.Checkpoint, arguments: argparse.Namespace, rig: RigInfo, path: Path
) -> None:
    """Refuse to go on with other settings than those that ``earlier`` was begun with."""
    earlier.card.check_rig(rig.digest, path)
    train, backbone = earlier.train, earlier.backbone
    kept = {
        "batch": train.batch,
        "--seed": train.seed,
        "--backbone": backbone.kind,
        "--weights": getattr(backbone, "weights", "none"),
        "--photos": train.photographs or "none",
        "--pairs": train.pairs,
        "--stream": train.stream,
        "--start": train.start or "none",
        "--processes": train.processes,
        "--precision": train.precision,
    }
    asked = {
        "batch": arguments.batch,
        "--seed": arguments.seed,
        "--backbone": None if arguments.backbone == "auto" else arguments.backbone,
        "--weights": backbones.source_of(arguments.weights) if arguments.weights else None,
        "--photos": arguments.photos,
        "--pairs": arguments.pairs,
        "--stream": arguments.stream,
        "--start": start.named(arguments.start) if arguments.start else None,
        "--processes": arguments.processes,
        "--precision": None if arguments.precision == "auto" else arguments.precision,
    }
    for name, value in asked.items():
        if value is not None and value != kept[name]:
            raise BadInput(
                f"{path}: was begun with {name} {kept[name]}, not {value}; "
                f"give {name} {kept[name]} to go on, or --restart to begin anew"
            )


def _shifted(paths: CreaturePaths, studio: Studio) -> training.SampleSet | None:
    """The samples in another style, where they were rendered."""
    if not samples.indices(paths.shifted):
        cli.say(
            "no samples in another style to check on: tools/dataset.sh <c> 48 2 --set shifted renders them"
        )
        return None
    return training.gather(
        paths.shifted, studio, samples.load_all(paths.shifted, studio.rig.digest, studio.digest)
    )


def _told(trainer: Trainer) -> str:
    """What an epoch shows."""
    batches, data = trainer.batches, trainer.data
    rendered = batches.batch - batches.streamed
    return (
        f"{len(data.training)} samples to train on, {len(data.held_out)} held out; an epoch has {batches.steps} steps "
        f"of {batches.batch} samples: {rendered} rendered, {batches.streamed} drawn by the rasteriser"
        + (f" (each shown {trainer.config.reuse} times)" if batches.streamed else "")
    )


def _chosen(
    arguments: argparse.Namespace, studio: Studio, data: training.SampleSet, device: devices.Probe
) -> tuple[Plan, dict | None]:
    """The plan of a new training, and pretrained weights where there are some."""
    choice = backbones.choose(arguments.backbone, arguments.weights, device)
    cli.say(f"backbone: {choice.config.kind} ({choice.why})")
    kind = choice.config.kind
    batch = arguments.batch or BATCH[kind]
    config = TrainConfig(
        batch=batch,
        seed=arguments.seed,
        pairs=arguments.pairs or max(_PAIRS_AN_EPOCH, len(data.training)),
        stream=STREAM[kind] if arguments.stream is None else arguments.stream,
        photographs=arguments.photos,
        start=_start(arguments, choice.config, len(studio.rig.layout.views)),
        processes=_processes(arguments, batch, kind, device),
        **RECIPES[kind],
    )
    config = _with_precision(config, choice.config, arguments.precision, studio, device)
    return Plan(choice.config, config, choice.why), choice.weights


def _start(arguments: argparse.Namespace, backbone: CompactConfig | Dinov2Config, views: int) -> str | None:
    """What a new training begins with, said: a file's path, the shipped one's name, or None."""
    asked = arguments.start
    if backbone.kind != "compact":
        if asked not in (None, start.NONE):
            raise BadInput(
                f"--start is for the compact backbone; {backbone.kind} has pretrained weights of its own"
            )
        return None
    if asked == start.NONE:
        cli.say("begins with noise (--start none)")
        return None
    name = start.named(asked or start.SHIPPED_NAME)
    try:
        # Refused now rather than in every process.
        start.load(start.path_of(name), backbone, views)
    except BadInput as error:
        if asked:
            raise
        cli.say(f"begins with noise: {error}")
        return None
    cli.say(f"begins with {start.path_of(name)}, trained on other creatures (--start none begins with noise)")
    return name


def _processes(arguments: argparse.Namespace, batch: int, kind: str, device: devices.Probe) -> int:
    asked = arguments.processes
    if asked and batch % asked:
        raise BadInput(f"--processes {asked} cannot share a batch of {batch} evenly; give a divisor of it")
    if device.kind != "cpu" or kind != "compact":
        if asked and asked > 1:
            raise BadInput("--processes is for the compact backbone on a CPU only")
        return 1
    return asked or (1 if arguments.threads else team.size_for(batch))


def _with_precision(
    config: TrainConfig,
    backbone: CompactConfig | Dinov2Config,
    asked: str,
    studio: Studio,
    device: devices.Probe,
) -> TrainConfig:
    """``config`` with the asked precision, or with the one that real steps show to be the fastest."""
    if asked != "auto":
        cli.say(f"precision: {asked} (asked for)")
        return config.model_copy(update={"precision": asked})
    joints, views = len(studio.skeleton.joints), len(studio.rig.layout.views)
    net = backbones.build(backbone, joints, len(studio.parts.names), views).to(device.kind)
    times = precision.measure(net, backbone.input_size, views, joints, device.kind)
    chosen, last = precision.fastest(times)
    shown = ", ".join(
        f"{name}{' channels-last' if cl else ''} {seconds * 1000:.0f} ms"
        for (name, cl), seconds in times.items()
    )
    cli.say(f"precision: {chosen}{' channels-last' if last else ''} (a small step on one thread: {shown})")
    return config.model_copy(update={"precision": chosen, "channels_last": last})


def _kept(earlier: checkpoint.Checkpoint) -> tuple[Plan, None]:
    cli.say(
        f"going on after epoch {earlier.state['epoch']} with the {earlier.backbone.kind} backbone "
        f"in {earlier.train.precision}"
    )
    return Plan(earlier.backbone, earlier.train, earlier.why), None


def _go_on(trainer: Trainer, earlier: checkpoint.Checkpoint, data: training.SampleSet) -> None:
    if earlier.state["data"] != data.digest:
        cli.say("the samples are not the same as before: training goes on with those that are here now")
    trainer.load_state(earlier)


def _schedule(earlier: checkpoint.Checkpoint | None, warm_up: float, epochs: int) -> Schedule:
    """The stored schedule where it ends at ``epochs``, a new stretch up to there otherwise."""
    if earlier is None:
        return Schedule(0, epochs, 1.0, warm_up)
    kept = earlier.state["schedule"]
    stored = Schedule(kept["start"], kept["end"], kept["peak"], warm_up)
    if stored.end == epochs:
        return stored
    done = earlier.state["epoch"]
    peak = max(stored.factor(done), _RESTART_PEAK)
    cli.say(
        f"the learning rate was planned for {stored.end} epochs: a new warm-up and cosine from {peak:.2f} of "
        f"the full rate now runs from epoch {done + 1} to {epochs}"
    )
    return Schedule(done, epochs, peak, warm_up)


if __name__ == "__main__":
    sys.exit(cli.run(main))
