# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The tables that bench/solver.py prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mocap import cli
from mocap.rig_info import RigInfo

from .targets import Verdict

Rows = Sequence[dict[str, Any]]
_FIGURES = {
    "mean %": "mean_pct",
    "median %": "median_pct",
    "95% %": "p95_pct",
    "rotation deg": "rotation_deg",
    "jitter": "jitter",
}


def size(info: RigInfo) -> str:
    markers = int(info.skeleton.is_marker.sum())
    return f"{len(info.skeleton.bones)} bones, {markers} markers"


def shown(value: float | None) -> str | float:
    """``-`` for what could not be measured."""
    return "-" if value is None else value


def troubles(title: str, rows: Rows) -> None:
    heads = ("motion", "trouble", *_FIGURES, "exchanged", "CPU s / 120 frames")
    keys = ("motion", "case", *_FIGURES.values(), "exchanged", "seconds_per_120_frames")
    cli.table(title, heads, [[shown(row[key]) for key in keys] for row in rows])


def motions(title: str, rows: Rows) -> None:
    """One line a motion, one column a case."""
    cases = list(dict.fromkeys(row["case"] for row in rows))
    mean = {(row["rig"], row["motion"], row["case"]): row["mean_pct"] for row in rows}
    lines = [
        (rig, motion, *(shown(mean.get((rig, motion, case))) for case in cases))
        for rig, motion in dict.fromkeys((row["rig"], row["motion"]) for row in rows)
    ]
    cli.table(title, ("rig", "motion", *cases), lines)


def verdicts(title: str, found: Sequence[Verdict]) -> None:
    rigs = list(dict.fromkeys(rig for verdict in found for rig in verdict.means))
    lines = [
        (
            verdict.target.name,
            f"{verdict.target.limit:g}",
            *(shown(verdict.means.get(rig)) for rig in rigs),
            "{} {}: {:.2f}".format(*verdict.worst),
            f"{verdict.within} of {verdict.of}",
            "met" if verdict.met else "missed",
        )
        for verdict in found
    ]
    cli.table(title, ("target", "at most", *rigs, "worst", "motions within", ""), lines)


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    return {
        "target": verdict.target.name,
        "limit": verdict.target.limit,
        "means": verdict.means,
        "worst": list(verdict.worst),
        "within": verdict.within,
        "of": verdict.of,
        "met": verdict.met,
    }


def lengths(title: str, rows: Rows) -> None:
    heads = ("frames", "CPU s", "CPU s / 120 frames", "peak MB", "of it to start", "mean %")
    keys = ("frames", "seconds", "seconds_per_120_frames", "peak_mb", "start_mb", "mean_pct")
    cli.table(title, heads, [[row[key] for key in keys] for row in rows])


def peers(title: str, rows: Rows) -> None:
    heads = ("motion", "trouble", "solver", *_FIGURES, "CPU s / 120 frames")
    keys = ("motion", "case", "peer", *_FIGURES.values(), "seconds_per_120_frames")
    cli.table(title, heads, [[shown(row[key]) for key in keys] for row in rows])
