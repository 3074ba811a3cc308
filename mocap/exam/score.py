# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""How far a solved motion is from the truth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .. import rotations as rot
from ..detections import Detections
from ..errors import BadInput
from ..motion import JointTrack
from ..rig_info import RigInfo
from ..solve.observations import height_px
from ..solve.settings import Settings
from ..solve.swaps import joint_limbs

SCHEMA = 1
GROUND = 0.02
"""A tip lower than this share of the height above the truth's lowest point is on the ground …"""
PLANTED_SPEED = 0.1
"""… and planted where it moves along the ground by less than this share of the height a second."""


class Exam(NamedTuple):
    """Everything a score and its report are made from."""

    info: RigInfo
    truth: JointTrack
    solved: JointTrack
    detections: Detections | None
    seed: int | None
    provenance: dict[str, Any]


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
    if exam.detections is None:
        return
    if exam.detections.rig_digest != exam.info.digest:
        raise BadInput(f"{path}: read for another rig than the truth's")
    if exam.detections.frames != len(exam.truth.positions):
        raise BadInput(f"{path}: {exam.detections.frames} frames, the truth has {len(exam.truth.positions)}")
    sizes = [view.size for view in exam.detections.layout.views]
    if sizes != [view.size for view in exam.info.layout.views]:
        raise BadInput(f"{path}: its panels have other sizes than the rig's layout")


def joints_only(exam: Exam) -> Exam:
    """The same exam without markers, which are no part of the skeleton: figures and pictures speak of joints."""
    skeleton = exam.info.skeleton
    if not skeleton.is_marker.any():
        return exam
    which, names = ~skeleton.is_marker, skeleton.bare.joint_names

    def track(whole: JointTrack) -> JointTrack:
        return replace(whole, joint_names=names, positions=whole.positions[:, which])

    seen = exam.detections
    return exam._replace(
        info=replace(exam.info, skeleton=skeleton.bare),
        truth=track(exam.truth),
        solved=track(exam.solved),
        detections=None if seen is None else seen.joints(which),
    )


def score(exam: Exam) -> dict[str, Any]:
    """The contents of score.json. Centimetres are the creature's own, percent are of its height."""
    rig_digest = exam.info.digest
    exam = joints_only(exam)
    info, fps = exam.info, exam.truth.fps
    truth, solved = exam.truth.positions, exam.solved.positions
    error_cm = np.linalg.norm(solved - truth, axis=-1) * info.cm_per_metre
    card = {"schema": SCHEMA, "kind": "anymove.score", "creature": info.skeleton.name}
    card |= _statistics(error_cm, info.height_cm)
    card |= {
        "rotation_deg": rotation_error(exam),
        "jitter_ratio": jitter_ratio(truth, solved),
        "slide_cm_s": slide(exam),
        "read_px": None,
        "read_pct": None,
    }
    if exam.detections is not None:
        card |= reading_error(exam)
    card |= {
        "per_joint": {
            name: _statistics(error_cm[:, j], info.height_cm)
            for j, name in enumerate(info.skeleton.joint_names)
        },
        "per_limb": _per_limb(exam, error_cm),
        "seed": exam.seed,
        "frames": len(truth),
        "fps": fps,
        "height_cm": info.height_cm,
        "provenance": exam.provenance | {"rig_digest": rig_digest},
    }
    return card


def _statistics(error_cm: np.ndarray, height_cm: float) -> dict[str, float]:
    values = {"mean": error_cm.mean(), "median": np.median(error_cm), "p95": np.percentile(error_cm, 95)}
    out = {f"{name}_cm": round(float(value), 4) for name, value in values.items()}
    return out | {f"{name}_pct": round(float(100 * v / height_cm), 4) for name, v in values.items()}


def _per_limb(exam: Exam, error_cm: np.ndarray) -> dict[str, dict[str, float]]:
    limb_of = joint_limbs(exam.info.skeleton)
    out = {}
    for index, limb in enumerate(exam.info.skeleton.limbs):
        if (limb_of == index).any():
            out[limb.name] = _statistics(error_cm[:, limb_of == index], exam.info.height_cm)
    return out


def rotation_error(exam: Exam) -> float | None:
    """Mean angle in degrees between the bones' true and solved local rotations, None where not recorded."""
    if exam.truth.quats is None or exam.solved.quats is None:
        return None
    pair = (rot.quat_to_matrix(track.quats) for track in (exam.truth, exam.solved))
    return round(float(np.degrees(rot.angle_between(*pair)).mean()), 4)


def jitter_ratio(truth: np.ndarray, solved: np.ndarray) -> float | None:
    """Mean acceleration of the solved joints over that of the true ones; 1 is as lively as the truth.
    None where the truth does not accelerate."""
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


def contact_joints(exam: Exam) -> np.ndarray:
    """Tips of bones: what a creature stands on."""
    return np.flatnonzero([joint.kind == "tip" for joint in exam.info.skeleton.joints])


def planted(exam: Exam) -> np.ndarray:
    """(T - 1, C) bool: contact joint stands still on the ground from one true frame to the next."""
    truth, height = exam.truth.positions, exam.info.skeleton.height
    contacts = truth[:, contact_joints(exam)]
    low = contacts[..., 2] < truth[..., 2].min() + GROUND * height
    return low[1:] & low[:-1] & (_ground_speed(contacts, exam.truth.fps) < PLANTED_SPEED * height)


def _ground_speed(points: np.ndarray, fps: float) -> np.ndarray:
    return np.linalg.norm(np.diff(points[..., :2], axis=0), axis=-1) * fps


def reading_distances(exam: Exam) -> np.ndarray:
    """(T, V, J) pixels between read and true joints, NaN where not read. The truth is projected by the
    rig's own layout, which the clip was rendered with."""
    projected, _ = exam.info.layout.project(exam.truth.positions)
    distance = np.linalg.norm(exam.detections.positions - projected, axis=-1)
    return np.where(exam.detections.confidence >= Settings().unread_below, distance, np.nan)


def reading_error(exam: Exam) -> dict[str, dict[str, float | None]]:
    """Mean reading error of each view, in panel pixels and in percent of the creature's height."""
    distance = reading_distances(exam)
    heights = height_px(exam.info.skeleton, exam.info.layout)
    pixels, percent = {}, {}
    for v, name in enumerate(exam.info.layout.names):
        read = distance[:, v][np.isfinite(distance[:, v])]
        mean = float(read.mean()) if len(read) else None
        pixels[name] = None if mean is None else round(mean, 4)
        percent[name] = None if mean is None else round(100 * mean / float(heights[v]), 4)
    return {"read_px": pixels, "read_pct": percent}


def summary(card: dict[str, Any]) -> str:
    """One line for people."""
    return (
        f"{card['creature']}: mean {card['mean_cm']:.1f} cm ({card['mean_pct']:.1f}% of height), "
        f"median {card['median_cm']:.1f} cm, 95% within {card['p95_cm']:.1f} cm, {card['frames']} frames"
    )


def rows(card: dict[str, Any]) -> list[tuple[str, Any]]:
    """The score card's lines; what was not measured says so."""

    def shown(value: float | None, form: str = "{:.2f}") -> str:
        return "not measured" if value is None else form.format(value)

    lines = [
        ("mean error", f"{card['mean_cm']:.2f} cm ({card['mean_pct']:.2f}% of height)"),
        ("median error", f"{card['median_cm']:.2f} cm ({card['median_pct']:.2f}%)"),
        ("95% of errors within", f"{card['p95_cm']:.2f} cm ({card['p95_pct']:.2f}%)"),
        ("bone rotation error", shown(card["rotation_deg"], "{:.2f} deg")),
        ("jitter (1 = like the truth)", shown(card["jitter_ratio"])),
        ("slide of planted tips", shown(card["slide_cm_s"], "{:.2f} cm/s")),
    ]
    for name, pixels in (card["read_px"] or {}).items():
        percent = card["read_pct"][name]
        lines.append((f"reading error, {name}", shown(pixels, "{:.2f} px") + f" ({shown(percent)}%)"))
    lines += [("frames", card["frames"]), ("height", f"{card['height_cm']:g} cm")]
    lines.append(("seed", "unknown" if card["seed"] is None else card["seed"]))
    return lines
