# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Figures in three dimensions: place, rotation, jitter and foot slide. The exam is one of joints only."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import rotations as rot
from ..solve.swaps import joint_limbs
from .exam import Exam

GROUND = 0.02
"""A tip lower than this share of the height above the truth's lowest point is on the ground …"""
PLANTED_SPEED = 0.1
"""… and planted where it moves along the ground by less than this share of the height a second."""


def statistics(values: np.ndarray, whole: float, unit: str = "cm") -> dict[str, float]:
    """Mean, median and 95th percentile of ``values`` in ``unit`` and in percent of ``whole``."""
    found = {"mean": values.mean(), "median": np.median(values), "p95": np.percentile(values, 95)}
    out = {f"{name}_{unit}": round(float(value), 4) for name, value in found.items()}
    return out | {f"{name}_pct": round(float(100 * v / whole), 4) for name, v in found.items()}


def limbs(exam: Exam) -> dict[str, np.ndarray]:
    """Limb -> (J,) bool, its joints; limbs without any left out."""
    limb_of = joint_limbs(exam.info.skeleton)
    members = {limb.name: limb_of == index for index, limb in enumerate(exam.info.skeleton.limbs)}
    return {name: which for name, which in members.items() if which.any()}


def rotation_errors(exam: Exam) -> np.ndarray | None:
    """(T, B) degrees between the bones' true and solved local rotations, None where not recorded."""
    if exam.truth.quats is None or exam.solved.quats is None:
        return None
    pair = (rot.quat_to_matrix(track.quats) for track in (exam.truth, exam.solved))
    return np.degrees(rot.angle_between(*pair))


def rotation_error(exam: Exam) -> float | None:
    """Mean of ``rotation_errors``."""
    angles = rotation_errors(exam)
    return None if angles is None else round(float(angles.mean()), 4)


def limb_rotations(exam: Exam) -> dict[str, float | None]:
    """Limb -> mean local rotation error of its bones in degrees."""
    angles, of_bone = rotation_errors(exam), exam.info.skeleton.bone_limb
    out = {}
    for index, limb in enumerate(exam.info.skeleton.limbs):
        bones = of_bone == index
        out[limb.name] = (
            None if angles is None or not bones.any() else round(float(angles[:, bones].mean()), 4)
        )
    return out


def accelerations(points: np.ndarray, fps: float, steady: np.ndarray) -> np.ndarray:
    """(N, J, 3) metres per second squared, where three frames follow each other in the truth, too."""
    kept = steady[1:] & steady[:-1]
    return np.diff(points, 2, axis=0)[kept] * fps**2


def jitter(exam: Exam) -> dict[str, float | None]:
    """``ratio``: mean acceleration of the solved joints over that of the true ones, 1 is as lively as the truth;
    both and their mean difference in cm/s². None where the truth does not accelerate, or the clip is too short."""
    pair = [
        accelerations(track.positions, exam.truth.fps, exam.steady) * exam.info.cm_per_metre
        for track in (exam.truth, exam.solved)
    ]
    names = ("ratio", "true_cm_s2", "solved_cm_s2", "apart_cm_s2")
    if not len(pair[0]):
        return dict.fromkeys(names)
    true, solved, apart = (
        float(np.linalg.norm(a, axis=-1).mean()) for a in (pair[0], pair[1], pair[1] - pair[0])
    )
    values = (round(solved / true, 4) if true > 0 else None, *(round(v, 2) for v in (true, solved, apart)))
    return dict(zip(names, values))


def jitter_ratio(truth: np.ndarray, solved: np.ndarray) -> float | None:
    """Mean acceleration of solved over that of true joints (T, J, 3). None where the truth does not accelerate."""
    if len(truth) < 3:
        return None
    size = [np.linalg.norm(np.diff(p, 2, axis=0), axis=-1).mean() for p in (truth, solved)]
    return round(float(size[1] / size[0]), 4) if size[0] > 0 else None


def slide(exam: Exam) -> float | None:
    """Mean speed in cm/s along the ground of solved tips while the true ones are planted; None where no
    true tip ever is."""
    held = planted(exam)
    if not held.any():
        return None
    speed = _ground_speed(exam.solved.positions[:, contact_joints(exam)], exam.truth.fps)
    return round(float(speed[held].mean() * exam.info.cm_per_metre), 4)


def slide_of_contacts(exam: Exam) -> dict[str, float] | None:
    """What the solver took for contacts: speed along the ground in cm/s ``before`` it held them and ``after``."""
    if exam.result is None or exam.result.slide_m_s is None:
        return None
    speeds = (round(speed * exam.info.cm_per_metre, 4) for speed in exam.result.slide_m_s)
    return dict(zip(("before", "after"), speeds))


def contact_joints(exam: Exam) -> np.ndarray:
    """Tips of bones: what a creature stands on."""
    return np.flatnonzero([joint.kind == "tip" for joint in exam.info.skeleton.joints])


def planted(exam: Exam) -> np.ndarray:
    """(T - 1, C) bool: contact joint stands still on the ground from one true frame to the next."""
    truth, height = exam.truth.positions, exam.info.skeleton.height
    contacts = truth[:, contact_joints(exam)]
    low = contacts[..., 2] < truth[..., 2].min() + GROUND * height
    still = _ground_speed(contacts, exam.truth.fps) < PLANTED_SPEED * height
    # A frame shown twice stands still, but not on its feet.
    return low[1:] & low[:-1] & still & exam.steady[:, None]


def _ground_speed(points: np.ndarray, fps: float) -> np.ndarray:
    return np.linalg.norm(np.diff(points[..., :2], axis=0), axis=-1) * fps


def worst_frames(exam: Exam, count: int, apart: int) -> list[dict[str, Any]]:
    """The ``count`` frames with the largest mean error, worst first, at least ``apart`` frames from each other."""
    error = exam.errors_cm(exam.solved.positions)
    mean, left, out = error.mean(1), np.ones(len(error), bool), []
    while left.any() and len(out) < count:
        frame = int(np.where(left, mean, -1).argmax())
        joint = int(error[frame].argmax())
        out.append(
            {
                "frame": frame,
                "mean_cm": round(float(mean[frame]), 4),
                "worst_joint": exam.info.skeleton.joint_names[joint],
                "worst_cm": round(float(error[frame, joint]), 4),
            }
        )
        left[max(0, frame - apart) : frame + apart + 1] = False
    return out
