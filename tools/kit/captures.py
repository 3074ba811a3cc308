# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A clip of the creature, from film to the rig in motion."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

from mocap import cli

from . import exams, steps
from .children import StepFailed


class Order(NamedTuple):
    """The clip, and how it is read."""

    home: Path
    clip: Path
    calibrate: bool = True
    """The clip was made from the reference sheet and may have drifted from it."""
    pictures: bool = True
    """Compare the solve with the clip's pictures."""

    @property
    def runs(self) -> Path:
        return self.home.parent.parent / "runs" / self.home.name

    @property
    def rig_info(self) -> Path:
        return self.home / "rigged" / "rig_info.json"

    @property
    def folder(self) -> Path:
        return self.runs / "capture" / self.clip.stem


def capture(order: Order) -> Path:
    """detect, solve, apply; the folder with det.npz, overlay.mp4, solved.json and solved/animated.blend."""
    exam = exams.Order(order.home, 0, 0)
    exams.check_reader(exam)
    if not order.clip.exists():
        print(f"anymove: {order.clip}: no such clip; give a film, or a folder of pictures", file=sys.stderr)
        raise StepFailed(2)
    folder, rig_info = order.folder, order.rig_info
    folder.mkdir(parents=True, exist_ok=True)
    det, evidence, solved = folder / "det.npz", folder / "evidence.zip", folder / "solved.json"
    # Should a step fail, nothing older may pass for this clip's motion.
    solved.unlink(missing_ok=True)
    cli.stage("read the clip", 0, 0.45)
    steps.mocap(
        "detect", order.clip, order.runs / "reader.pt", order.runs / "ref" / "ref.png", det,
        "--rig", rig_info, "--overlay", folder / "overlay.mp4",
        *([] if order.calibrate else ["--no-calib"]),
        *(["--evidence", evidence] if order.pictures else []),
    )  # fmt: skip
    cli.stage("solve", 0.45, 0.9)
    if order.pictures:
        # As in the exam, whose certificate is to hold for captures.
        plain = folder / "plain.json"
        steps.mocap("solve", det, rig_info, plain)
        exams.compare(order, order.clip, det, plain, evidence)
    else:
        steps.mocap("solve", det, rig_info, solved)
    cli.stage("put it on the rig", 0.9, 1)
    exams.apply(exam, solved, folder / "solved")
    return folder
