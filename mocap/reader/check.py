# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""How well a trained reader reads: held-out samples, easy, under looks that training never shows, in another style.

python -m mocap.reader.check [--creature assets/<c>] [--reader reader.pt|reader.onnx] [--hard] [--shifted] [--json PATH]
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import cli
from ..dataset import held_out as panels
from ..dataset import samples, training
from ..dataset.backdrops import Backdrops
from ..raster.studio import Studio
from ..rig_info import CreaturePaths, creature_paths
from . import tables
from .held_out import SEED, HeldOut, normalised
from .opened import open_reader

KINDS = ("easy", "hard", "shifted")


def parser() -> cli.Parser:
    out = cli.Parser(prog="python -m mocap.reader.check", description="How well a trained reader reads.")
    out.add_argument("--creature", metavar="DIR", help="assets/<c>; default: MOCAP_CREATURE")
    out.add_argument("--reader", metavar="PATH", help="reader.pt or reader.onnx; default: runs/<c>/reader.pt")
    out.add_argument("--hard", action="store_true", help="only looks that training never shows")
    out.add_argument("--shifted", action="store_true", help="only the samples in another style")
    out.add_argument("--threads", type=cli.positive_int)
    cli.add_json_option(out)
    return out


def main(argv: Sequence[str]) -> None:
    arguments = parser().parse_args(argv)
    paths = creature_paths(arguments.creature)
    studio = Studio.of(paths)
    path = Path(arguments.reader) if arguments.reader else paths.reader
    card, reader, how = open_reader(path, arguments.threads)
    card.check_rig(studio.rig.digest, path)
    cli.say(f"reading with {card.backbone} {how}")
    asked = [kind for kind in ("hard", "shifted") if getattr(arguments, kind)]
    found: dict[str, Any] = {}
    for kind in asked or _there(paths):
        held = _held(kind, paths, studio, card.input_size)
        judged = held.check(reader)
        told = normalised(card.uncertainty, held.claimed(judged.raw), judged.error)
        found[kind] = {**judged.figures, "normalised_error": told}
    tables.compare(found, studio.rig.layout.names)
    cli.write_figures(arguments.json, found)


def _there(paths: CreaturePaths) -> list[str]:
    """Every kind that there are samples for."""
    return [kind for kind in KINDS if kind != "shifted" or samples.indices(paths.shifted)]


def _held(kind: str, paths: CreaturePaths, studio: Studio, size: int) -> HeldOut:
    folder = paths.shifted if kind == "shifted" else paths.dataset
    metas = samples.load_all(folder, studio.rig.digest, studio.digest)
    if kind != "shifted":
        metas = [meta for meta in metas if meta.index % training.HELD_OUT_EVERY == 0]
    data = training.gather(folder, studio, metas)
    rows, bank = np.arange(len(metas)), Backdrops(SEED, 48)
    make = panels.hard_panels if kind == "hard" else panels.easy_panels
    return HeldOut(data, rows, make(data, rows, bank), studio.parts, size)


if __name__ == "__main__":
    sys.exit(cli.run(main))
