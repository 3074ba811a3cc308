# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""report.html: the exam in one self-contained page, its pictures embedded."""

from __future__ import annotations

import base64
import io
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from matplotlib.figure import Figure

from . import charts, files, video
from .errors import BadInput
from .exam import score as scoring
from .exam.score import Exam

TEMPLATES = Path(__file__).parent / "templates"
OVERLAYS = 5
TRACKED = 4
_DPI = 110


def write(path: Path, exam: Exam, card: dict[str, Any], clip: Path | None) -> None:
    """Write the page. ``card`` is what exam.score.score returned; ``clip`` the exam's film."""
    files.write_text(path, render(exam, card, clip))


def render(exam: Exam, card: dict[str, Any], clip: Path | None) -> str:
    exam = scoring.joints_only(exam)
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template("report.html").render(
        card=card,
        summary=scoring.summary(card),
        rows=scoring.rows(card),
        overlays=overlays(exam, clip),
        bars=embed(charts.joint_bars(exam)),
        over_time=embed(charts.error_over_time(exam)),
        tracks=embed(charts.joint_tracks(exam, telling_joints(exam, TRACKED))),
        colours={"true": charts.TRUE, "solved": charts.SOLVED, "read": charts.READ},
        has_detections=exam.detections is not None,
    )


def overlays(exam: Exam, clip: Path | None) -> list[dict[str, str]]:
    """Captioned pictures of telling frames."""
    error = charts.errors_cm(exam).mean(1)
    chosen = telling_frames(error, OVERLAYS)
    shown = read_frames(clip, chosen) if clip else {}
    out = []
    for frame in chosen:
        caption = f"frame {frame}: mean error {error[frame]:.1f} cm"
        if frame == int(error.argmax()):
            caption += " (the worst)"
        picture = embed(charts.overlay(exam, frame, shown.get(frame)), "jpeg")
        out.append({"caption": caption, "picture": picture})
    return out


def telling_frames(error: np.ndarray, count: int) -> list[int]:
    """Frames spread over the clip, and the worst one, in order. ``error`` (T,)."""
    spread = np.linspace(0, len(error) - 1, count).round().astype(int)
    return sorted({*spread[:-1].tolist(), int(error.argmax())})


def telling_joints(exam: Exam, count: int) -> list[int]:
    """Joints from the worst to the best, evenly spread in rank."""
    order = np.argsort(-charts.errors_cm(exam).mean(0))
    ranks = np.linspace(0, len(order) - 1, min(count, len(order))).round().astype(int)
    return order[ranks].tolist()


def embed(figure: Figure, kind: str = "png") -> str:
    """A figure as a data URI."""
    buffer = io.BytesIO()
    options = {"pil_kwargs": {"quality": 88}} if kind == "jpeg" else {}
    figure.savefig(buffer, format=kind, dpi=_DPI, **options)
    return f"data:image/{kind};base64,{base64.b64encode(buffer.getvalue()).decode()}"


def read_frames(path: Path, wanted: Sequence[int]) -> dict[int, np.ndarray]:
    """Frames of a clip by number, RGB (H, W, 3) uint8."""
    last = max(wanted)
    shown = itertools.islice(video.Clip(path), last + 1)
    found = {number: frame.image for number, frame in enumerate(shown) if number in wanted}
    if last not in found:
        raise BadInput(f"{path}: ends before frame {last}, which the joints have")
    return found
