# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Our compact reader against plain ones: the same rendered samples, the same minutes, the same held-out panels.

python bench/reader.py assets/wolf [assets/<c> ...] [--minutes 5] [--threads N] [--quick] [--json PATH]

All see the same degraded pictures in the same framings (batches of rendered samples only; the last row adds the
rasteriser's stream), read in the same passes, and train with warm-up, cosine and averaged weights; the peers
with AdamW, which is what they are published with.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.peers import PEERS, Peer
from mocap import cli, devices, process
from mocap.dataset import held_out as panels
from mocap.dataset import training
from mocap.dataset.backdrops import Backdrops
from mocap.dataset.training import Batch, Batches, Mix, SampleSet
from mocap.raster.studio import Studio
from mocap.reader.config import CompactConfig, TrainConfig
from mocap.reader.held_out import HeldOut
from mocap.reader.optimise import Average, Schedule
from mocap.reader.predict import autocast, normalise
from mocap.reader.reading import Engine, Outputs, Reader
from mocap.reader.train import RECIPES, STREAM
from mocap.reader.trainer import Trainer
from mocap.rig_info import creature_paths

_SIZE = CompactConfig().input_size
_BATCH = 8
_PEER_RATE = 2e-3
_CPU = torch.device("cpu")
_SEED = 0x7E57


class Runner(NamedTuple):
    """One contestant: ``step(batch, share of the time gone)``, and its engine when the time is over."""

    name: str
    weights: int
    batches: Batches
    step: Callable[[Batch, float], None]
    engine: Callable[[], Engine]


class PeerEngine:
    """A peer as a reading.Engine; it claims no sigma, visibility, depth or masks."""

    def __init__(self, net: Peer, precision: str, parts: int) -> None:
        self.net, self.precision, self.parts = net.eval(), precision, parts

    @torch.inference_mode()
    def __call__(self, pictures: np.ndarray, framings: np.ndarray, masks: bool) -> Outputs:
        batch = normalise(pictures, _CPU)
        with autocast(_CPU, self.precision):
            positions = self.net.positions(batch).double().numpy()
        flat = np.ones(positions.shape[:2])
        nothing = np.zeros((len(pictures), self.parts + 1, 8, 8), np.float16) if masks else None
        return Outputs(positions, flat, flat, 0 * flat, nothing)


def peer(name: str, studio: Studio, data: SampleSet, bank: Backdrops, precision: str) -> Runner:
    torch.manual_seed(0)
    net = PEERS[name](len(studio.skeleton.joints), _SIZE)
    if precision == "bfloat16":
        net = net.to(memory_format=torch.channels_last)
    schedule, average = Schedule(0, 1, 1.0, 0.06), Average(net, 0.995)
    optimiser = (
        torch.optim.AdamW(net.parameters(), _PEER_RATE, weight_decay=2e-2) if net.by_gradient else None
    )
    done = 0

    def step(batch: Batch, share: float) -> None:
        nonlocal done
        net.train()
        with autocast(_CPU, precision):
            loss = net.loss(
                normalise(batch.pictures, _CPU),
                torch.from_numpy(batch.points),
                torch.from_numpy(batch.inside),
            )
        if optimiser is not None:
            for group in optimiser.param_groups:
                group["lr"] = _PEER_RATE * schedule.factor(share)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            optimiser.step()
        done += 1
        average.update(net, done)

    def engine() -> Engine:
        net.load_state_dict(average.state)
        return PeerEngine(net, precision, len(studio.parts.names))

    batches = Batches(data, None, Mix(0.0), bank, _SIZE, _BATCH, 0, 10**6, 0.25)
    return Runner(name, sum(w.numel() for w in net.parameters()), batches, step, engine)


def ours(share: float, studio: Studio, data: SampleSet, bank: Backdrops, precision: str) -> Runner:
    config = TrainConfig(batch=_BATCH, pairs=10**6, stream=share, precision=precision, **RECIPES["compact"])
    trainer = Trainer(studio, data, CompactConfig(), config, _CPU, bank)
    schedule = Schedule(0, 1, 1.0, config.warm_up)

    def step(batch: Batch, gone: float) -> None:
        trainer.net.train()
        trainer.train_step(batch, schedule.factor(gone))

    weights = sum(w.numel() for w in trainer.net.parameters())
    name = f"compact + stream {share:.0%}" if share else "compact"
    return Runner(name, weights, trainer.batches, step, lambda: trainer.reader().engine)


def run(runner: Runner, seconds: float) -> tuple[int, float]:
    """Train for ``seconds``; returns steps and seconds."""
    start, steps = time.perf_counter(), 0
    for batch in runner.batches.epoch(0):
        gone = (time.perf_counter() - start) / seconds
        if gone >= 1:
            break
        runner.step(batch, gone)
        steps += 1
    return steps, time.perf_counter() - start


def measure(home: Path, options) -> list[dict[str, Any]]:
    paths = creature_paths(home)
    studio = Studio.of(paths)
    rig = studio.rig
    data, bank = training.load(paths.dataset, studio), Backdrops(0)
    rows = data.held_out[:96]
    sets = {
        "easy": HeldOut(
            data, rows, panels.easy_panels(data, rows, Backdrops(_SEED, 48)), studio.parts, _SIZE
        ),
        "hard": HeldOut(
            data, rows, panels.hard_panels(data, rows, Backdrops(_SEED, 48)), studio.parts, _SIZE
        ),
    }
    common = (studio, data, bank, options.precision)
    contestants = [(name, lambda n=name: peer(n, *common)) for name in PEERS]
    contestants += [
        ("compact", lambda: ours(0.0, *common)),
        ("stream", lambda: ours(STREAM["compact"], *common)),
    ]
    found = []
    for name, make in contestants:
        runner = make()
        # The mean pose has nothing to gain from more than a look at every sample.
        seconds = min(20.0, 60 * options.minutes) if name == "mean pose" else 60 * options.minutes
        steps, taken = run(runner, seconds)
        reader = Reader(runner.engine(), _SIZE, rig.layout, sets["easy"].height_px)
        row = {"creature": paths.name, "reader": runner.name, "weights": runner.weights}
        row |= {"pictures_s": steps * _BATCH * len(rig.layout.views) / taken}
        for kind, held in sets.items():
            judged = held.check(reader).figures
            row[kind] = {"views": judged["views"], "swapped_pct": judged["swapped_pct"]}
        found.append(row)
        cli.say(f"{paths.name}, {runner.name}: {_both(row['easy'], 'mean_pct')}")
    return found


def _both(kind: dict[str, Any], key: str) -> str:
    return " / ".join(f"{view[key]:.1f}" for view in kind["views"].values())


def main(argv: list[str]) -> None:
    parser = cli.Parser(prog="reader.py", description=__doc__.splitlines()[0])
    parser.add_argument("creatures", nargs="+", type=Path, help="folders assets/<c> with rendered samples")
    parser.add_argument("--minutes", type=float, default=5.0, help="training time of each reader")
    parser.add_argument("--threads", type=cli.positive_int)
    parser.add_argument("--precision", choices=("float32", "bfloat16"), default="bfloat16")
    parser.add_argument("--quick", action="store_true", help="five seconds each: only whether it runs")
    cli.add_json_option(parser)
    options = parser.parse_args(argv)
    cli.need(options.minutes > 0, f"--minutes is {options.minutes}, it must be positive")
    if options.quick:
        options.minutes = 5 / 60
    process.keep_memory()
    devices.limit_threads(options.threads)
    found = [row for home in options.creatures for row in measure(home, options)]
    heads = ("creature", "reader", "weights", "pictures/s", "mean %", "median %", "within 2%", "within 5%")
    heads += ("swapped %", "hard, mean %")
    cells = [
        (
            row["creature"],
            row["reader"],
            f"{row['weights'] / 1e6:.2f} M",
            f"{row['pictures_s']:.0f}",
            *(_both(row["easy"], key) for key in ("mean_pct", "median_pct", "within_2_pct", "within_5_pct")),
            " / ".join(f"{share:.1f}" for share in row["easy"]["swapped_pct"]),
            _both(row["hard"], "mean_pct"),
        )
        for row in found
    ]
    cli.table(f"{options.minutes:g} minutes of training each; front / side", heads, cells)
    cli.write_figures(options.json, {"minutes": options.minutes, "readers": found})


if __name__ == "__main__":
    sys.exit(cli.run(main))
