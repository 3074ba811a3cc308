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
from .exam import card as words
from .exam.exam import Exam, joints_only

TEMPLATES = Path(__file__).parent / "templates"
OVERLAYS = 5
TRACKED = 4
_DPI = 110


def write(path: Path, exam: Exam, card: dict[str, Any], clip: Path | None) -> None:
    """Write the page. ``card`` is what exam.score.score returned; ``clip`` the exam's film."""
    files.write_text(path, render(exam, card, clip))


def render(exam: Exam, card: dict[str, Any], clip: Path | None) -> str:
    exam = joints_only(exam)
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    chosen = telling_frames(charts.errors_cm(exam).mean(1), OVERLAYS)
    worst = [found["frame"] for found in card["worst_frames"]]
    shown = read_frames(clip, [*chosen, *worst]) if clip else {}
    return environment.get_template("report.html").render(
        card=card,
        words=words,
        hardships=exam.hardships.names() if exam.hardships else [],
        overlays=overlays(exam, chosen, shown),
        worst=worst_pictures(exam, card, shown),
        bars=embed(charts.joint_bars(exam)),
        trust=embed(charts.trust_curves(exam)) if exam.result else None,
        over_time=embed(charts.error_over_time(exam)),
        tracks=embed(charts.joint_tracks(exam, telling_joints(exam, TRACKED))),
        colours={"true": charts.TRUE, "solved": charts.SOLVED, "read": charts.READ},
        has_detections=exam.detections is not None,
    )


def overlays(exam: Exam, chosen: Sequence[int], shown: dict[int, np.ndarray]) -> list[dict[str, str]]:
    """Captioned pictures of telling frames. ``shown``: the clip's frames by number, as far as there are."""
    error = charts.errors_cm(exam).mean(1)
    out = []
    for frame in chosen:
        caption = f"frame {frame}: mean error {error[frame]:.1f} cm"
        if frame == int(error.argmax()):
            caption += " (the worst)"
        picture = embed(charts.overlay(exam, frame, shown.get(frame)), "jpeg")
        out.append({"caption": caption, "picture": picture})
    return out


def worst_pictures(exam: Exam, card: dict[str, Any], shown: dict[int, np.ndarray]) -> list[dict[str, str]]:
    """The worst frames, what was read beside the truth; the true and solved skeleton where nothing was read."""
    draw = charts.overlay if exam.detections is None else charts.dots
    return [
        {
            "caption": f"frame {found['frame']}: mean {found['mean_cm']:.1f} cm, worst {found['worst_joint']} "
            f"by {found['worst_cm']:.1f} cm",
            "picture": embed(draw(exam, found["frame"], shown.get(found["frame"])), "jpeg"),
        }
        for found in card["worst_frames"]
    ]


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
