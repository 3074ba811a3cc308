# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Accuracy and speed of the solver on made-up readings of a rig's own motions.

python bench/solver.py --rig RIG_INFO [--clips Walk,Gallop] [--frames 120] [--no-markers] [--quick] [--json PATH]
python bench/solver.py --rigs [FILE ...] [--frames 96] [--quick] [--json PATH]
python bench/solver.py --rig RIG_INFO --peers [--clips Walk] [--frames 120] [--quick] [--json PATH]
python bench/solver.py --rig RIG_INFO --long [120,1200,10000] [--json PATH]

The first solves one rig under every kind of trouble. ``--rigs`` adopts rigs, solves all their clips and a random
motion of each, and says which targets are met. ``--peers`` compares with other ways of solving on the same
readings. ``--long`` measures time and memory of long clips. Pixels are for a creature 400 px high (1 px is 0.25% of
its height); errors of place are of joints alone, in % of the height.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.solving import long_clips, rigs, tables, targets, troubles
from bench.solving.figures import measure
from mocap import cli
from mocap.motion import Motion
from mocap.rig_info import RigInfo, creature_paths

FRAMES = {"rig": 120, "rigs": 96, "peers": 120}
QUICK_FRAMES = 48


def main(argv: Sequence[str]) -> None:
    options = parse(argv)
    if options.rigs is not None:
        figures = over_rigs(options)
    elif options.long is not None:
        figures = over_lengths(options)
    elif options.peers:
        figures = over_peers(options)
    else:
        figures = over_troubles(options)
    cli.write_figures(options.json, figures)


def parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = cli.Parser("python bench/solver.py", description="Accuracy and speed of the solver.")
    parser.add_argument("--rig", metavar="RIG_INFO", type=Path, help="default: the creature's")
    parser.add_argument("--creature", metavar="DIR", help="assets/<name>; default MOCAP_CREATURE")
    parser.add_argument("--clips", metavar="A,B", help="the rig's clips to measure; default a random motion")
    parser.add_argument("--frames", type=cli.positive_int)
    parser.add_argument("--no-markers", action="store_true", help="one rig, as if it had none")
    parser.add_argument("--quick", action="store_true", help="fewer frames, motions and kinds of trouble")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument(
        "--rigs", nargs="*", metavar="FILE", type=Path, help=f"default: {', '.join(rigs.USUAL)} of ../shared"
    )
    kind.add_argument("--peers", action="store_true", help="other ways of solving, on the same readings")
    kind.add_argument(
        "--long",
        nargs="?",
        const=long_clips.LENGTHS,
        type=lengths,
        metavar="N,N",
        help="time and memory of clips of so many frames",
    )
    cli.add_json_option(parser)
    options = parser.parse_args(argv)
    if options.no_markers and (options.rigs is not None or options.peers or options.long):
        parser.error("--no-markers is for the troubles of one rig")
    options.kind = "rigs" if options.rigs is not None else "peers" if options.peers else "rig"
    usual = QUICK_FRAMES if options.quick else FRAMES[options.kind]
    options.frames = options.frames or usual
    return options


def lengths(text: str) -> tuple[int, ...]:
    """Numbers of frames, separated by commas."""
    return tuple(cli.positive_int(part) for part in text.split(","))


def opened(options: argparse.Namespace) -> tuple[RigInfo, Path]:
    path = options.rig or creature_paths(options.creature).rig_info
    return RigInfo.load(path), path


def chosen_motions(options: argparse.Namespace, info: RigInfo, path: Path) -> list[Motion]:
    """The clips that were asked for, else a random motion."""
    names = options.clips.split(",") if options.clips else []
    return rigs.motions(info, path, options.frames, names) or [rigs.random_motion(info, options.frames)]


def over_troubles(options: argparse.Namespace) -> dict[str, Any]:
    info, path = opened(options)
    motions = chosen_motions(options, info, path)
    if options.no_markers:
        info = replace(info, skeleton=info.skeleton.bare)
    cases = troubles.QUICK if options.quick else troubles.CASES
    work = [(motion, case) for motion in motions for case in cases]
    rows = [measure(info, *job) for job in cli.track(work, "measuring")]
    title = f"Solver on {info.skeleton.name}: {tables.size(info)}, {options.frames} frames, % of height"
    tables.troubles(title, rows)
    return {"rig_digest": info.digest, "frames": options.frames, "rows": rows}


def over_rigs(options: argparse.Namespace) -> dict[str, Any]:
    files = options.rigs or rigs.usual_files()
    for file in files:
        cli.need(file.is_file(), f"{file}: no such file")
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="anymove-solver-") as folder:
        for file in files:
            path = rigs.adopt(file, Path(folder) / file.stem)
            info = RigInfo.load(path)
            of_rig = {"rig": file.stem, "bones": len(info.skeleton.bones)}
            work = _rig_work(options, info, path)
            rows += [of_rig | measure(info, *job) for job in cli.track(work, f"measuring {file.stem}")]
    found = targets.verdicts(rows)
    tables.motions(f"Solver, {options.frames} frames each, mean error in % of height", rows)
    tables.verdicts("Targets: means over each rig's motions", found)
    return {"frames": options.frames, "rows": rows, "targets": [tables.verdict_json(v) for v in found]}


def _rig_work(options: argparse.Namespace, info: RigInfo, path: Path) -> list[tuple[Motion, troubles.Case]]:
    """Every clip and a random motion under every trouble; --quick: the first clip and the random motion."""
    names = info.clips[:1] if options.quick else info.clips
    every = [*rigs.motions(info, path, options.frames, names), rigs.random_motion(info, options.frames)]
    return [(motion, case) for motion in every for case in troubles.CASES]


def over_lengths(options: argparse.Namespace) -> dict[str, Any]:
    info, path = opened(options)
    rows = [long_clips.in_child(path, frames) for frames in cli.track(options.long, "solving")]
    tables.lengths(f"Long clips of {info.skeleton.name}: {tables.size(info)}, {long_clips.CASE.name}", rows)
    return {"rig_digest": info.digest, "rows": rows}


def over_peers(options: argparse.Namespace) -> dict[str, Any]:
    from bench.solving import contest

    info, path = opened(options)
    rows = contest.rows(info, chosen_motions(options, info, path), options.quick)
    tables.peers(
        f"Ways of solving on {info.skeleton.name}: {tables.size(info)}, {options.frames} frames", rows
    )
    return {"rig_digest": info.digest, "frames": options.frames, "rows": rows}


if __name__ == "__main__":
    sys.exit(cli.run(main))
