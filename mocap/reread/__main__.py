# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Read a clip's joints a second time, knowing a solve of it.

python -m mocap.reread clip.mp4 det.npz solved.json reader.pt rig_info.json det2.npz [--drawn drawn.mp4]
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import numpy as np

from .. import calibrate, cli, files, machine, skin, video
from ..detections import Detections
from ..errors import BadInput
from ..pictures import side_by_side
from ..reader.opened import open_reader
from ..reader.reading import Reader
from ..refine.drawing import Artist
from ..rig_info import RigInfo
from ..skeleton import Posed
from ..solve.cameras import Cameras
from ..solve.observations import height_px, pivot
from ..solve.result import Solved, result_path
from . import correct, drawing
from .appearance import Appearance, Gatherer

_LOOKED_AT = 120
"""Frames, spread over the clip, that show what it looks like."""


def parser() -> cli.Parser:
    out = cli.Parser(
        prog="python -m mocap.reread", description="Take a reader's own errors off its readings."
    )
    out.add_argument("clip", help="the film, or folder of pictures, that was read")
    out.add_argument("det", metavar="det.npz", help="what mocap.detect read in it")
    out.add_argument("solved", metavar="solved.json", help="what mocap.solve made of that")
    out.add_argument("reader", help="reader.pt or reader.onnx, the same")
    out.add_argument("rig_info", metavar="rig_info.json", help="with skin.npz beside it")
    out.add_argument("out", metavar="det2.npz", help="the readings to write")
    out.add_argument("--drawn", metavar="PATH", help="write the drawings as a film, too")
    out.add_argument("--batch", type=cli.positive_int, default=8, help="frames read at once")
    out.add_argument("--threads", type=cli.positive_int, help="torch threads; default: torch's choice")
    out.add_argument("--fps", type=float, default=video.FOLDER_FPS, help="rate of a folder of pictures")
    return out


def main(argv: Sequence[str]) -> None:
    arguments = parser().parse_args(argv)
    cli.need(arguments.fps > 0, f"--fps is {arguments.fps}, it must be positive")
    info = RigInfo.load(arguments.rig_info)
    detections = Detections.load(arguments.det)
    solved = Solved.load(result_path(arguments.solved))
    clip = video.Clip(arguments.clip, arguments.fps)
    check(arguments, info, detections, solved, clip)
    card, reader, how = open_reader(arguments.reader, arguments.threads)
    card.check_rig(info.digest, arguments.reader)
    worn = skin.load(Path(arguments.rig_info).parent / "skin.npz", info.skeleton)
    scene = Scene(info, Artist(info.skeleton, worn), solved)
    look = appearance(clip, detections, scene)
    cli.say(f"reading drawings of {arguments.solved} with {card.backbone} {how}")
    errors = read_drawings(scene, look, reader, arguments.batch, detections.fps, arguments.drawn)
    heights = height_px(info.skeleton, detections.layout)
    told = {
        "solved_digest": files.digest_file(result_path(arguments.solved)),
        "taken_off_px": {
            view: round(float(np.linalg.norm(errors[:, v], axis=-1).mean()), 3)
            for v, view in enumerate(detections.layout.names)
        },
    }
    better = correct.corrected(detections, errors, heights, info.skeleton, solved.swaps, told)
    better.save(arguments.out)
    taken = ", ".join(f"{view} {size:.1f} px" for view, size in told["taken_off_px"].items())
    cli.say(f"wrote {arguments.out}: errors taken off, on average, {taken}")


def check(arguments, info: RigInfo, detections: Detections, solved: Solved, clip: video.Clip) -> None:
    """BadInput where clip, readings, solve and rig do not belong together."""
    solved.motion.check_rig(info.digest, arguments.solved)
    if detections.rig_digest != info.digest:
        raise BadInput(f"{arguments.det}: of another rig than {arguments.rig_info}; detect again")
    if solved.motion.frames != detections.frames:
        raise BadInput(
            f"{arguments.solved}: {solved.motion.frames} frames, {arguments.det} has {detections.frames}; solve again"
        )
    if detections.provenance.get("clip_digest") != clip.digest:
        raise BadInput(f"{arguments.clip}: not the clip that {arguments.det} was read from; detect again")
    if "reread" in detections.provenance:
        raise BadInput(f"{arguments.det}: read a second time already; give what mocap.detect wrote")


class Scene:
    """The solved motion, its skin, and the views it was solved through."""

    def __init__(self, info: RigInfo, artist: Artist, solved: Solved) -> None:
        self.info, self.artist = info, artist
        self.posed: Posed = solved.motion.pose(info.skeleton)
        self.cameras = Cameras.of(info.layout, pivot(info.skeleton), solved.calibration)

    @property
    def frames(self) -> int:
        return len(self.posed.heads)

    def panels(self, frame: int, look: Appearance) -> list[np.ndarray]:
        points = self.artist.points(self.posed, frame)
        worn = self.artist.skin
        return [
            drawing.panel(points, worn, self.cameras, frame, view, look)
            for view in range(len(self.info.layout.views))
        ]


def appearance(clip: video.Clip, detections: Detections, scene: Scene) -> Appearance:
    """What the clip looks like, through a solve of it."""
    told = detections.provenance["calibration"]
    drifts = [calibrate.PanelDrift.from_json(told[name]) for name in detections.layout.names]
    sizes = [view.size for view in detections.layout.views]
    gatherer = Gatherer(scene.artist.skin, sizes, scene.info.skeleton.height)
    every = -(-scene.frames // _LOOKED_AT)
    for number, frame in enumerate(cli.track(clip, "looking", total=scene.frames)):
        if number % every == 0 and number < scene.frames:
            panels = calibrate.panels(frame.image, detections.layout)
            panels = [drift.undone(panel) for drift, panel in zip(drifts, panels)]
            gatherer.add(panels, scene.artist.points(scene.posed, number), scene.cameras, number)
    return gatherer.appearance()


def read_drawings(
    scene: Scene, look: Appearance, reader: Reader, batch: int, fps: float, film: str | None
) -> np.ndarray:
    """(T, V, J, 2) panel pixels: where the reader sees each joint of the drawings, less where it is."""
    truth, _ = scene.cameras.project(scene.posed.joints)
    found = []
    starts = list(range(0, scene.frames, batch))
    with (
        ThreadPoolExecutor(machine.cores()) as pool,
        video.writer(film, fps) if film else nullcontext() as out,
    ):
        for start in cli.track(starts, "reading drawings"):
            frames = range(start, min(start + batch, scene.frames))
            drawn = list(pool.map(lambda frame: scene.panels(frame, look), frames))
            found.append(reader.read(drawn, batch).positions)
            if out is not None:
                for panels in drawn:
                    out.write(side_by_side(panels))
    return np.concatenate(found) - truth


if __name__ == "__main__":
    sys.exit(cli.run(main))
