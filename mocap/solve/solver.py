# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The whole-clip solver: every frame's root and rotations at once, against everything known.

Levenberg-Marquardt on a banded system with graduated robustness: the reprojection of every joint (robust) in views
that may be off, the rest prior, soft joint limits, learned smoothness and contacts. See docs/solver.md.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from .. import rotations as rot
from ..detections import Detections
from ..errors import BadInput
from ..motion import Motion
from ..rig_info import RigInfo
from ..skeleton import Skeleton
from . import contacts, grades, habits, limits
from .calibration import Calibration
from .observations import Observations, check, check_readable, height_px, observe
from .residuals import Rest, Robust
from .result import Solved
from .settings import Settings
from .staged import Pictures, Watch, calibration_of, solve_window, unwatched
from .swaps import AsRead, Swap, correct_swaps
from .windows import join, join_states, nearer, spans

_LOOKED_AT = 400
"""Frames that the first look at the views goes through."""


def solve(
    detections: Detections,
    info: RigInfo,
    settings: Settings | None = None,
    provenance: dict[str, Any] | None = None,
    name: str = "detections",
    watch: Watch = unwatched,
    as_read: Sequence[AsRead] = (),
    pictures: Pictures | None = None,
    clips: Sequence[Motion] = (),
) -> Solved:
    """Solve a clip. Raises BadInput where the detections are of another rig, too few, or of no pose.

    Detections.through(view) are solved as a single view: depth comes from what the reader guessed and from how the
    creature holds itself in ``clips``.

    ``watch`` wraps the list of steps to show progress, ``name`` names the detections in messages, ``as_read`` are limbs
    whose readings are not to be exchanged, ``pictures`` what the skin is compared with (mocap.refine).
    """
    # The matrices are small: BLAS threads gain nothing, and beside other work they cost a factor of 20.
    with threadpool_limits(1, user_api="blas"):
        return _solve(
            detections, info, settings or Settings(), provenance or {}, name, watch, as_read, pictures, clips
        )


def _solve(
    detections: Detections,
    info: RigInfo,
    settings: Settings,
    provenance: dict[str, Any],
    name: str,
    watch: Watch,
    as_read: Sequence[AsRead],
    pictures: Pictures | None,
    clips: Sequence[Motion],
) -> Solved:
    began = time.perf_counter()
    skeleton, frames = info.skeleton, detections.frames
    check(detections, info, name)
    observations = observe(detections, settings, skeleton)
    check_readable(observations.joints(~skeleton.is_marker), settings, name)
    start = first_look(skeleton, observations, settings)
    observations = observations._replace(cameras=_constant(skeleton, observations, start, settings))
    swaps: list[Swap] = []
    if settings.correct_swaps:
        observations, swaps = correct_swaps(skeleton, observations, as_read)
    rest = Rest.of(skeleton, settings)
    if len(detections.layout.views) == 1:
        rest = habits.learned(clips, rest, settings)
    windows = spans(frames, settings.window_frames, settings.overlap_frames)
    parts = []
    for at, stop in windows:
        what = f"solving frames {at}-{stop - 1}"
        window = observations.frames(at, stop)
        look = pictures.window(at, stop) if pictures else None
        parts.append(solve_window(skeleton, window, start, detections.fps, settings, watch, what, look, rest))
    state = limits.clamp(skeleton, join_states([part.state for part in parts], windows))
    free = join_states([part.free for part in parts], windows)
    errors = join([part.errors for part in parts], windows)
    error = join([part.error for part in parts], windows)
    touching = join([part.touching for part in parts], windows, nearer)
    calibration = _calibration(skeleton, observations, settings)
    observations = observations._replace(cameras=calibration.with_errors(errors))
    joints = skeleton.pose(*state).joints
    residual_px = check_fit(skeleton, observations, joints, settings, name)
    scale = np.mean([part.scale for part in parts], 0)
    robust = Robust(settings.robust_scale, settings.robust_shape)
    graded = grades.grade(
        observations._replace(scale=scale), joints, robust, error, skeleton.height, settings
    )
    grades.check(graded, skeleton.is_marker, settings, name, grades.lost_above(observations, settings))
    record = provenance | {
        "made_by": "mocap.solve",
        "views": list(detections.layout.names),
        "residual_px": residual_px,
        "unread_frames": np.flatnonzero(~observations.read.any((1, 2))).tolist(),
        "settings": asdict(settings),
        "detections": detections.provenance,
    }
    quats = rot.quat_continuous(state.quats)
    return Solved(
        motion=Motion(detections.fps, skeleton.bone_names, state.root, quats, info.digest, record),
        joint_names=skeleton.joint_names,
        views=detections.layout.names,
        residual_px=residual_px,
        calibration=errors,
        error=error,
        grades=graded,
        swaps=swaps,
        contacts=contacts.contacts(skeleton, touching),
        slide_m_s=_slides(skeleton.pose(*free).joints, joints, touching, detections.fps),
        iterations=sum(part.iterations for part in parts),
        converged=all(part.settled for part in parts),
        scores=tuple(part.scores for part in parts if part.scores),
        seconds=time.perf_counter() - began,
    )


def _slides(
    free: np.ndarray, held: np.ndarray, touching: np.ndarray, fps: float
) -> tuple[float, float] | None:
    before, after = (contacts.slide(joints, touching, fps) for joints in (free, held))
    return None if before is None or after is None else (before, after)


def _calibration(skeleton: Skeleton, observations: Observations, settings: Settings) -> Calibration:
    return calibration_of(skeleton, observations.layout, len(observations.positions), settings)


def first_look(skeleton: Skeleton, observations: Observations, settings: Settings) -> np.ndarray:
    """(F,) constant fault of each view, told from how the views disagree."""
    frames = len(observations.positions)
    chosen = np.unique(np.linspace(0, frames - 1, min(frames, _LOOKED_AT)).astype(int))
    looked = observations.picked(chosen).joints(~skeleton.is_marker)
    calibration = _calibration(skeleton, looked, settings)
    return calibration.constant(calibration.first_look(looked))


def _constant(skeleton: Skeleton, observations: Observations, start: np.ndarray, settings: Settings):
    calibration = _calibration(skeleton, observations, settings)
    return calibration.cameras(calibration.coefficients(start))


def check_fit(
    skeleton: Skeleton, observations: Observations, joints: np.ndarray, settings: Settings, name: str
) -> dict[str, float]:
    """Residual of each view in pixels; BadInput where no pose of this creature explains the readings."""
    which = ~skeleton.is_marker
    observations = observations.joints(which)
    projected, _ = observations.cameras.project(joints[:, which])
    distance = np.linalg.norm(projected - observations.positions, axis=-1)
    read = observations.read
    heights = height_px(skeleton, observations.layout)
    share = float(np.median((distance / heights[None, :, None])[read]))
    if share > settings.worst_residual:
        raise BadInput(
            f"{name}: no pose of {skeleton.name} explains the readings (typical distance {share:.0%} of "
            "its height); is the clip of this creature and layout?"
        )
    return {
        view: float(np.sqrt((distance[:, v][read[:, v]] ** 2).mean())) if read[:, v].any() else 0.0
        for v, view in enumerate(observations.layout.names)
    }
