# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Every command of the toolkit, for all systems: python tools/anymove.py <command> ...

tools/<command>.sh are the same commands for a Unix shell. Needs nothing but Python's own library: the
rest is installed into .venv on first use.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from kit import blender, captures, environment, exams, extension, matrix, steps
from kit.children import StepFailed
from kit.dataset import COUNTS, Order, Share, share
from kit.environment import ROOT, SetupError

from mocap.cli import Parser, positive_int, seed_number

RIG_SUFFIXES = (".glb", ".gltf", ".fbx", ".blend")
DEMO_CREATURE = "wolf"
DEMO_SAMPLES = 700
DEMO_EPOCHS = 16
DEMO_FRAMES = 72


def setup(_: argparse.Namespace) -> None:
    print(f"{environment.ensure()}: ready")


def test(options: argparse.Namespace) -> None:
    python = environment.ensure("requirements-dev.txt")
    steps.run([str(python), "-m", "ruff", "check", "."])
    steps.run([str(python), "-m", "ruff", "format", "--check", "."])
    steps.run([str(python), "-m", "reuse", "lint", "--quiet"])
    steps.run([str(python), "-m", "pytest", "--durations=15", *options.arguments])


def test_matrix(options: argparse.Namespace) -> None:
    matrix.run(options.arguments)


def rig(options: argparse.Namespace) -> None:
    environment.ensure()
    if options.doctor:
        steps.blender_script("doctor", str(Path(options.doctor).absolute()), *options.arguments)
        return
    if options.creature is None:
        print("anymove: rig needs a creature's name (assets/<name>), or --doctor FILE", file=sys.stderr)
        raise StepFailed(2)
    home = steps.creature_home(options.creature)
    if options.file is None:
        steps.blender_script("build_creature", home, *options.arguments)
    else:
        steps.blender_script("rig_creature", home, str(Path(options.file).absolute()), *options.arguments)


def poses(options: argparse.Namespace) -> None:
    environment.ensure()
    home = steps.creature_home(options.creature)
    steps.blender_script("render_poses", home, *options.arguments)


def dataset(options: argparse.Namespace) -> None:
    environment.ensure()
    order = Order(
        steps.creature_home(options.creature),
        options.count,
        options.processes,
        options.machine,
        options.set,
        tuple(options.arguments),
    )
    steps.samples(order)


def train(options: argparse.Namespace) -> None:
    environment.ensure()
    home = steps.creature_home(options.creature)
    batch = [options.batch] if options.batch else []
    steps.mocap("reader.train", options.epochs, *batch, *options.arguments, creature=home)


def exam(options: argparse.Namespace) -> None:
    environment.ensure()
    if options.creature == "compare":
        steps.mocap("exam", "compare", *options.arguments)
        return
    home, extra = steps.creature_home(options.creature), tuple(options.arguments)
    if not options.all:
        order = exams.Order(
            home, options.seed, options.frames, options.action, options.hard, extra, not options.no_pictures
        )
        exams.sit(order)
        return
    if options.action or options.hard:
        print("anymove: exam --all takes every clip, easy and hard: no --action, no --hard", file=sys.stderr)
        raise StepFailed(2)
    exams.every(home, options.seed, options.frames, extra, not options.no_pictures)


def capture(options: argparse.Namespace) -> None:
    environment.ensure()
    order = captures.Order(
        steps.creature_home(options.creature),
        Path(options.clip).absolute(),
        not options.no_calib,
        not options.no_pictures,
    )
    print(f"captured: {captures.capture(order)}")


def check(options: argparse.Namespace) -> None:
    environment.ensure()
    steps.mocap("devices", *options.arguments)


def export(options: argparse.Namespace) -> None:
    environment.ensure()
    rigged = steps.creature_home(options.creature) / "rigged"
    paths = [rigged / "rigged.blend", rigged / "rig_info.json"]
    given = [Path(options.motion).absolute(), Path(options.file).absolute()]
    steps.blender_script("export_motion", *map(str, [*paths, *given]), *options.arguments)


def build_extension(options: argparse.Namespace) -> None:
    environment.ensure()
    extension.build(Path(options.out).absolute() if options.out else ROOT / "dist")


def retarget(options: argparse.Namespace) -> None:
    environment.ensure()
    infos = [
        steps.creature_home(name) / "rigged" / "rig_info.json" for name in (options.source, options.target)
    ]
    motion, out = (str(Path(path).absolute()) for path in (options.motion, options.out))
    steps.mocap("retarget", motion, *infos, out, *options.arguments)


def demo(options: argparse.Namespace) -> None:
    """The whole road on a CPU: creature, dataset, reader, exam. Every step resumes."""
    environment.ensure()
    started = time.monotonic()
    given = Path(options.creature)
    if given.suffix.lower() in RIG_SUFFIXES:
        home = ROOT / "assets" / given.stem.lower()
        steps.blender_script("rig_creature", home, str(given.absolute()))
    else:
        home = steps.creature_home(options.creature)
        if (home / "rigged" / "rig_info.json").exists():
            print(f"using the rig that is in {home / 'rigged'}")
        else:
            steps.blender_script("build_creature", home)
    steps.samples(Order(home, DEMO_SAMPLES, 2))
    steps.mocap("reader.train", DEMO_EPOCHS, creature=home)
    folder = exams.sit(exams.Order(home, 1, DEMO_FRAMES))
    print(f"report: {folder / 'report.html'}   ({(time.monotonic() - started) / 60:.1f} minutes)")


def run_blender(options: argparse.Namespace) -> None:
    environment.ensure()
    steps.run([*blender.command(), *options.arguments])


def parser() -> argparse.ArgumentParser:
    top = Parser(prog="anymove", description="Teach a computer to read one creature from video.")
    commands = top.add_subparsers(dest="command", required=True, metavar="command")

    def add(name: str, act, help_text: str, rest: str | None = None) -> argparse.ArgumentParser:
        one = commands.add_parser(name, help=help_text, description=help_text)
        one.set_defaults(act=act, rest=rest)
        return one

    add("setup", setup, "make .venv and install what the toolkit needs")
    add("test", test, "lint and run the tests; further arguments go to pytest", "pytest")
    add(
        "matrix",
        test_matrix,
        "the add-on's tests with each Blender; further arguments go to pytest",
        "pytest",
    )
    one = add("demo", demo, "the whole road on a CPU, with a shipped creature or a rig of yours")
    one.add_argument(
        "creature", nargs="?", default=DEMO_CREATURE, help="spider, wolf, dragon, demon, or path/to/rig.glb"
    )
    one = add("rig", rig, "adopt a rig from a file, or build a shipped creature (no file)", "rig_creature.py")
    one.add_argument("creature", nargs="?")
    one.add_argument("file", nargs="?", help="glb, gltf, fbx or blend")
    one.add_argument(
        "--doctor", metavar="FILE", help="only look the rig over and say what would spoil a capture"
    )
    one = add("poses", poses, "a contact sheet of random poses, to be looked at first", "render_poses.py")
    one.add_argument("creature")
    one = add("dataset", dataset, "render samples; goes on where it stopped", "render_dataset.py")
    one.add_argument("creature")
    one.add_argument(
        "count", type=positive_int, nargs="?", help=f"default {COUNTS['main']}; shifted {COUNTS['shifted']}"
    )
    one.add_argument("processes", type=positive_int, nargs="?", default=2)
    one.add_argument(
        "--machine", type=share, default=Share(), metavar="2/4", help="render only this machine's share"
    )
    one.add_argument(
        "--set", choices=list(COUNTS), default="main", help="shifted: a small set with other engine and looks"
    )
    one = add("train", train, "train the creature's reader; goes on where it stopped", "mocap.reader.train")
    one.add_argument("creature")
    one.add_argument("epochs", type=positive_int, nargs="?", default=20)
    one.add_argument("batch", type=positive_int, nargs="?", help="default: 8 for compact, 20 for dinov2")
    one = add(
        "exam",
        exam,
        "a made-up motion, filmed, read, solved, compared: the score in centimetres",
        "exam video",
    )
    one.add_argument("creature", help="or: compare A/score.json B/score.json")
    one.add_argument("--action", help="one of the rig's own clips instead of a random motion")
    one.add_argument("--hard", action="store_true", help="a clip spoilt by known amounts (docs/exam.md)")
    one.add_argument(
        "--all", action="store_true", help="a random motion and every clip of the rig, easy and hard"
    )
    one.add_argument("--seed", type=seed_number, default=1)
    one.add_argument("--frames", type=positive_int, default=96)
    one.add_argument(
        "--no-pictures",
        action="store_true",
        help="solve from the joints read alone; no comparing of pictures",
    )
    one = add("capture", capture, "read a clip, solve the motion, put it on the rig")
    one.add_argument("creature")
    one.add_argument("clip", help="a film, or a folder of pictures, in the layout's framing")
    one.add_argument("--no-calib", action="store_true", help="the clip is exactly in the layout's framing")
    one.add_argument("--no-pictures", action="store_true", help="solve from the readings alone: quicker")
    add("check", check, "what computes here, with which versions, and free disk", "mocap.devices")
    one = add("export", export, "a motion for other programs: GLB, FBX, USD, BVH, NPZ", "export_motion.py")
    one.add_argument("creature")
    one.add_argument("motion", help="solved.json, or any motion of this creature")
    one.add_argument("file", help="take.glb, .fbx, .usd, .usda, .usdc, .usdz, .bvh or .npz")
    one = add("extension", build_extension, "validate the Blender extension and build its zip")
    one.add_argument("--out", metavar="DIR", help="default: dist")

    one = add("retarget", retarget, "copy a motion to another creature's rig", "mocap.retarget")
    one.add_argument("source", help="the creature that the motion is of")
    one.add_argument("motion")
    one.add_argument("target", help="the creature to copy it to")
    one.add_argument("out", help="the new motion's file, to be applied or exported")
    add(
        "blender",
        run_blender,
        "Blender, or the bpy module playing it: -b [file.blend] -P script.py -- ...",
        "Blender",
    )
    return top


def main(arguments: list[str]) -> int:
    top = parser()
    if arguments[:1] == ["blender"]:
        # Everything is Blender's, also what looks like an option of ours.
        options, rest = argparse.Namespace(act=run_blender, rest="Blender"), arguments[1:]
    else:
        options, rest = top.parse_known_args(arguments)
    if rest and options.rest is None:
        top.error(f"{options.command} takes no {' '.join(rest)}")
    options.arguments = rest
    try:
        options.act(options)
    except SetupError as error:
        print(f"anymove: {error}", file=sys.stderr)
        return 1
    except StepFailed as error:
        return error.code
    except KeyboardInterrupt:
        print(
            "anymove: stopped; what was finished is kept, run the same command again to go on",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
