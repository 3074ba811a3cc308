# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A training's figures for people: a line an epoch, tables in the end."""

from __future__ import annotations

from typing import Any

from .. import cli
from ..rig_info import RigInfo

_KEYS = (
    "mean_px",
    "mean_pct",
    "median_pct",
    "p95_px",
    "within_2_pct",
    "within_5_pct",
    "visible_pct",
    "hidden_pct",
)
_HEADS = ("mean px", "mean %", "median %", "p95 px", "within 2%", "within 5%", "seen %", "hidden %")
_LEAST_CONFUSED = 0.5
"""Pairs of limbs are listed where more than this share (%) of a side's readings lies on the other."""


def epoch_line(entry: dict[str, Any], end: int, mean_pose: dict[str, Any]) -> str:
    views = [
        f"{name} {_error(found)}, hard {entry['hard'][name]['mean_pct']:.1f}%, mean pose "
        f"{mean_pose[name]['mean_pct']:.1f}%"
        for name, found in entry["views"].items()
    ]
    return (
        f"epoch {entry['epoch']}/{end}: loss {entry['loss']:.3f}; held out: {'; '.join(views)}; "
        f"part masks {entry['part_iou']:.0f}%; {entry['seconds']:.0f} s"
    )


def _error(found: dict[str, Any]) -> str:
    return f"{found['mean_px']:.1f} px ({found['mean_pct']:.1f}%)"


def show(figures: dict[str, Any], rig: RigInfo) -> None:
    """Every table of a finished training."""
    names = rig.layout.names
    rows = [(joint, *values) for joint, values in figures["per_joint_px"].items()]
    cli.table("Held-out error by joint, layout pixels", ("joint", *names), rows)
    rows = [(marker, *values) for marker, values in figures["per_marker_px"].items()]
    if rows:
        cli.table("Held-out error by marker, layout pixels", ("marker", *names), rows)
    _confusion(figures["confusion"], names)
    _masks(figures)
    _errors(figures, names)
    cli.say(_beside(figures))


def _errors(figures: dict[str, Any], names: tuple[str, ...]) -> None:
    kinds = [("", figures["views"]), (", hard", figures["hard"]["views"])]
    if "shifted" in figures:
        kinds.append((", other style", figures["shifted"]["views"]))
    kinds.append((", mean pose", figures["mean_pose"]))
    if figures["markers"]:
        kinds.append((", markers", figures["markers"]))
    rows = [(name + label, *_cells(views[name])) for name in names for label, views in kinds]
    cli.table("Held-out error, % of the creature's height", ("view", *_HEADS), rows)


def _cells(view: dict[str, Any]) -> list[Any]:
    return ["-" if view[key] is None else view[key] for key in _KEYS]


def _confusion(confusion: dict[str, list], names: tuple[str, ...]) -> None:
    """Pairs of limbs that are taken for each other, left and right apart."""
    rows = [
        (pair, view, f"{matrix[0][1]:.1f}", f"{matrix[1][0]:.1f}")
        for pair, by_view in confusion.items()
        for view, matrix in zip(names, by_view)
        if max(matrix[0][1], matrix[1][0]) >= _LEAST_CONFUSED
    ]
    if rows:
        heads = ("limbs", "view", "left read as right, %", "right read as left, %")
        cli.table("Left and right confused", heads, rows)


def _masks(figures: dict[str, Any]) -> None:
    rows = [(name, value) for name, value in figures["limb_iou"].items() if value is not None]
    cli.table("Masks of limbs, intersection over union in %", ("limb", "IoU"), rows)


def _beside(figures: dict[str, Any]) -> str:
    told, shown = figures["normalised_error"], figures["pictures"]
    calibrated = (
        f"sigma: normalised error {told['median']:.2f}, {told['within_1']:.0f}% within 1 and "
        f"{told['within_2']:.0f}% within 2 sigma; "
        if told
        else ""
    )
    return (
        f"masks: parts {figures['part_iou_mean']:.0f}%, limbs {figures['limb_iou_mean']:.0f}%, creature "
        f"{figures['silhouette_iou']:.0f}%; visibility right for {figures['visible_right_pct']:.0f}%; "
        f"depth off by {figures['depth_pct']:.1f}% of height; swapped: "
        + ", ".join(f"{view} {share:.1f}%" for view, share in zip(figures["views"], figures["swapped_pct"]))
        + f"; {calibrated}pictures: {shown['rendered_share']:.0%} rendered, {shown['drawn_share']:.0%} drawn"
    )


def compare(found: dict[str, dict[str, Any]], names: tuple[str, ...]) -> None:
    """Sets of held-out samples side by side."""
    rows = [
        (f"{name}, {kind}", *_cells(figures["views"][name]))
        for name in names
        for kind, figures in found.items()
    ]
    cli.table("Held-out error, % of the creature's height", ("view", *_HEADS), rows)
    for kind, figures in found.items():
        told = figures["normalised_error"]
        cli.say(
            f"{kind}: {figures['samples']} samples; masks: parts {figures['part_iou_mean']:.0f}%, limbs "
            f"{figures['limb_iou_mean']:.0f}%; visibility right for {figures['visible_right_pct']:.0f}%; swapped: "
            + ", ".join(f"{name} {share:.1f}%" for name, share in zip(names, figures["swapped_pct"]))
            + f"; normalised error {told['median']:.2f}"
        )
