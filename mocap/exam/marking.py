# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The ``score`` command: gather what lies beside the joints, check that it belongs together, score, write."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .. import __version__, cli, files
from ..detections import Detections
from ..errors import BadInput
from ..motion import JointTrack, Motion
from ..rig_info import RigInfo
from ..solve.result import Solved, result_path
from . import card as words
from .exam import Exam, check, check_detections, check_motion, check_result
from .hardships import Hardships, beside
from .score import score


def mark(args: argparse.Namespace, info: RigInfo) -> tuple[dict[str, Any], Path]:
    """Score what ``args`` of ``mocap.exam score`` name, write score.json and report.html; the card and where."""
    from .. import report

    exam = gather(args, info)
    card = score(exam)
    out = args.out or args.solved.resolve().parent.parent
    files.write_json(out / "score.json", card, indent=1)
    report.write(out / "report.html", exam, card, args.video)
    return card, out


def gather(args: argparse.Namespace, info: RigInfo) -> Exam:
    """Everything the exam left, checked. BadInput names the first file that does not belong."""
    hardships = _hardships(args, info)
    truth = JointTrack.load(args.truth)
    asked = motion_beside(args.truth)
    true_motion = Motion.load(asked) if asked else None
    solved = motion_beside(args.solved)
    result = result_path(solved) if solved else None
    exam = Exam(
        info=info,
        truth=truth if hardships is None else hardships.at_shown(truth, args.truth),
        solved=JointTrack.load(args.solved),
        detections=Detections.load(args.detections) if args.detections else None,
        seed=true_motion.provenance.get("seed") if true_motion else None,
        provenance=provenance(args, hardships),
        motion=Motion.load(solved) if solved else None,
        result=Solved.load(result) if result and result.is_file() else None,
        plain=Motion.load(args.plain) if args.plain else None,
        hardships=hardships,
        asked=asked_for(info, true_motion),
    )
    check(exam, str(args.truth), str(args.solved))
    check_detections(exam, str(args.detections))
    for motion, path in ((exam.motion, solved), (exam.plain, args.plain)):
        if motion is not None:
            check_motion(exam, motion, str(path))
    check_result(exam, str(result))
    return exam


def asked_for(info: RigInfo, motion: Motion | None) -> dict[str, Any] | None:
    """Where the true motion comes from. ``held_out``: the clip was kept out of the joint limits; None where the motion
    is no clip of the rig, so that the question does not arise."""
    if motion is None:
        return None
    source = motion.provenance.get("source")
    held_out = source in info.source.get("held_out_clips", []) if source in info.clips else None
    return {"source": source, "frames": motion.frames, "held_out": held_out}


def motion_beside(joints: Path) -> Path | None:
    """truth.json of ``truth/joints.json``: the motion that was put on the rig; None where it is not there."""
    path = joints.resolve().parent.with_suffix(".json")
    return path if path.is_file() else None


def provenance(args: argparse.Namespace, hardships: Hardships | None) -> dict[str, Any]:
    """Digests of everything the score was made from. Of the solver's result only what decides the score: it
    also holds how long it took."""
    found = {
        "truth_joints": args.truth,
        "solved_joints": args.solved,
        "truth_motion": motion_beside(args.truth),
        "solved_motion": motion_beside(args.solved),
        "plain_motion": args.plain,
        "detections": args.detections,
        "video": args.video,
    }
    digests = {
        f"{name}_digest": files.digest_file(files.existing_file(path, name.replace("_", " ")))
        for name, path in found.items()
        if path is not None
    }
    if hardships is not None:
        digests["hardships_digest"] = files.digest_json(hardships.to_json())
    return digests | {"tool_version": __version__}


def tell(card: dict[str, Any]) -> None:
    """The tables for people."""
    cli.table("Exam", ("", "value"), words.rows(card))
    columns = ("stage", "unit", "mean", "median", "95%", "mean %", "")
    cli.table("Stage by stage", columns, words.stage_rows(card))
    cli.table("By limb", ("limb", "mean cm", "95% cm", "mean %", "rotation deg"), words.limb_rows(card))
    if card["views"]:
        columns = ("view", "scale, true; found", "down, true; found", "yaw, true; found")
        cli.table("What the views got wrong", columns, words.view_rows(card))
    if card["trust"]:
        columns = ("grade", "share", "true cm", "stated cm", "within 1 sigma", "within 2 sigma")
        cli.table("Does the stated error hold?", columns, words.trust_rows(card))
    if swaps := words.swap_rows(card):
        cli.table("Left and right exchanged", ("who says so", "limb", "view", "frames"), swaps)
    cli.table("Worst frames", ("frame", "mean cm", "worst joint", "its cm"), words.worst_rows(card))


def _hardships(args: argparse.Namespace, info: RigInfo) -> Hardships | None:
    """As named, or as they lie beside the video."""
    path = args.hardships
    if path is None and args.video is not None and beside(args.video).is_file():
        path = beside(args.video)
    if path is None:
        return None
    found = Hardships.load(path, args.video)
    if len(found.scale) != len(info.layout.views):
        raise BadInput(f"{path}: {len(found.scale)} views, the rig's layout has {len(info.layout.views)}")
    return found
