# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The steps of the road, each a child process: Blender for what needs it, the toolkit's Python else."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from mocap import cli

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
        children.tell_crash(code)
        raise StepFailed(children.exit_code(code))


def mocap(module: str, *arguments: str, creature: Path | None = None) -> None:
    """python -m mocap.<module> in the toolkit's Python."""
    extra = {"MOCAP_CREATURE": str(creature)} if creature else {}
    run([str(python()), "-m", f"mocap.{module}", *map(str, arguments)], **extra)


def blender_script(name: str, *arguments: str) -> None:
    run(blender.script(name, *arguments))


def samples(order: dataset.Order) -> None:
    """Render a set; then its contact sheet and, for training, the sheet that clips are calibrated against."""
    cli.stage("render", 0, 0.92)
    if not dataset.render(order):
        return
    cli.stage("draw the sheets", 0.92, 1)
    if order.kind == "main":
        blender_script("render_sheet", order.home)
    mocap("dataset.sheet", "--set", order.kind, creature=order.home)
