# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What solving gives: the motion, and how far each part of it can be trusted."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import __version__, files
from ..errors import BadInput
from ..motion import Motion
from . import grades
from .contacts import Contact
from .swaps import Swap

SCHEMA = 2
_ARRAYS = ("root", "quats", "calibration", "error", "grades")


class Solved(NamedTuple):
    """T frames, B bones, J joints (markers among them), V views; world metres."""

    motion: Motion
    joint_names: tuple[str, ...]
    views: tuple[str, ...]
    residual_px: dict[str, float]
    """Root mean square distance between solved and read joints, of each view."""
    calibration: np.ndarray
    """(T, V, 3) what each view was found to be wrong by: logarithm of its scale, pixels downwards, yaw in radians."""
    error: np.ndarray
    """(T, J) estimated error, metres: 68% of the joints are nearer to the truth than this."""
    grades: np.ndarray
    """(T, J) indices of grades.NAMES."""
    swaps: list[Swap]
    contacts: list[Contact]
    slide_m_s: tuple[float, float] | None
    """Mean speed along the ground of joints in contact, before they were held and after; None without contacts."""
    scores: tuple[tuple[float, ...], ...]
    """Of each window: how well its pictures were explained at each look (mean log probability of a pixel) and, last, by
    what was kept. Empty where the solve was not compared with pictures."""
    iterations: int
    converged: bool
    seconds: float

    @property
    def compared(self) -> tuple[float, float] | None:
        """How well the pictures were explained before and after comparing, mean over the windows."""
        if not self.scores:
            return None
        first, last = zip(*((scores[0], scores[-1]) for scores in self.scores))
        return float(np.mean(first)), float(np.mean(last))

    def summary(self) -> dict[str, Any]:
        """Everything but the arrays, as JSON."""
        faults = self.calibration.mean(0), np.ptp(self.calibration, axis=0)
        return {
            "frames": self.motion.frames,
            "views": list(self.views),
            "residual_px": self.residual_px,
            "calibration": {
                view: {
                    "scale": float(np.exp(mean[0])),
                    "offset_px": float(mean[1]),
                    "yaw_deg": float(np.degrees(mean[2])),
                    "drift": [float(drift[0]), float(drift[1]), float(np.degrees(drift[2]))],
                }
                for view, mean, drift in zip(self.views, *faults)
            },
            "graded": {name: float((self.grades == i).mean()) for i, name in enumerate(grades.NAMES)},
            "swaps": [{"limb": s.limb, "view": s.view, "frames": list(s.frames)} for s in self.swaps],
            "contacts": [{"joint": c.joint, "start": c.start, "stop": c.stop} for c in self.contacts],
            "slide_m_s": None if self.slide_m_s is None else list(self.slide_m_s),
            "scores": [list(scores) for scores in self.scores],
            "iterations": self.iterations,
            "converged": self.converged,
            "seconds": self.seconds,
        }

    def save(self, path: str | os.PathLike) -> None:
        """One .npz: arrays beside a JSON header."""
        header = {
            "schema": SCHEMA,
            "kind": "anymove.solved",
            "tool_version": __version__,
            "rig_digest": self.motion.rig_digest,
            "fps": self.motion.fps,
            "bones": list(self.motion.bone_names),
            "joints": list(self.joint_names),
            "provenance": self.motion.provenance,
            **self.summary(),
        }
        arrays = {
            "root": self.motion.root,
            "quats": self.motion.quats,
            "calibration": self.calibration,
            "error": self.error,
            "grades": self.grades,
        }
        with files.atomic_path(path) as part, part.open("wb") as stream:
            np.savez_compressed(stream, header=np.array(json.dumps(header)), **arrays)

    @classmethod
    def load(cls, path: str | os.PathLike) -> Solved:
        """BadInput where the file is none of ours."""
        path = files.existing_file(path, "solved result")
        try:
            with np.load(path, allow_pickle=False) as data:
                header = json.loads(str(data["header"]))
                arrays = {name: data[name] for name in _ARRAYS}
        except (OSError, ValueError, KeyError, EOFError) as error:
            raise BadInput(f"{path}: not a solver's result ({error})") from error
        files.check_schema(header, SCHEMA, "solved", path)
        return files.parse(path, "solved", lambda: _built(header, arrays))


def _built(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> Solved:
    bones, slide = tuple(header["bones"]), header["slide_m_s"]
    return Solved(
        motion=Motion(
            header["fps"], bones, arrays["root"], arrays["quats"], header["rig_digest"], header["provenance"]
        ),
        joint_names=tuple(header["joints"]),
        views=tuple(header["views"]),
        residual_px=header["residual_px"],
        calibration=arrays["calibration"],
        error=arrays["error"],
        grades=arrays["grades"],
        swaps=[Swap(s["limb"], s["view"], tuple(s["frames"])) for s in header["swaps"]],
        contacts=[Contact(c["joint"], c["start"], c["stop"]) for c in header["contacts"]],
        slide_m_s=None if slide is None else (slide[0], slide[1]),
        scores=tuple(tuple(scores) for scores in header["scores"]),
        iterations=header["iterations"],
        converged=header["converged"],
        seconds=header["seconds"],
    )


def result_path(motion: str | os.PathLike) -> Path:
    """Where the result of ``solved.json`` lies: ``solved.result.npz`` beside it."""
    return Path(motion).with_suffix(".result.npz")
