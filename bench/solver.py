# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Accuracy and speed of the solver on made-up readings of a rig's own motion.

``python bench/solver.py --rig assets/wolf/rigged/rig_info.json --clips Walk,Gallop [--quick] [--json PATH]``

Noise is stated for a creature of 400 px height (1 px is 0.25% of it) and scaled to the rig's layout.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mocap import cli
from mocap import rotations as rot
from mocap.exam import make
from mocap.exam.figures import jitter_ratio
from mocap.exam.readings import Trouble, made_up_readings, turned_away
from mocap.motion import Motion
from mocap.rig_info import RigInfo, creature_paths
from mocap.solve import solve

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


def measure(info: RigInfo, motion: Motion, trouble: Trouble, markers: bool) -> dict[str, Any]:
    """Solve the same readings with the rig's markers or without them. Markers on the far side of their bone
    are not read."""
    truth = motion.joints(info.skeleton)
    hidden = turned_away(info, motion)
    read = made_up_readings(info, truth, trouble, motion.fps, hidden=hidden)
    joints = ~info.skeleton.is_marker
    if not markers:
        info = replace(info, skeleton=info.skeleton.bare)
        read = replace(read.joints(joints), rig_digest=info.digest)
    solved = solve(read, info)
    found = solved.motion.joints(info.skeleton)[:, joints if markers else slice(None)]
    return {
        "motion": motion.provenance["source"],
        "trouble": trouble._asdict(),
        "markers": markers,
        **figures(info, truth[:, joints], found),
        "rotation_deg": rotation_error(motion, solved.motion),
        "seconds": solved.seconds,
        "seconds_per_120_frames": solved.seconds * 120 / motion.frames,
        "iterations": solved.iterations,
        "swapped_limb_frames": sum(len(swap.frames) for swap in solved.swaps),
    }


def figures(info: RigInfo, joints: np.ndarray, found: np.ndarray) -> dict[str, float | None]:
    error = 100 * np.linalg.norm(found - joints, axis=-1) / info.skeleton.height
    return {
        "mean_pct": float(error.mean()),
        "median_pct": float(np.median(error)),
        "p95_pct": float(np.percentile(error, 95)),
        "jitter_ratio": jitter_ratio(joints, found),
    }


def rotation_error(truth: Motion, found: Motion) -> float:
    """Mean angle between the bones' true and solved local rotations, degrees."""
    pair = (rot.quat_to_matrix(motion.quats) for motion in (truth, found))
    return float(np.degrees(rot.angle_between(*pair)).mean())


def main(argv: Sequence[str]) -> None:
    parser = cli.Parser("python bench/solver.py", description="Accuracy and speed of the solver.")
    parser.add_argument("--rig", metavar="RIG_INFO", type=Path, help="default: the creature's")
    parser.add_argument("--creature", metavar="DIR", help="assets/<name>; default MOCAP_CREATURE")
    parser.add_argument("--clips", metavar="A,B", help="the rig's clips to measure; default a random motion")
    parser.add_argument("--frames", type=cli.positive_int, default=120)
    parser.add_argument("--quick", action="store_true", help="three kinds of trouble, 60 frames")
    parser.add_argument("--no-markers", action="store_true", help="measure without the rig's markers only")
    cli.add_json_option(parser)
    args = parser.parse_args(argv)
    rig = args.rig or creature_paths(args.creature).rig_info
    info = RigInfo.load(rig)
    frames = min(args.frames, 60) if args.quick else args.frames
    names = args.clips.split(",") if args.clips else []
    motions = [make.from_clip(info, rig, name, 0, frames, 24.0) for name in names]
    motions = motions or [make.made_up(info, 0, frames, 24.0)]
    kinds = (True, False) if info.skeleton.is_marker.any() and not args.no_markers else (False,)
    troubles = QUICK if args.quick else TROUBLES
    work = [(motion, trouble, with_) for motion in motions for trouble in troubles for with_ in kinds]
    rows = [(measure(info, *job), job[1]) for job in cli.track(work, "measuring")]
    cli.table(
        f"Solver on {info.skeleton.name}: {len(info.skeleton.bones)} bones, "
        f"{int(info.skeleton.is_marker.sum())} markers, {frames} frames, % of height",
        (
            "motion",
            "trouble",
            "markers",
            "mean %",
            "95% %",
            "rotation deg",
            "jitter",
            "swaps",
            "s / 120 frames",
        ),
        [
            (
                row["motion"],
                trouble.name,
                "yes" if row["markers"] else "no",
                row["mean_pct"],
                row["p95_pct"],
                row["rotation_deg"],
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
