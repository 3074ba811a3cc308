# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The steps of the road, each a child process: Blender for what needs it, the toolkit's Python else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from . import blender, children, dataset
from .children import StepFailed
from .environment import ROOT, python


def creature_home(name: str) -> Path:
    """assets/<name>, or the folder itself where a path was given."""
    return Path(name).absolute() if "/" in name or os.sep in name else ROOT / "assets" / name


def run(command: list[str], **environment: str) -> None:
    """Run one child to its end. Raises StepFailed with its code; Ctrl-C reaches the child, too."""
    child = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "ANYMOVE_CHILD": "1", **environment})
    try:
        code = child.wait()
    except KeyboardInterrupt:
        children.end([child])
        raise
    if code:
        raise StepFailed(children.exit_code(code))


def mocap(module: str, *arguments: str, creature: Path | None = None) -> None:
    """python -m mocap.<module> in the toolkit's Python."""
    extra = {"MOCAP_CREATURE": str(creature)} if creature else {}
    run([str(python()), "-m", f"mocap.{module}", *map(str, arguments)], **extra)


def blender_script(name: str, *arguments: str) -> None:
    run(blender.script(name, *arguments))


def samples(order: dataset.Order) -> None:
    """Render a set; then its contact sheet and, for training, the sheet that clips are calibrated against."""
    if not dataset.render(order):
        return
    if order.kind == "main":
        blender_script("render_sheet", order.home)
    mocap("dataset.sheet", "--set", order.kind, creature=order.home)


def exam(home: Path, seed: int, frames: int, action: str | None, extra: list[str]) -> Path:
    """make, apply, video, detect, solve, apply, score; returns the folder with the result."""
    name = action or f"random{seed}"
    runs = home.parent.parent / "runs" / home.name
    folder = runs / "exam" / name
    folder.mkdir(parents=True, exist_ok=True)
    rig_info, rigged = home / "rigged" / "rig_info.json", home / "rigged" / "rigged.blend"
    truth, solved = folder / "truth", folder / "solved"
    reader, clip, det = runs / "reader.pt", folder / "clip.mp4", folder / "det.npz"
    if not reader.is_file():
        print(
            f"anymove: {reader}: no such file; train the reader with tools/train.sh {home.name}",
            file=sys.stderr,
        )
        raise StepFailed(2)
    chosen = ["--action", action] if action else []
    mocap("exam", "make", rig_info, folder / "truth.json", seed, frames, *chosen)
    blender_script(
        "apply_motion",
        rigged,
        rig_info,
        folder / "truth.json",
        truth,
        "--views",
        "front,side",
        "--paint",
        "--blur",
    )
    fps = json.loads((truth / "joints.json").read_text())["fps"]
    mocap("exam", "video", truth, clip, f"{fps:g}", *extra)
    mocap("detect", clip, reader, runs / "ref" / "ref.png", det, "--no-calib")
    mocap("solve", det, rig_info, folder / "solved.json")
    blender_script("apply_motion", rigged, rig_info, folder / "solved.json", solved)
    mocap(
        "exam", "score", truth / "joints.json", solved / "joints.json",
        "--rig", rig_info, "--detections", det, "--video", clip, "--out", folder,
    )  # fmt: skip
    return folder
