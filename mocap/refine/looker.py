# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What the solver calls to look at the pictures: how well a pose explains them, and where they pull its skin."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

import cv2
import numpy as np

from .. import machine
from ..errors import BadInput
from ..skeleton import Posed, Skeleton
from ..skin import Skin
from ..solve.cameras import Cameras
from . import beliefs, contours, coverage
from .beliefs import Colours
from .drawing import Artist, Drawing
from .evidence import Evidence, Seen
from .surface import Surface, Wanted

T = TypeVar("T")


class Look(NamedTuple):
    """``score``: mean log probability of what is drawn; ``term``: what the pictures want of the skin."""

    score: float
    term: Surface


class Looker:
    """The evidence of a clip, for a rig and its skin. BadInput where they do not belong together."""

    def __init__(self, evidence: Evidence, skeleton: Skeleton, skin: Skin) -> None:
        self.evidence, self.artist = evidence, Artist(skeleton, skin)
        if evidence.limbs != self.artist.limbs.members:
            raise BadInput(
                f"{evidence.path}: its limbs are not the rig's; detect again with this rig's reader"
            )

    def window(self, start: int, stop: int) -> WindowLooker:
        """For frames ``start`` up to ``stop``, not included."""
        return WindowLooker(self.artist, self.evidence.window(start, stop))


class WindowLooker:
    """Looks at the frames of one window. The colours of the limbs are learned at the first look."""

    def __init__(self, artist: Artist, seen: Seen) -> None:
        self.artist, self.seen = artist, seen
        self.side = seen.pictures.shape[2]
        self.colours: Colours | None = None
        self.looks = 0

    def __call__(self, posed: Posed, cameras: Cameras) -> Look:
        if self.colours is None:
            self.colours = beliefs.learned(np.sum(self._each(posed, cameras, self._counted), axis=0))
        found = self._each(posed, cameras, self._compared)
        self.looks += 1
        score = float(np.mean([one for one, _ in found]))
        parts = [part for _, parts in found for part in parts]
        wanted = Wanted(*(np.concatenate([part[name] for part in parts]) for name in Wanted._fields))
        return Look(score, Surface.of(wanted, self.artist.skeleton, self.artist.skin, cameras))

    def _each(self, posed: Posed, cameras: Cameras, work: Callable[[Drawing, int, int], T]) -> list[T]:
        """``work`` on every frame and view, drawn. The inner loops hold no lock, so threads run side by side."""

        def of_frame(frame: int) -> list[T]:
            points = self.artist.points(posed, frame)
            out = []
            for view in range(self.seen.framings.shape[1]):
                framing = self.seen.framings[frame, view]
                drawing = self.artist.draw(points, cameras, frame, view, framing, self.side)
                out.append(work(drawing, frame, view))
            return out

        with ThreadPoolExecutor(machine.cores()) as pool:
            return [one for of in pool.map(of_frame, range(len(posed.heads))) for one in of]

    def _read(self, frame: int, view: int) -> np.ndarray:
        """(S, S, G + 1) uint8: 255 times the probabilities."""
        masks = self.seen.masks[frame, view]
        fine = cv2.resize(masks, (self.side, self.side), interpolation=cv2.INTER_LINEAR)
        return fine.reshape(self.side, self.side, -1)

    def _counted(self, drawing: Drawing, frame: int, view: int) -> np.ndarray:
        code = beliefs.codes(self.seen.pictures[frame, view])
        return beliefs.count(drawing, code, self._read(frame, view))

    def _compared(self, drawing: Drawing, frame: int, view: int) -> tuple[float, list[dict[str, np.ndarray]]]:
        code = beliefs.codes(self.seen.pictures[frame, view])
        believed = beliefs.believe(drawing, code, self._read(frame, view), self.colours)
        phase = self.looks + frame
        found = [
            contours.pulls(drawing, beliefs.log_odds(believed.log), phase % 2),
            coverage.pulls(drawing, believed.log, phase),
        ]
        for part in found:
            part["frames"] = np.full(len(part["weights"]), frame)
            part["views"] = np.full(len(part["weights"]), view)
        return believed.score, found
