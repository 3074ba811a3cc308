# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Accuracy and speed of the solver on made-up readings of a rig's own motion.

``python bench/solver.py --rig assets/wolf/rigged/rig_info.json --clips Walk,Gallop [--quick] [--json PATH]``

Noise is stated for a creature of 400 px height (1 px is 0.25% of it) and scaled to the rig's layout.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mocap import cli
from mocap.exam import make
from mocap.exam.readings import Trouble, made_up_readings
from mocap.exam.score import jitter_ratio
from mocap.motion import Motion
from mocap.rig_info import RigInfo, creature_paths
from mocap.solve import Solved, solve

TROUBLES = (
    Trouble(0),
    Trouble(2),
    Trouble(4),
    Trouble(4, missing=0.15, gross=0.05),
    Trouble(8, missing=0.15, gross=0.05),
    Trouble(4, swapped=0.05),
    Trouble(4, correlation=0.8),
)
QUICK = (TROUBLES[0], TROUBLES[2], TROUBLES[3])


def measure(info: RigInfo, motion: Motion, trouble: Trouble) -> dict[str, Any]:
    joints = motion.joints(info.skeleton)
    solved = solve(made_up_readings(info, joints, trouble, motion.fps), info)
    return {
        "motion": motion.provenance["source"],
        "trouble": trouble._asdict(),
        **figures(info, joints, solved),
        "seconds": solved.seconds,
        "seconds_per_120_frames": solved.seconds * 120 / motion.frames,
        "iterations": solved.iterations,
        "swapped_limb_frames": sum(len(swap.frames) for swap in solved.swaps),
    }


def figures(info: RigInfo, joints: np.ndarray, solved: Solved) -> dict[str, float | None]:
    found = solved.motion.joints(info.skeleton)
    error = 100 * np.linalg.norm(found - joints, axis=-1) / info.skeleton.height
    return {
        "mean_pct": float(error.mean()),
        "median_pct": float(np.median(error)),
        "p95_pct": float(np.percentile(error, 95)),
        "jitter_ratio": jitter_ratio(joints, found),
    }


def main(argv: Sequence[str]) -> None:
    parser = cli.Parser("python bench/solver.py", description="Accuracy and speed of the solver.")
    parser.add_argument("--rig", metavar="RIG_INFO", type=Path, help="default: the creature's")
    parser.add_argument("--creature", metavar="DIR", help="assets/<name>; default MOCAP_CREATURE")
    parser.add_argument("--clips", metavar="A,B", help="the rig's clips to measure; default a random motion")
    parser.add_argument("--frames", type=cli.positive_int, default=120)
    parser.add_argument("--quick", action="store_true", help="three kinds of trouble, 60 frames")
    cli.add_json_option(parser)
    args = parser.parse_args(argv)
    rig = args.rig or creature_paths(args.creature).rig_info
    info = RigInfo.load(rig)
    frames = min(args.frames, 60) if args.quick else args.frames
    names = args.clips.split(",") if args.clips else []
    motions = [make.from_clip(info, rig, name, 0, frames, 24.0) for name in names]
    motions = motions or [make.made_up(info, 0, frames, 24.0)]
    work = [(motion, trouble) for motion in motions for trouble in (QUICK if args.quick else TROUBLES)]
    rows = [(measure(info, motion, trouble), trouble) for motion, trouble in cli.track(work, "measuring")]
    cli.table(
        f"Solver on {info.skeleton.name}: {len(info.skeleton.bones)} bones, {frames} frames, % of height",
        ("motion", "trouble", "mean %", "95% %", "jitter", "swaps", "s / 120 frames"),
        [
            (
                row["motion"],
                trouble.name,
                row["mean_pct"],
                row["p95_pct"],
                row["jitter_ratio"],
                row["swapped_limb_frames"],
                row["seconds_per_120_frames"],
            )
            for row, trouble in rows
        ],
    )
    cli.write_figures(args.json, {"rig_digest": info.digest, "frames": frames, "rows": [r for r, _ in rows]})


if __name__ == "__main__":
    sys.exit(cli.run(main))
