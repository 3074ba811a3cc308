# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What a training picture costs: milliseconds of one core a picture, in all and for each degradation where it happens.

python bench/looks.py --creature assets/wolf [--quick] [--json PATH]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from unittest import mock

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from mocap import cli, framing
from mocap.dataset import augment, samples, training
from mocap.dataset.backdrops import Backdrops
from mocap.raster.studio import Studio
from mocap.rig_info import creature_paths

SIDE = 192
SAMPLES = 20


def milliseconds(data: training.SampleSet, bank: Backdrops, count: int) -> float:
    """A tenth whole panels, the rest close, as in training."""
    rng = np.random.default_rng(0)
    start = time.process_time()
    for at in range(count):
        row, view = at % len(data.indices), at // len(data.indices) % len(data.rig.layout.views)
        if at % 10:
            seen = augment.jittered(framing.tight_box(data.positions[row, view]), rng, SIDE, (0.92, 1.2))
        else:
            seen = augment.scaled(data.rig.layout.views[view].size, rng, SIDE)
        augment.picture(data.cutouts[row][view], seen, (SIDE, SIDE), bank, rng)
    return (time.process_time() - start) / count * 1000


def measure(data: training.SampleSet, bank: Backdrops, count: int) -> dict[str, dict[str, float]]:
    milliseconds(data, bank, count // 10)
    found = {"all": {"chance": 1.0, "ms": milliseconds(data, bank, count)}}
    never = dict.fromkeys(augment.CHANCES, 0.0)
    with mock.patch.dict(augment.CHANCES, never):
        found["none"] = {"chance": 0.0, "ms": milliseconds(data, bank, count)}
    for name, chance in augment.CHANCES.items():
        with mock.patch.dict(augment.CHANCES, never | {name: 1.0}):
            extra = milliseconds(data, bank, count // 2) - found["none"]["ms"]
        found[name] = {"chance": chance, "ms": extra}
    return found


def main(argv: list[str]) -> None:
    parser = cli.Parser(prog="looks.py", description=__doc__.splitlines()[0])
    parser.add_argument("--creature", metavar="DIR", help="assets/<c>; default: MOCAP_CREATURE")
    parser.add_argument("--quick", action="store_true", help="300 pictures a line instead of 2,000")
    cli.add_json_option(parser)
    options = parser.parse_args(argv)
    paths = creature_paths(options.creature)
    studio = Studio.of(paths)
    found = samples.indices(paths.dataset)[:SAMPLES]
    cli.need(bool(found), f"{paths.dataset}: no samples here; render some with tools/dataset.sh")
    metas = [samples.read_meta(samples.meta_path(paths.dataset, index)) for index in found]
    data = training.gather(paths.dataset, studio, metas)
    figures = measure(data, Backdrops(0, 48), 300 if options.quick else 2000)
    rows = [(name, f"{line['chance']:.0%}", line["ms"]) for name, line in figures.items()]
    cli.table(f"A picture of {SIDE} x {SIDE}, one core", ("degradation", "chance", "ms"), rows)
    cli.write_figures(options.json, figures)


if __name__ == "__main__":
    sys.exit(cli.run(main))
