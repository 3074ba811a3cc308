# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""score.json: how far a solved motion is from the truth, stage by stage."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..solve.cameras import OFFSET, SCALE, YAW
from . import figures, pixels, trust
from .exam import Exam, joints_only

SCHEMA = 2
WORST = 4
"""How many of the worst frames are told and pictured …"""
WORST_APART = 3
"""… at least so many frames from each other, for neighbours look alike."""


def score(exam: Exam) -> dict[str, Any]:
    """The contents of score.json. Centimetres are the creature's own, percent are of its height.

    The figures of place at the top are those of the last stage, the rig re-read from its Action: what an
    artist gets.
    """
    rig_digest = exam.info.digest
    exam = joints_only(exam)
    info = exam.info
    stages = {"read": None if exam.detections is None else pixels.by_view(exam)} | places(exam)
    jitter = figures.jitter(exam)
    card = {"schema": SCHEMA, "kind": "anymove.score", "creature": info.skeleton.name}
    card |= figures.statistics(exam.errors_cm(exam.solved.positions), info.height_cm)
    card |= {
        "rotation_deg": figures.rotation_error(exam),
        "jitter_ratio": jitter["ratio"],
        "slide_cm_s": figures.slide(exam),
        "read_px": _read(stages["read"], "mean_px"),
        "read_pct": _read(stages["read"], "mean_pct"),
        "stages": stages,
        "jitter": jitter,
        "contact_slide_cm_s": figures.slide_of_contacts(exam),
        "trust": trust.by_grade(exam),
        "views": views(exam),
        "comparing": comparing(exam, stages),
        "swaps": swaps(exam),
        "worst_frames": figures.worst_frames(exam, WORST, WORST_APART),
        "per_joint": per_joint(exam),
        "per_limb": per_limb(exam),
        "motion": exam.asked,
        "seed": exam.seed,
        "hardships": None if exam.hardships is None else exam.hardships.to_json(),
        "frames": len(exam.truth.positions),
        "fps": exam.truth.fps,
        "height_cm": info.height_cm,
        "provenance": exam.provenance | {"rig_digest": rig_digest},
    }
    return card


def places(exam: Exam) -> dict[str, Any]:
    """Errors of place of the later stages: ``solve`` by forward kinematics of the solver's motion, ``plain`` the same
    solved without comparing pictures, ``rig`` as re-read in Blender. None where not given."""
    skeleton, height = exam.info.skeleton, exam.info.height_cm
    out: dict[str, Any] = {}
    for name, motion in (("plain", exam.plain), ("solve", exam.motion)):
        out[name] = motion and figures.statistics(exam.errors_cm(motion.joints(skeleton)), height)
    out["rig"] = figures.statistics(exam.errors_cm(exam.solved.positions), height)
    if exam.motion is not None:
        moved = np.linalg.norm(exam.motion.joints(skeleton) - exam.solved.positions, axis=-1)
        out["rig"]["from_solve_cm"] = round(float(moved.max() * exam.info.cm_per_metre), 4)
    return out


def views(exam: Exam) -> dict[str, dict[str, dict[str, float]]] | None:
    """View -> scale, height (px downwards) and yaw (degrees): ``true``, what the clip really got wrong, and ``found``,
    what the solver made of it, means over the clip. None without the solver's result."""
    if exam.result is None:
        return None
    pair = {"true": exam.faults.mean(0), "found": exam.result.calibration.mean(0)}
    shown = {
        "scale": lambda fault: np.exp(fault[SCALE]),
        "offset_px": lambda fault: fault[OFFSET],
        "yaw_deg": lambda fault: np.degrees(fault[YAW]),
    }
    return {
        view: {
            kind: {who: round(float(as_told(faults[v])), 4) for who, faults in pair.items()}
            for kind, as_told in shown.items()
        }
        for v, view in enumerate(exam.info.layout.names)
    }


def comparing(exam: Exam, stages: dict[str, Any]) -> dict[str, Any] | None:
    """What comparing the rig's skin with the pictures gained: mean log probability of a pixel before and after as the
    solver tells it, and how much nearer to the truth the joints came. None where neither is known."""
    explained = getattr(exam.result, "compared", None)
    if explained is None and stages["plain"] is None:
        return None
    out: dict[str, Any] = {
        "explained_before": None,
        "explained_after": None,
        "gain_cm": None,
        "gain_pct": None,
    }
    if explained is not None:
        out["explained_before"], out["explained_after"] = (round(float(v), 4) for v in explained)
    if stages["plain"] is not None and stages["solve"] is not None:
        for unit in ("cm", "pct"):
            before, after = (stages[name][f"mean_{unit}"] for name in ("plain", "solve"))
            out[f"gain_{unit}"] = round(before - after, 4)
    return out


def swaps(exam: Exam) -> dict[str, Any]:
    """``read``: where the reader took a limb for its mirror (only the truth can tell); ``solved``: what the solver
    exchanged back. Each None where not known."""
    told = None
    if exam.result is not None:
        told = [{"limb": s.limb, "view": s.view, "frames": list(s.frames)} for s in exam.result.swaps]
    return {"read": None if exam.detections is None else pixels.exchanged(exam), "solved": told}


def per_joint(exam: Exam) -> dict[str, dict[str, Any]]:
    """Joint -> the six statistics of the rig, its mean error after the solve, and its reading error in each view."""
    error, names = exam.errors_cm(exam.solved.positions), exam.info.skeleton.joint_names
    table = {n: figures.statistics(error[:, j], exam.info.height_cm) for j, n in enumerate(names)}
    solve = None if exam.motion is None else exam.errors_cm(exam.motion.joints(exam.info.skeleton)).mean(0)
    read = None if exam.detections is None else pixels.joint_means(exam)
    for j, name in enumerate(names):
        table[name]["solve_mean_cm"] = None if solve is None else round(float(solve[j]), 4)
        table[name]["read_px"] = None if read is None else read[j]
    return table


def per_limb(exam: Exam) -> dict[str, dict[str, Any]]:
    """Limb -> the six statistics of the rig, and the mean local rotation error of its bones."""
    error, turns = exam.errors_cm(exam.solved.positions), figures.limb_rotations(exam)
    return {
        name: figures.statistics(error[:, which], exam.info.height_cm) | {"rotation_deg": turns[name]}
        for name, which in figures.limbs(exam).items()
    }


def _read(views: dict[str, Any] | None, figure: str) -> dict[str, float | None] | None:
    return views and {name: found and found[figure] for name, found in views.items()}
