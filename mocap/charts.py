# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The report's pictures. Each function returns a matplotlib Figure; no window is ever opened."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .exam import trust
from .exam.exam import Exam
from .skeleton import Skeleton
from .solve.swaps import joint_limbs

TRUE, SOLVED, READ = "#1b9e4b", "#d9480f", "#1c7ed6"
_QUIET = "#868e96"
_AXES = ("x (left)", "y (back)", "z (up)")


def joint_bars(exam: Exam) -> Figure:
    """Mean and 95th percentile error of every joint, worst first, in the limbs' colours."""
    error = errors_cm(exam)
    mean, high = error.mean(0), np.percentile(error, 95, axis=0)
    order = np.argsort(mean)
    names = [exam.info.skeleton.joint_names[j] for j in order]
    colours = joint_colours(exam.info.skeleton)[order]
    figure = Figure(figsize=(7.5, 0.19 * len(names) + 1.0), layout="constrained")
    axes = figure.subplots()
    rows = np.arange(len(names))
    axes.barh(rows, mean[order], color=colours, height=0.72, label="mean")
    axes.plot(high[order], rows, "|", color="black", markersize=7, label="95% within")
    axes.set_yticks(rows, names, fontsize=7)
    axes.set_ylim(-0.7, len(names) - 0.3)
    axes.set_xlabel("error (cm)")
    axes.grid(axis="x", alpha=0.3)
    axes.legend(loc="lower right", frameon=False)
    return _plain(figure)


def error_over_time(exam: Exam) -> Figure:
    """Mean and worst joint error of every frame."""
    error = errors_cm(exam)
    seconds = np.arange(len(error)) / exam.truth.fps
    figure = Figure(figsize=(9, 2.6), layout="constrained")
    axes = figure.subplots()
    axes.fill_between(seconds, 0, np.percentile(error, 95, axis=1), color=SOLVED, alpha=0.15, lw=0)
    axes.plot(seconds, error.mean(1), color=SOLVED, label="mean over joints (band: 95% of joints)")
    axes.set_xlabel("seconds")
    axes.set_ylabel("error (cm)")
    axes.set_ylim(0)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    return _plain(figure)


def joint_tracks(exam: Exam, joints: Sequence[int]) -> Figure:
    """True against solved position of some joints over time, one row a joint, one column an axis."""
    scale, fps = exam.info.cm_per_metre, exam.truth.fps
    seconds = np.arange(len(exam.truth.positions)) / fps
    figure = Figure(figsize=(10.5, 1.75 * len(joints) + 0.6), layout="constrained")
    grid = figure.subplots(len(joints), 3, squeeze=False, sharex=True)
    for row, joint in zip(grid, joints):
        for axis, axes in enumerate(row):
            axes.plot(seconds, exam.truth.positions[:, joint, axis] * scale, color=TRUE, lw=2.2, label="true")
            axes.plot(
                seconds, exam.solved.positions[:, joint, axis] * scale, color=SOLVED, lw=1, label="solved"
            )
            axes.grid(alpha=0.3)
            axes.tick_params(labelsize=7)
        row[0].set_ylabel(f"{exam.info.skeleton.joint_names[joint]}\ncm", fontsize=8)
    for axes, title in zip(grid[0], _AXES):
        axes.set_title(title, fontsize=9)
    for axes in grid[-1]:
        axes.set_xlabel("seconds", fontsize=8)
    grid[0, 0].legend(frameon=False, fontsize=7)
    return _plain(figure)


def overlay(exam: Exam, frame: int, picture: np.ndarray | None) -> Figure:
    """One sheet with the true and solved skeleton and the read joints drawn over it.

    ``picture`` (H, W, 3) uint8 is the clip's frame; without it the panels stay empty.
    """
    figure, axes = _sheet(exam, picture)
    pixels = [(exam.project(t.positions)[frame], *style) for t, *style in _skeletons(exam)]
    for v, view in enumerate(exam.info.layout.views):
        corner = np.array(view.corner)
        for placed, colour, thick in pixels:
            for a, b in links(exam.info.skeleton):
                axes.plot(*(placed[v] + corner)[[a, b]].T, color=colour, lw=thick, solid_capstyle="round")
        if exam.detections is not None:
            read = exam.detections.confidence[frame, v] > 0
            spots = exam.detections.positions[frame, v][read] + corner
            sizes = 10 + 30 * exam.detections.confidence[frame, v][read]
            axes.scatter(*spots.T, s=sizes, facecolors="none", edgecolors=READ, linewidths=1.3)
    return figure


def dots(exam: Exam, frame: int, picture: np.ndarray | None) -> Figure:
    """One sheet with true and read joints as dots, each pair joined by a line. Needs detections."""
    figure, axes = _sheet(exam, picture)
    true, read = exam.project(exam.truth.positions)[frame], exam.detections.positions[frame]
    for v, view in enumerate(exam.info.layout.views):
        known = exam.detections.confidence[frame, v] > 0
        here, there = (points[v][known] + np.array(view.corner) for points in (true, read))
        axes.plot(*np.stack([here, there]).transpose(2, 0, 1), color=READ, lw=1.3)
        axes.scatter(*here.T, s=24, color=TRUE, edgecolors="white", linewidths=0.6)
        axes.scatter(*there.T, s=24, color=READ, edgecolors="white", linewidths=0.6)
    return figure


def trust_curves(exam: Exam) -> Figure:
    """Of the errors that should lie within the stated one, how many do: all joints, and by grade. Needs the solver's
    result."""
    shares = np.linspace(0, 0.995, 100)
    ratios = trust.ratios(exam)
    figure = Figure(figsize=(4.6, 4.4), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color=_QUIET, lw=1, ls="--", label="as stated")
    looks = {"all": ("black", 2.2), "read": (TRUE, 1.3), "inferred": (READ, 1.3), "lost": (SOLVED, 1.3)}
    for name, which in trust.groups(exam).items():
        if which.any():
            colour, thick = looks[name]
            label = f"{name} ({which.mean():.0%})"
            axes.plot(shares, trust.curve(ratios[which], shares), color=colour, lw=thick, label=label)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_xlabel("share of errors that should lie within")
    axes.set_ylabel("share that does")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, loc="upper left")
    return _plain(figure)


def _skeletons(exam: Exam):
    """The tracks to draw, with colour and thickness."""
    return (exam.truth, TRUE, 2.0), (exam.solved, SOLVED, 1.2)


def _sheet(exam: Exam, picture: np.ndarray | None) -> tuple[Figure, Axes]:
    """An empty drawing in the sheet's pixels on ``picture`` (H, W, 3) uint8, or on grey."""
    width, height = exam.info.layout.sheet_size
    figure = Figure(figsize=(10, 10 * height / width))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.set_axis_off()
    shown = np.full((height, width, 3), 235, np.uint8) if picture is None else picture
    axes.imshow(shown, extent=(0, width, height, 0), interpolation="bilinear")
    return figure, axes


def links(skeleton: Skeleton) -> list[tuple[int, int]]:
    """Pairs of joints to join by a line: each with the next one up the bones that has a joint."""
    at_head = {}
    for joint, point in enumerate(skeleton.joint_points):
        apart = np.linalg.norm(skeleton.heads - point, axis=1)
        for bone in np.flatnonzero(apart < 1e-4 * skeleton.height):
            at_head[int(bone)] = joint
    out = []
    for joint in range(len(skeleton.joints)):
        bone = next((b for b, j in at_head.items() if j == joint), None)
        above = int(skeleton.joint_bones[joint]) if bone is None else int(skeleton.parents[bone])
        while above >= 0 and above not in at_head:
            above = int(skeleton.parents[above])
        if above >= 0 and at_head[above] != joint:
            out.append((at_head[above], joint))
    return out


def errors_cm(exam: Exam) -> np.ndarray:
    """(T, J) distance between solved and true joints."""
    return exam.errors_cm(exam.solved.positions)


def joint_colours(skeleton: Skeleton) -> np.ndarray:
    """(J, 3) each joint's limb colour, grey where it belongs to none."""
    limb_of = joint_limbs(skeleton)
    colours = np.array([limb.colour for limb in skeleton.limbs] + [(0.5, 0.5, 0.5)], float)
    return np.clip(colours[limb_of], 0, 1)


def _plain(figure: Figure) -> Figure:
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color(_QUIET)
    return figure
