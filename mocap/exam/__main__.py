# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m mocap.exam make | turn | video | score | compare``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .. import cli, files
from ..errors import BadInput
from ..rig_info import RigInfo, creature_paths
from . import compare, film, make, marking
from .card import certificate
from .hardships import beside


def main(argv: Sequence[str]) -> None:
    parser = cli.Parser("python -m mocap.exam", description="Make up a motion, film it, score it.")
    commands = parser.add_subparsers(required=True, metavar="make | turn | video | score | compare")
    _add_make(commands.add_parser("make", help="the motion the exam asks for"))
    _add_turn(commands.add_parser("turn", help="the same motion as a turned camera sees it, for --hard"))
    _add_video(commands.add_parser("video", help="rendered pictures to the exam's clip"))
    _add_score(commands.add_parser("score", help="solved against true joints"))
    _add_compare(commands.add_parser("compare", help="two scores of the same exam side by side"))
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


def _add_turn(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("rig_info", metavar="RIG_INFO")
    parser.add_argument("truth", metavar="truth.json")
    parser.add_argument("motion", metavar="turned.json")
    parser.add_argument("seed", metavar="SEED", type=cli.seed_number, help="that of video --hard")
    parser.set_defaults(command=_turn)


def _add_video(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", type=Path, help="what apply_motion wrote")
    parser.add_argument("clip", metavar="out.mp4", type=Path)
    parser.add_argument("fps", metavar="FPS", type=_positive)
    parser.add_argument("--backdrop", choices=film.BACKDROPS, default="plain")
    parser.add_argument("--seed", type=cli.seed_number, default=0, help="of backdrop and hardships")
    parser.add_argument("--hard", action="store_true", help="spoil the clip by known amounts")
    parser.add_argument(
        "--turned", metavar="DIR", type=Path, help="with --hard: side pictures of what turn wrote"
    )
    _add_rig(parser)
    parser.set_defaults(command=_video)


def _add_score(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("truth", metavar="truth/joints.json", type=Path)
    parser.add_argument("solved", metavar="solved/joints.json", type=Path)
    _add_rig(parser)
    parser.add_argument("--detections", metavar="det.npz", type=Path, help="adds the reading error")
    parser.add_argument("--plain", metavar="PATH", type=Path, help="motion solved without comparing pictures")
    parser.add_argument("--video", metavar="clip.mp4", type=Path, help="adds pictures to the report")
    parser.add_argument(
        "--hardships", metavar="PATH", type=Path, help="default: clip.hardships.json beside the video"
    )
    parser.add_argument("--out", metavar="DIR", type=Path, help="default: the folder above solved/")
    cli.add_json_option(parser)
    parser.set_defaults(command=_score)


def _add_compare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("before", metavar="A/score.json")
    parser.add_argument("after", metavar="B/score.json")
    cli.add_json_option(parser)
    parser.set_defaults(command=_compare)


def _add_rig(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rig", metavar="RIG_INFO", type=Path, help="default: the creature's")
    parser.add_argument("--creature", metavar="DIR", help="assets/<name>; default MOCAP_CREATURE")


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from error
    if not 0 < value < 1000:
        raise argparse.ArgumentTypeError(f"{text} is not a frame rate")
    return value


def _rig(args: argparse.Namespace) -> RigInfo:
    return RigInfo.load(args.rig or creature_paths(args.creature).rig_info)


def _make(args: argparse.Namespace) -> None:
    info = RigInfo.load(args.rig_info)
    if args.action is None:
        motion = make.made_up(info, args.seed, args.frames, args.fps)
    else:
        motion = make.from_clip(info, Path(args.rig_info), args.action, args.seed, args.frames, args.fps)
    motion.save(args.motion)
    source = motion.provenance["source"]
    cli.say(f"wrote {args.motion}: {motion.frames} frames at {motion.fps:g} fps ({source})")


def _turn(args: argparse.Namespace) -> None:
    motion = make.turned(RigInfo.load(args.rig_info), args.truth, args.seed)
    motion.save(args.motion)
    cli.say(
        f"wrote {args.motion}: {args.truth} turned by {motion.provenance['mean_deg']:+.1f} degrees on average"
    )


def _video(args: argparse.Namespace) -> None:
    for folder in (args.folder, args.turned):
        if folder is not None and not folder.is_dir():
            raise BadInput(f"{folder}: no such folder; apply_motion writes it")
    cli.need(args.hard or args.turned is None, "--turned is for --hard clips only")
    if not args.hard:
        frames = film.film(args.folder, args.clip, args.fps, args.backdrop, args.seed)
        cli.say(f"wrote {args.clip}: {frames} frames at {args.fps:g} fps")
        return
    suffered = film.film_hard(
        args.folder, args.turned, args.clip, args.fps, args.backdrop, _rig(args), args.seed
    )
    frames = len(suffered.shown)
    rate = args.clip.stat().st_size * 8 / 1000 / (frames / args.fps)
    cli.say(f"wrote {args.clip}: {frames} frames at {args.fps:g} fps, {rate:.0f} kbit/s")
    cli.say(f"hardships ({beside(args.clip)}): {'; '.join(suffered.names())}")


def _score(args: argparse.Namespace) -> None:
    card, out = marking.mark(args, _rig(args))
    marking.tell(card)
    cli.write_figures(args.json, card)
    cli.say(f"wrote {out / 'score.json'} and {out / 'report.html'}")
    cli.say(certificate(card))


def _compare(args: argparse.Namespace) -> None:
    before, after = (compare.load(path) for path in (args.before, args.after))
    compare.check(before, after, (args.before, args.after))
    found = files.parse(args.before, "score", lambda: compare.differences(before, after))
    cli.say(f"A: {args.before}, {certificate(before)}\nB: {args.after}, {certificate(after)}")
    cli.table(f"Two scores of {before['creature']}", ("", "A", "B", "B - A"), compare.rows(found))
    figures = {d.name: {"before": d.before, "after": d.after, "difference": d.by} for d in found}
    cli.write_figures(args.json, figures)


if __name__ == "__main__":
    sys.exit(cli.run(main))
