# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""How far a found motion is from the true one, and what finding it cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from mocap import rotations as rot
from mocap.motion import Motion
from mocap.rig_info import RigInfo
from mocap.solve import Solved, solve

from .troubles import Case, readings


def measure(info: RigInfo, motion: Motion, case: Case, seed: int = 0) -> dict[str, Any]:
    """Solve made-up readings of ``motion``; the row that tables are made of."""
    read = readings(info, motion, case, seed)
    solved, seconds = clocked(lambda: solve(read, info, case.settings))
    return {
        "motion": motion.provenance["source"],
        "case": case.name,
        "frames": motion.frames,
        **accuracy(info, motion, solved.motion),
        "seconds": seconds,
        "seconds_per_120_frames": seconds * 120 / motion.frames,
        "iterations": solved.iterations,
        "exchanged": exchanged(solved),
        "false_swaps": 0 if case.exchanges else exchanged(solved),
    }


def clocked(work: Callable[[], Any]) -> tuple[Any, float]:
    """What ``work`` returns, and the CPU seconds of this process that it took: on a shared machine the clock on the
    wall says nothing."""
    began = time.process_time()
    found = work()
    return found, time.process_time() - began


def exchanged(solved: Solved) -> int:
    """Limbs times views times frames in which left and right were exchanged."""
    return sum(len(swap.frames) for swap in solved.swaps)


def accuracy(info: RigInfo, truth: Motion, found: Motion) -> dict[str, float | None]:
    """Errors of place over the joints (markers are no part of the skeleton) in % of the height, of local rotations in
    degrees over all bones, and jitter."""
    skeleton = info.skeleton.bare
    true, ours = truth.joints(skeleton), found.joints(skeleton)
    error = 100 * np.linalg.norm(ours - true, axis=-1) / skeleton.height
    return {
        "mean_pct": float(error.mean()),
        "median_pct": float(np.median(error)),
        "p95_pct": float(np.percentile(error, 95)),
        "rotation_deg": rotation_error(truth, found),
        "jitter": jitter(true, ours),
    }


def rotation_error(truth: Motion, found: Motion) -> float:
    """Mean angle between the bones' true and found local rotations, degrees."""
    pair = (rot.quat_to_matrix(motion.quats) for motion in (truth, found))
    return float(np.degrees(rot.angle_between(*pair)).mean())


def jitter(truth: np.ndarray, found: np.ndarray) -> float | None:
    """Mean acceleration of the error over that of the truth, both (T, J, 3): 0 is as smooth as the truth and with it,
    1 is as much shaking on top of the motion as there is motion. None where the truth does not accelerate."""
    shaking, moving = (
        float(np.linalg.norm(np.diff(points, 2, axis=0), axis=-1).mean()) if len(points) > 2 else 0.0
        for points in (found - truth, truth)
    )
    return shaking / moving if moving > 0 else None
