# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Exams: one from made-up motion to score, or all that a creature can sit, with a summary."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from mocap import cli, files

from . import steps
from .children import StepFailed


class Order(NamedTuple):
    """What is to be examined. ``action`` None: a random motion; ``extra`` goes to ``mocap.exam video``."""

    home: Path
    seed: int
    frames: int
    action: str | None = None
    hard: bool = False
    extra: tuple[str, ...] = ()
    pictures: bool = True
    """Compare the solve with the clip's pictures, and tell what that gained."""

    @property
    def name(self) -> str:
        return (self.action or f"random{self.seed}") + ("_hard" if self.hard else "")

    @property
    def runs(self) -> Path:
        return self.home.parent.parent / "runs" / self.home.name

    @property
    def folder(self) -> Path:
        return self.runs / "exam" / self.name

    @property
    def rig_info(self) -> Path:
        return self.home / "rigged" / "rig_info.json"


class Placed(Protocol):
    """A clip's reading, an exam's or a capture's: where it lies, and of which creature it is."""

    @property
    def folder(self) -> Path: ...

    @property
    def runs(self) -> Path: ...

    @property
    def rig_info(self) -> Path: ...


def sit(order: Order) -> Path:
    """make, apply, video, detect, solve, apply, score; returns the folder with the result."""
    check_reader(order)
    folder, rig_info = order.folder, order.rig_info
    folder.mkdir(parents=True, exist_ok=True)
    # Should a step fail, no score of an earlier exam may pass for this one's.
    (folder / "score.json").unlink(missing_ok=True)
    truth, solved = folder / "truth", folder / "solved"
    cli.stage("film the motion", 0, 0.4)
    clip, det, evidence = film(order, truth), folder / "det.npz", folder / "evidence.zip"
    cli.stage("read the film", 0.4, 0.6)
    steps.mocap(
        "detect", clip, order.runs / "reader.pt", order.runs / "ref" / "ref.png", det, "--no-calib",
        "--overlay", folder / "overlay.mp4",
        *(["--evidence", evidence] if order.pictures else []),
    )  # fmt: skip
    plain = folder / "plain.json"
    cli.stage("solve", 0.6, 0.9)
    if order.pictures:
        steps.mocap("solve", det, rig_info, plain)
        compare(order, clip, det, plain, evidence)
    else:
        steps.mocap("solve", det, rig_info, folder / "solved.json")
    cli.stage("put it on the rig and compare", 0.9, 1)
    apply(order, folder / "solved.json", solved)
    steps.mocap(
        "exam", "score", truth / "joints.json", solved / "joints.json",
        "--rig", rig_info, "--detections", det, "--video", clip, "--out", folder,
        *(["--plain", plain] if order.pictures else []),
    )  # fmt: skip
    return folder


def compare(order: Placed, clip: Path, det: Path, plain: Path, evidence: Path) -> None:
    """Compare the solve with the clip: its drawings read again, its skin with the pictures, and read again."""
    folder, reader, rig_info = order.folder, order.runs / "reader.pt", order.rig_info
    second, middle, third = folder / "second.npz", folder / "second.json", folder / "third.npz"
    steps.mocap("reread", clip, det, plain, reader, rig_info, second)
    steps.mocap("solve", second, rig_info, middle, "--evidence", evidence)
    steps.mocap("reread", clip, det, middle, reader, rig_info, third)
    steps.mocap("solve", third, rig_info, folder / "solved.json")


def check_reader(order: Order) -> None:
    reader = order.runs / "reader.pt"
    if not reader.is_file():
        print(
            f"anymove: {reader}: no such file; train the reader with tools/train.sh {order.home.name}",
            file=sys.stderr,
        )
        raise StepFailed(2)


def film(order: Order, truth: Path) -> Path:
    """Make the motion, render it, film it; the clip. A hard clip's side view sees a turned motion."""
    made, clip, rig_info = truth.with_suffix(".json"), order.folder / "clip.mp4", order.rig_info
    chosen = ["--action", order.action] if order.action else []
    steps.mocap("exam", "make", rig_info, made, order.seed, order.frames, *chosen)
    hard: list[str] = []
    if order.hard:
        turned = order.folder / "turned"
        steps.mocap("exam", "turn", rig_info, made, turned.with_suffix(".json"), order.seed)
        apply(order, made, truth, "front")
        apply(order, turned.with_suffix(".json"), turned, "side")
        hard = ["--hard", "--turned", str(turned), "--rig", str(rig_info)]
    else:
        apply(order, made, truth, "front,side")
    fps = json.loads((truth / "joints.json").read_text())["fps"]
    # What was asked for on the command line comes last and wins.
    steps.mocap("exam", "video", truth, clip, f"{fps:g}", "--seed", order.seed, *hard, *order.extra)
    return clip


def apply(order: Order, motion: Path, out: Path, views: str | None = None) -> None:
    """Put a motion on the rig in Blender and read its joints back; with ``views``, film them."""
    seen = ["--views", views, "--paint", "--blur"] if views else []
    steps.blender_script(
        "apply_motion", order.home / "rigged" / "rigged.blend", order.rig_info, motion, out, *seen
    )


def every(home: Path, seed: int, frames: int, extra: tuple[str, ...], pictures: bool = True) -> Path:
    """A random motion and each of the rig's own clips, easy and hard. One that fails does not stop the rest.

    Prints a table and writes ``exam/summary.json``; its path. Raises StepFailed with the worst code, after all.
    """
    check_reader(Order(home, seed, frames))
    rig_info = Order(home, seed, frames).rig_info
    if not rig_info.is_file():
        print(f"anymove: {rig_info}: no such file; make it with tools/rig.sh {home.name}", file=sys.stderr)
        raise StepFailed(2)
    clips = json.loads(rig_info.read_text())["clips"]
    orders = [
        Order(home, seed, frames, action, hard, extra, pictures)
        for action in (None, *clips)
        for hard in (False, True)
    ]
    found = [outcome(order) for order in orders]
    path = orders[0].runs / "exam" / "summary.json"
    files.write_json(path, {"schema": 1, "kind": "anymove.exams", "seed": seed, "exams": found}, indent=1)
    print("\n".join(summary(found)))
    print(f"wrote {path}")
    if code := max(one["code"] for one in found):
        raise StepFailed(code)
    return path


_KEPT = (
    "mean_cm",
    "mean_pct",
    "median_cm",
    "p95_cm",
    "rotation_deg",
    "jitter_ratio",
    "slide_cm_s",
    "read_pct",
)


def outcome(order: Order) -> dict[str, Any]:
    """One exam's figures and exit code; figures are None where it failed."""
    print(f"\n=== {order.name} ===", flush=True)
    told: dict[str, Any] = {"name": order.name, "hard": order.hard, "code": 0}
    try:
        card = json.loads((sit(order) / "score.json").read_text())
    except StepFailed as failed:
        return told | {"code": failed.code} | dict.fromkeys(("held_out", *_KEPT))
    return told | {"held_out": card["motion"]["held_out"]} | {key: card[key] for key in _KEPT}


def summary(found: Iterable[dict[str, Any]]) -> list[str]:
    """The table's lines."""
    rows = [("exam", "mean %", "mean cm", "95% cm", "rotation deg", "jitter", "read front %", "read side %")]
    for one in found:
        name = one["name"] + (" (held out)" if one["held_out"] else "")
        if one["code"]:
            rows.append((name, f"failed ({one['code']})", *[""] * 6))
            continue
        keys = ("mean_pct", "mean_cm", "p95_cm", "rotation_deg", "jitter_ratio")
        read = [(one["read_pct"] or {}).get(view) for view in ("front", "side")]
        values = [one[key] for key in keys] + read
        rows.append((name, *("-" if value is None else f"{value:.2f}" for value in values)))
    wide = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(w) if not column else cell.rjust(w) for column, (cell, w) in enumerate(zip(row, wide))
        )
        for row in rows
    ]
