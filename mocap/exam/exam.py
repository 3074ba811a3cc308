# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Everything a score and its report are made from, checked to belong together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..detections import Detections
from ..errors import BadInput
from ..motion import JointTrack, Motion
from ..rig_info import RigInfo
from ..solve.cameras import Cameras
from ..solve.observations import pivot
from ..solve.result import Solved
from .hardships import Hardships


class Exam(NamedTuple):
    """T frames of the clip, J joints. Tracks are of the rig itself, re-read from its Action in Blender."""

    info: RigInfo
    truth: JointTrack
    """Where the joints really were in each frame of the clip (with hardships: in the true frame that it shows)."""
    solved: JointTrack
    detections: Detections | None
    seed: int | None
    provenance: dict[str, Any]
    motion: Motion | None = None
    """What the solver wrote, before Blender had it."""
    result: Solved | None = None
    plain: Motion | None = None
    """The same readings solved without comparing pictures."""
    hardships: Hardships | None = None
    asked: dict[str, Any] | None = None
    """Of the true motion: where it comes from and how long it is."""

    @property
    def steady(self) -> np.ndarray:
        """(T - 1,) bool: from frame t to t + 1 the truth goes on by one frame."""
        if self.hardships is None:
            return np.ones(len(self.truth.positions) - 1, bool)
        return self.hardships.steady

    @property
    def faults(self) -> np.ndarray:
        """(T, V, 3) what the views really get wrong in each frame of the clip, as ``solve.cameras`` counts it."""
        if self.hardships is None:
            return np.zeros((len(self.truth.positions), len(self.info.layout.views), 3))
        return self.hardships.faults(self.info)[np.array(self.hardships.shown)]

    def project(self, points: np.ndarray) -> np.ndarray:
        """(T, J, 3) world metres -> (T, V, J, 2) panel pixels of the clip, where the views really stood."""
        return Cameras.of(self.info.layout, pivot(self.info.skeleton), self.faults).project(points)[0]

    def errors_cm(self, points: np.ndarray) -> np.ndarray:
        """(T, J) how far ``points`` (T, J, 3) are from the truth, in the creature's own centimetres."""
        return np.linalg.norm(points - self.truth.positions, axis=-1) * self.info.cm_per_metre


def check(exam: Exam, truth_path: str, solved_path: str) -> None:
    """Raise BadInput where the two tracks are not of one rig and one length."""
    info, truth, solved = exam.info, exam.truth, exam.solved
    for path, track in ((truth_path, truth), (solved_path, solved)):
        if track.rig_digest != info.digest:
            raise BadInput(f"{path}: joints of another rig ({track.rig_digest[:8]}, not {info.digest[:8]})")
        if track.joint_names != info.skeleton.joint_names:
            raise BadInput(f"{path}: its joints are not those of the rig")
        if not np.isfinite(track.positions).all():
            raise BadInput(f"{path}: frame {_first_bad(track.positions)}: a joint is not finite")
        expected = (len(track.positions), len(info.skeleton.bones), 4)
        if track.quats is not None and track.quats.shape != expected:
            raise BadInput(f"{path}: its rotations have shape {track.quats.shape}, {expected} expected")
    if len(truth.positions) != len(solved.positions):
        raise BadInput(
            f"{solved_path}: {len(solved.positions)} frames, {truth_path} has {len(truth.positions)}"
        )
    if abs(truth.fps - solved.fps) > 0.01:
        raise BadInput(f"{solved_path}: {solved.fps:g} fps, the truth {truth_path} has {truth.fps:g}")


def _first_bad(positions: np.ndarray) -> int:
    return int(np.argwhere(~np.isfinite(positions))[0][0])


def check_detections(exam: Exam, path: str) -> None:
    """Raise BadInput where the readings are not of this clip, or were moved after reading."""
    if exam.detections is None:
        return
    if exam.detections.rig_digest != exam.info.digest:
        raise BadInput(f"{path}: read for another rig than the truth's")
    if exam.detections.frames != len(exam.truth.positions):
        raise BadInput(f"{path}: {exam.detections.frames} frames, the truth has {len(exam.truth.positions)}")
    sizes = [view.size for view in exam.detections.layout.views]
    if sizes != [view.size for view in exam.info.layout.views]:
        raise BadInput(f"{path}: its panels have other sizes than the rig's layout")
    drifts = exam.detections.provenance.get("calibration", {}).values()
    if exam.hardships is not None and any(drift.get("used") for drift in drifts):
        raise BadInput(f"{path}: moved to the layout's framing after reading; detect with --no-calib")


def check_motion(exam: Exam, motion: Motion, path: str) -> None:
    """Raise BadInput where a solved motion is not of this rig and length."""
    motion.check_rig(exam.info.digest, path)
    if motion.bone_names != exam.info.skeleton.bone_names:
        raise BadInput(f"{path}: its bones are not those of the rig")
    if motion.frames != len(exam.truth.positions):
        raise BadInput(f"{path}: {motion.frames} frames, the truth has {len(exam.truth.positions)}")


def check_result(exam: Exam, path: str) -> None:
    """Raise BadInput where the solver's result is not of the solved motion."""
    result = exam.result
    if result is None:
        return
    if result.motion.rig_digest != exam.info.digest:
        raise BadInput(f"{path}: solved for another rig than the truth's")
    if result.views != exam.info.layout.names:
        raise BadInput(f"{path}: solved for the views {', '.join(result.views)}, the rig has other ones")
    if result.error.shape != exam.solved.positions.shape[:2]:
        raise BadInput(
            f"{path}: {len(result.error)} frames, the solved motion has {len(exam.solved.positions)}"
        )


def joints_only(exam: Exam) -> Exam:
    """The same exam without markers, which are no part of the skeleton: figures and pictures speak of joints."""
    skeleton = exam.info.skeleton
    if not skeleton.is_marker.any():
        return exam
    which, names = ~skeleton.is_marker, skeleton.bare.joint_names

    def track(whole: JointTrack) -> JointTrack:
        return replace(whole, joint_names=names, positions=whole.positions[:, which])

    seen, result = exam.detections, exam.result
    if result is not None:
        result = result._replace(
            joint_names=names, error=result.error[:, which], grades=result.grades[:, which]
        )
    return exam._replace(
        info=replace(exam.info, skeleton=skeleton.bare),
        truth=track(exam.truth),
        solved=track(exam.solved),
        detections=None if seen is None else seen.joints(which),
        result=result,
    )
