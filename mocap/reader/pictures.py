# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of a training: its curve, and the held-out panels that it reads worst."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np

from .. import files
from ..pictures import draw_joints, grid, save_picture

_WORST = 8
_SCALE = 1.5
_NAMED = 3


def save_curve(path: Path, history: list[dict[str, Any]], baseline: dict[str, Any]) -> None:
    """Two panels by epoch: the training loss, and the held-out error of each view with the mean pose's as
    dashed lines. Where the history tells of hard panels (entry["hard"]), their error is dotted."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4), layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2, width_ratios=(2, 3))
    left.plot(
        [entry["epoch"] for entry in history], [entry["loss"] for entry in history], "o-", ms=4, color="C7"
    )
    left.set(xlabel="epoch", ylabel="loss on training pictures", title="Loss")
    for index, (view, base) in enumerate(baseline.items()):
        _error_lines(right, history, view, f"C{index}")
        right.axhline(base["mean_pct"], ls="--", color=f"C{index}", lw=1, label=f"{view}, mean pose")
    right.set(xlabel="epoch", ylabel="mean error, % of height", yscale="log", title="Held-out samples")
    for formatter in (right.yaxis.set_major_formatter, right.yaxis.set_minor_formatter):
        formatter(lambda value, _: f"{value:g}")
    for axes in (left, right):
        axes.grid(True, which="both", alpha=0.3)
        axes.xaxis.get_major_locator().set_params(integer=True)
    right.legend(ncols=len(baseline), fontsize=8)
    with files.atomic_path(path) as temporary:
        figure.savefig(temporary, dpi=100)


def _error_lines(axes, history: list[dict[str, Any]], view: str, colour: str) -> None:
    for kind, style in (("views", "o-"), ("hard", "s:")):
        entries = [entry for entry in history if kind in entry]
        if entries:
            errors = [entry[kind][view]["mean_pct"] for entry in entries]
            label = view if kind == "views" else f"{view}, {kind}"
            axes.plot([entry["epoch"] for entry in entries], errors, style, ms=4, color=colour, label=label)


class Labels(NamedTuple):
    """What the tiles of the worst panels say: indices (N,) of the samples on disk, names of views and
    joints, the creature's height (V,) in pixels."""

    indices: np.ndarray
    views: tuple[str, ...]
    joints: tuple[str, ...]
    height_px: np.ndarray


def save_worst(
    path: Path,
    panels: list[list[np.ndarray]],
    truth: np.ndarray,
    read: np.ndarray,
    visible: np.ndarray,
    colours: np.ndarray,
    radii: np.ndarray,
    labels: Labels | None = None,
) -> None:
    """The panels with the largest mean error. White dots with lines end at the truth; coloured dots are
    what was read, hollow where the joint is hidden. truth, read (N, V, J, 2); colours (J, 3) uint8; radii (J,) px.
    With ``labels`` a tile tells its sample, its view, its error and its three worst joints."""
    error = np.linalg.norm(read - truth, axis=-1)
    means = error.mean(-1)
    order = np.dstack(np.unravel_index(np.argsort(-means, axis=None), means.shape))[0][:_WORST]
    tiles = []
    for sample, view in order:
        tile = cv2.resize(panels[sample][view], None, fx=_SCALE, fy=_SCALE, interpolation=cv2.INTER_LINEAR)
        ends, starts = truth[sample, view] * _SCALE, read[sample, view] * _SCALE
        for start, end in zip(starts, ends):
            cv2.line(
                tile, tuple(start.astype(int).tolist()), tuple(end.astype(int).tolist()), (255, 255, 255)
            )
        draw_joints(tile, ends, np.full_like(colours, 255), np.ones(len(ends), bool), 1)
        draw_joints(tile, starts, colours, visible[sample, view], radii)
        for line, text in enumerate(tile_text(error[sample, view], int(sample), int(view), labels)):
            _write(tile, text, line)
        tiles.append(tile)
    save_picture(path, grid(tiles, 4))


def tile_text(error: np.ndarray, sample: int, view: int, labels: Labels | None) -> list[str]:
    """The lines of a tile: its mean error (J,) px and, with ``labels``, whose it is and its worst joints."""
    mean = f"{error.mean():.1f} px"
    if labels is None:
        return [mean]
    share = 100 / float(labels.height_px[view])
    worst = np.argsort(-error)[:_NAMED]
    return [
        f"{int(labels.indices[sample]):05d} {labels.views[view]}: {mean}, {error.mean() * share:.1f}%",
        ", ".join(f"{labels.joints[joint]} {error[joint] * share:.0f}%" for joint in worst),
    ]


def _write(tile: np.ndarray, text: str, line: int) -> None:
    """Yellow on a dark rim, so that it can be read on any backdrop."""
    for ink, thick in (((0, 0, 0), 3), ((255, 255, 0), 1)):
        place = (8, 22 + 20 * line)
        cv2.putText(tile, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.5, ink, thick, cv2.LINE_AA)
