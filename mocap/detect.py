# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Read the joints of every frame of a clip.

python -m mocap.detect clip.mp4 reader.pt ref.png det.npz [--no-calib] [--evidence evidence.zip]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np

from . import calibrate, cli, files, framing, video
from .detections import Detections
from .errors import BadInput
from .pictures import draw_joints, joint_radii, side_by_side
from .reader.opened import open_reader
from .reader.reading import Card, Raw, Reader, Reading
from .refine import evidence
from .refine.limbs import Limbs
from .rig_info import RigInfo

T = TypeVar("T")
_CLEAR = 0.5
"""Joints read with less confidence are drawn hollow."""


def parser() -> cli.Parser:
    out = cli.Parser(prog="python -m mocap.detect", description="Read a creature's joints from a clip.")
    out.add_argument("clip", help="a film, or a folder of pictures, in the layout's framing")
    out.add_argument("reader", help="reader.pt, or reader.onnx (mocap.reader.export), which needs no torch")
    out.add_argument("ref", help="ref.png, the reference sheet the clip was made from")
    out.add_argument("det", help="det.npz to write")
    out.add_argument("--no-calib", action="store_true", help="the clip has no drift; ref.png is not needed")
    out.add_argument("--rig", metavar="PATH", help="rig_info.json that the reader must be for")
    out.add_argument("--overlay", metavar="PATH", help="write the clip with the joints drawn on it, too")
    out.add_argument(
        "--evidence",
        metavar="PATH",
        help="keep what the solver compares the rig's skin with (solve --evidence)",
    )
    out.add_argument("--batch", type=cli.positive_int, default=8, help="frames read at once")
    out.add_argument("--threads", type=cli.positive_int, help="torch threads; default: torch's choice")
    out.add_argument("--fps", type=float, default=video.FOLDER_FPS, help="rate of a folder of pictures")
    return out


def main(argv: Sequence[str]) -> None:
    arguments = parser().parse_args(argv)
    cli.need(arguments.fps > 0, f"--fps is {arguments.fps}, it must be positive")
    card, reader, how = open_reader(arguments.reader, arguments.threads)
    if arguments.rig:
        card.check_rig(RigInfo.load(arguments.rig).digest, arguments.reader)
    clip = video.Clip(arguments.clip, arguments.fps)
    calibrate.check_size(clip.size, card.layout, arguments.clip)
    drifts = _drifts(arguments, clip, card)
    cli.say(f"reading with {card.backbone} {how}")
    look = np.array(card.joint_colours), joint_radii(card.is_marker)
    with ExitStack() as stack:
        kept = stack.enter_context(_evidence(arguments, card, clip)) if arguments.evidence else None
        times, reading = read_clip(clip, reader, drifts, arguments.batch, arguments.overlay, look, kept)
    detections = Detections(
        clip.fps,
        times,
        card.joint_names,
        reading.positions,
        reading.confidence,
        reading.sigma,
        card.layout,
        card.rig_digest,
        {
            "clip": Path(arguments.clip).name,
            "clip_digest": clip.digest,
            "reader_digest": files.digest_file(arguments.reader),
            "calibration": {name: drift.to_json() for name, drift in zip(card.layout.names, drifts)},
        },
        reading.visible,
        reading.depth,
    )
    detections.save(arguments.det)
    cli.say(_summary(arguments.det, detections))
    for written in (arguments.overlay, arguments.evidence):
        if written:
            cli.say(f"wrote {written}")


def _drifts(arguments, clip: video.Clip, card: Card) -> tuple[calibrate.PanelDrift, ...]:
    """The measured drift of each panel, or none with --no-calib; says what was found and used."""
    if arguments.no_calib:
        cli.say("calibration: off (--no-calib), the clip is taken to be in the layout's framing")
        return tuple(calibrate.PanelDrift() for _ in card.layout.views)
    if not Path(arguments.ref).exists():
        raise BadInput(f"{arguments.ref}: no such file (reference sheet); give it, or pass --no-calib")
    reference = video.read_image(arguments.ref, "reference sheet")
    calibrate.check_size((reference.shape[1], reference.shape[0]), card.layout, arguments.ref)
    first = next(iter(clip)).image
    drifts = calibrate.estimate(reference, first, card.layout)
    for name, drift in zip(card.layout.names, drifts):
        cli.say(f"calibration, {drift.describe(name)}")
    return drifts


def read_clip(
    clip: video.Clip,
    reader: Reader,
    drifts: Sequence[calibrate.PanelDrift],
    batch: int,
    overlay: str | None,
    look: tuple[np.ndarray, np.ndarray],
    kept: Keeper | None = None,
) -> tuple[np.ndarray, Reading]:
    """Times (T,) in seconds and what was read in the layout's panel pixels, streaming ``batch`` frames.

    ``overlay``: where to write the clip with the joints drawn, if anywhere, in the colours (J, 3) uint8 and
    radii (J,) px of ``look``. ``kept`` keeps what the reader saw besides joints.
    """
    times, readings = [], []
    with ExitStack() as stack:
        film = stack.enter_context(video.writer(overlay, clip.fps)) if overlay else None
        frames = cli.track(clip, "reading", total=max(clip.count, 1))
        for group in grouped(frames, batch):
            sheets = [calibrate.panels(frame.image, reader.layout) for frame in group]
            seen, raw = reader.read_all(sheets, batch, kept is not None)
            if kept is not None:
                kept.add(sheets, raw, drifts)
            times += [frame.seconds for frame in group]
            readings.append(_in_layout(seen, drifts))
            if film is not None:
                for panels, points, confidence in zip(sheets, seen.positions, seen.confidence):
                    film.write(_drawn(panels, points, confidence, look))
    return np.array(times), Reading(*(np.concatenate(arrays) for arrays in zip(*readings)))


class Keeper:
    """Writes the evidence of a clip as it is read."""

    def __init__(self, out: evidence.Writer, merged: Limbs, side: int) -> None:
        self.out, self.merged, self.side = out, merged, side

    def add(self, sheets: list[list[np.ndarray]], raw: Raw, drifts: Sequence[calibrate.PanelDrift]) -> None:
        pictures = [
            [framing.cut(panel, square, self.side) for panel, square in zip(panels, squares)]
            for panels, squares in zip(sheets, raw.framings)
        ]
        squares = [drift.framing_of_layout(raw.framings[:, v]) for v, drift in enumerate(drifts)]
        masks = self.merged.merged(raw.masks)
        self.out.add(evidence.Seen(np.stack(squares, 1), np.array(pictures), masks))


@contextmanager
def _evidence(arguments, card: Card, clip: video.Clip) -> Iterator[Keeper]:
    merged = Limbs.of(card.part_limbs)
    told = {"clip_digest": clip.digest, "reader_digest": files.digest_file(arguments.reader)}
    with evidence.writer(arguments.evidence, card.rig_digest, merged.members, told) as out:
        yield Keeper(out, merged, card.input_size)


def grouped(items: Iterator[T], size: int) -> Iterator[list[T]]:
    items = iter(items)
    while group := list(islice(items, size)):
        yield group


def _in_layout(seen: Reading, drifts: Sequence[calibrate.PanelDrift]) -> Reading:
    positions = np.stack([drift.to_layout(seen.positions[:, v]) for v, drift in enumerate(drifts)], 1)
    magnification = np.array([drift.magnification for drift in drifts])
    return seen._replace(positions=positions, sigma=seen.sigma / magnification[:, None])


def _drawn(
    panels: list[np.ndarray],
    points: np.ndarray,
    confidence: np.ndarray,
    look: tuple[np.ndarray, np.ndarray],
) -> np.ndarray:
    """The panels side by side with the joints where they were read; hollow where that is doubtful."""
    for panel, places, trust in zip(panels, points, confidence):
        draw_joints(panel, places, look[0], trust >= _CLEAR, look[1])
    return side_by_side(panels)


def _summary(path: str, detections: Detections) -> str:
    parts = [
        f"{name}: median sigma {np.median(detections.sigma[:, v]):.1f} px, "
        f"{(detections.confidence[:, v] >= _CLEAR).mean() * 100:.0f}% clear"
        for v, name in enumerate(detections.layout.names)
    ]
    return (
        f"wrote {path}: {detections.frames} frames, {len(detections.joint_names)} joints; {'; '.join(parts)}"
    )


if __name__ == "__main__":
    sys.exit(cli.run(main))
