# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m mocap.exam make | video | score``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import __version__, cli, files
from ..detections import Detections
from ..errors import BadInput
from ..motion import JointTrack, Motion
from ..rig_info import RigInfo, creature_paths
from . import film, make
from . import score as scoring


def main(argv: Sequence[str]) -> None:
    parser = cli.Parser("python -m mocap.exam", description="Make up a motion, film it, score it.")
    commands = parser.add_subparsers(required=True, metavar="make | video | score")
    _add_make(commands.add_parser("make", help="the motion the exam asks for"))
    _add_video(commands.add_parser("video", help="rendered pictures to the exam's clip"))
    _add_score(commands.add_parser("score", help="solved against true joints"))
    args = parser.parse_args(argv)
    args.command(args)


def _add_make(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("rig_info", metavar="RIG_INFO")
    parser.add_argument("motion", metavar="truth.json")
    parser.add_argument("seed", metavar="SEED", type=cli.seed_number)
    parser.add_argument("frames", metavar="FRAMES", type=cli.positive_int)
    parser.add_argument("--action", metavar="NAME", help="one of the rig's own clips, not a random motion")
    parser.add_argument("--fps", type=_positive, default=24.0)
    parser.set_defaults(command=_make)


def _add_video(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", type=Path, help="what apply_motion wrote")
    parser.add_argument("clip", metavar="out.mp4", type=Path)
    parser.add_argument("fps", metavar="FPS", type=_positive)
    parser.add_argument("--backdrop", choices=film.BACKDROPS, default="plain")
    parser.add_argument("--seed", type=cli.seed_number, default=0, help="of the procedural backdrop")
    parser.set_defaults(command=_video)


def _add_score(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("truth", metavar="truth/joints.json", type=Path)
    parser.add_argument("solved", metavar="solved/joints.json", type=Path)
    parser.add_argument("--rig", metavar="RIG_INFO", type=Path, help="default: the creature's")
    parser.add_argument("--creature", metavar="DIR", help="assets/<name>; default MOCAP_CREATURE")
    parser.add_argument("--detections", metavar="det.npz", type=Path, help="adds the reading error")
    parser.add_argument("--video", metavar="clip.mp4", type=Path, help="adds pictures to the report")
    parser.add_argument("--out", metavar="DIR", type=Path, help="default: the folder above solved/")
    cli.add_json_option(parser)
    parser.set_defaults(command=_score)


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from error
    if not 0 < value < 1000:
        raise argparse.ArgumentTypeError(f"{text} is not a frame rate")
    return value


def _make(args: argparse.Namespace) -> None:
    info = RigInfo.load(args.rig_info)
    if args.action is None:
        motion = make.made_up(info, args.seed, args.frames, args.fps)
    else:
        motion = make.from_clip(info, Path(args.rig_info), args.action, args.seed, args.frames, args.fps)
    motion.save(args.motion)
    source = motion.provenance["source"]
    cli.say(f"wrote {args.motion}: {motion.frames} frames at {motion.fps:g} fps ({source})")


def _video(args: argparse.Namespace) -> None:
    if not args.folder.is_dir():
        raise BadInput(f"{args.folder}: no such folder; apply_motion writes it")
    frames = film.film(args.folder, args.clip, args.fps, args.backdrop, args.seed)
    cli.say(f"wrote {args.clip}: {frames} frames at {args.fps:g} fps")


def _score(args: argparse.Namespace) -> None:
    from .. import report

    rig = args.rig or creature_paths(args.creature).rig_info
    exam = scoring.Exam(
        info=RigInfo.load(rig),
        truth=JointTrack.load(args.truth),
        solved=JointTrack.load(args.solved),
        detections=Detections.load(args.detections) if args.detections else None,
        seed=_seed(args.truth),
        provenance=_provenance(args),
    )
    scoring.check(exam, str(args.truth), str(args.solved))
    scoring.check_detections(exam, str(args.detections))
    card = scoring.score(exam)
    out = args.out or args.solved.resolve().parent.parent
    files.write_json(out / "score.json", card, indent=1)
    report.write(out / "report.html", exam, card, args.video)
    cli.table("Exam", ("", "value"), scoring.rows(card))
    cli.table("By limb", ("limb", "mean cm", "95% cm", "mean %"), limb_rows(card))
    cli.write_figures(args.json, card)
    cli.say(scoring.summary(card))
    cli.say(f"wrote {out / 'score.json'} and {out / 'report.html'}")


def _seed(truth: Path) -> int | None:
    """The seed of the motion that was rendered to ``truth/joints.json``: truth.json beside the folder."""
    made = _motion_beside(truth)
    return Motion.load(made).provenance.get("seed") if made else None


def _motion_beside(joints: Path) -> Path | None:
    folder = joints.resolve().parent
    path = folder.with_suffix(".json")
    return path if path.is_file() else None


def _provenance(args: argparse.Namespace) -> dict[str, Any]:
    """Digests of everything the score was made from."""
    found = {
        "truth_joints": args.truth,
        "solved_joints": args.solved,
        "truth_motion": _motion_beside(args.truth),
        "solved_motion": _motion_beside(args.solved),
        "detections": args.detections,
        "video": args.video,
    }
    digests = {
        f"{name}_digest": files.digest_file(files.existing_file(path, name.replace("_", " ")))
        for name, path in found.items()
        if path is not None
    }
    return digests | {"tool_version": __version__}


def limb_rows(card: dict[str, Any]) -> list[tuple]:
    limbs = card["per_limb"].items()
    return [(name, s["mean_cm"], s["p95_cm"], s["mean_pct"]) for name, s in limbs]


if __name__ == "__main__":
    sys.exit(cli.run(main))
