# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of a training: its curve, and the held-out panels that it reads worst."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np

from .. import files
from ..pictures import draw_joints, grid, save_picture

_WORST = 8
_SCALE = 1.5


def save_curve(path: Path, history: list[dict[str, Any]], baseline: dict[str, Any]) -> None:
    """Held-out error by epoch for each view, with the mean pose's error as dashed lines."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    epochs = [entry["epoch"] for entry in history]
    for index, (view, base) in enumerate(baseline.items()):
        colour = f"C{index}"
        axes.plot(
            epochs, [entry["views"][view]["mean_pct"] for entry in history], "o-", color=colour, label=view
        )
        axes.axhline(base["mean_pct"], ls="--", color=colour, lw=1, label=f"{view}, mean pose")
    axes.set(xlabel="epoch", ylabel="held-out error, % of height", yscale="log", title="Reader")
    for formatter in (axes.yaxis.set_major_formatter, axes.yaxis.set_minor_formatter):
        formatter(lambda value, _: f"{value:g}")
    axes.grid(True, which="both", alpha=0.3)
    axes.legend()
    with files.atomic_path(path) as temporary:
        figure.savefig(temporary, dpi=100)


def save_worst(
    path: Path,
    panels: list[list[np.ndarray]],
    truth: np.ndarray,
    read: np.ndarray,
    visible: np.ndarray,
    colours: np.ndarray,
    radii: np.ndarray,
) -> None:
    """The panels with the largest mean error. White dots with lines end at the truth; coloured dots are
    what was read, hollow where the joint is hidden. truth, read (N, V, J, 2); colours (J, 3) uint8; radii (J,) px."""
    error = np.linalg.norm(read - truth, axis=-1).mean(-1)
    order = np.dstack(np.unravel_index(np.argsort(-error, axis=None), error.shape))[0][:_WORST]
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
        cv2.putText(
            tile, f"{error[sample, view]:.1f} px", (8, 22), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (255, 255, 0), 2
        )
        tiles.append(tile)
    save_picture(path, grid(tiles, 4))
