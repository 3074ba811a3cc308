# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m mocap.solve det.npz rig_info.json solved.json``: solve a clip's motion."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from .. import cli, files
from ..detections import Detections
from ..rig_info import RigInfo
from . import Solved, solve


def main(argv: Sequence[str]) -> None:
    parser = cli.Parser("python -m mocap.solve", description="Solve the motion behind a clip's readings.")
    parser.add_argument("detections", metavar="det.npz", help="what mocap.detect wrote")
    parser.add_argument("rig_info", metavar="rig_info.json")
    parser.add_argument("motion", metavar="solved.json", help="where the motion goes")
    cli.add_json_option(parser)
    args = parser.parse_args(argv)
    info = RigInfo.load(args.rig_info)
    detections = Detections.load(args.detections)
    origin = {"detections_digest": files.digest_file(args.detections)}
    solved = solve(detections, info, provenance=origin, name=args.detections, watch=cli.track)
    solved.motion.save(args.motion)
    report(solved)
    cli.write_figures(args.json, figures(solved))
    cli.say(f"wrote {args.motion}")


def report(solved: Solved) -> None:
    unread = len(solved.motion.provenance["unread_frames"])
    rows = [
        (f"residual, {view} (px rms, stray readings included)", value)
        for view, value in solved.residual_px.items()
    ]
    rows += [
        ("frames", solved.motion.frames),
        ("frames without any reading, bridged", unread),
        ("iterations", solved.iterations),
        ("converged", "yes" if solved.converged else "no: stopped at the iteration limit"),
        ("left and right exchanged (limb-frames)", sum(len(s.frames) for s in solved.swaps)),
        ("seconds", solved.seconds),
    ]
    cli.table("Solved", ("", "value"), rows)
    for swap in solved.swaps:
        cli.say(f"  {swap.limb} and its mirror exchanged in the {swap.view} view: {_ranges(swap.frames)}")


def _ranges(frames: Sequence[int]) -> str:
    """(3, 4, 5, 9) -> "frames 3-5, 9"."""
    runs: list[list[int]] = []
    for frame in frames:
        if runs and frame == runs[-1][1] + 1:
            runs[-1][1] = frame
        else:
            runs.append([frame, frame])
    return "frames " + ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def figures(solved: Solved) -> dict:
    return {
        "frames": solved.motion.frames,
        "residual_px": solved.residual_px,
        "iterations": solved.iterations,
        "converged": solved.converged,
        "swaps": solved.motion.provenance["swaps"],
        "unread_frames": solved.motion.provenance["unread_frames"],
        "seconds": solved.seconds,
    }


if __name__ == "__main__":
    sys.exit(cli.run(main))
