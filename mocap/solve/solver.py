# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The whole-clip solver: every frame's root and rotations at once, against everything known.

Levenberg-Marquardt on a banded system with graduated robustness: the reprojection of every joint (robust) in views
that may be off, the rest prior, soft joint limits, learned smoothness and contacts. See docs/solver.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from .. import rotations as rot
from ..detections import Detections
from ..errors import BadInput
from ..motion import Motion
from ..rig_info import RigInfo
from ..skeleton import Skeleton
from . import contacts, grades, limits, posterior, residuals
from .calibration import Calibration
from .contacts import Anchors
from .descent import Descent, Problem, run_stage
from .initialise import initialise
from .kinematics import State
from .observations import Observations, check, check_readable, height_px, observe, pivot, rescaled
from .residuals import Rest, Robust
from .result import Solved
from .settings import Settings
from .smoothness import Smoothness
from .swaps import AsRead, Swap, correct_swaps
from .windows import join, join_states, nearer, spans

Watch = Callable[[Sequence[Any], str], Iterable[Any]]
_TRUST_FROM = 2
"""From this stage on the fit is good enough to judge the readings' accuracy by it."""
_HELD_STAGES = 2
"""In so many last stages contacts are held."""
_LOOKED_AT = 400
"""Frames that the first look at the views goes through."""


class Window(NamedTuple):
    """What solving one window gives."""

    state: State
    free: State
    """Before contacts were held."""
    errors: np.ndarray
    """(T, V, 3) of the views."""
    error: np.ndarray
    """(T, J) estimated error, metres."""
    scale: np.ndarray
    """(T, V) px, the typical reading's standard deviation as found."""
    touching: np.ndarray
    """(T, J) bool"""
    iterations: int
    settled: bool


def unwatched(items: Sequence[Any], _: str) -> Iterable[Any]:
    return items


def solve(
    detections: Detections,
    info: RigInfo,
    settings: Settings | None = None,
    provenance: dict[str, Any] | None = None,
    name: str = "detections",
    watch: Watch = unwatched,
    as_read: Sequence[AsRead] = (),
) -> Solved:
    """Solve a clip. Raises BadInput where the detections are of another rig, too few, or of no pose.

    ``watch`` wraps the list of steps to show progress, ``name`` names the detections in messages, ``as_read`` are limbs
    whose readings are not to be exchanged.
    """
    # The matrices are small: BLAS threads gain nothing, and beside other work they cost a factor of 20.
    with threadpool_limits(1, user_api="blas"):
        return _solve(detections, info, settings or Settings(), provenance or {}, name, watch, as_read)


def _solve(
    detections: Detections,
    info: RigInfo,
    settings: Settings,
    provenance: dict[str, Any],
    name: str,
    watch: Watch,
    as_read: Sequence[AsRead],
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
    windows = spans(frames, settings.window_frames, settings.overlap_frames)
    parts = []
    for at, stop in windows:
        what = f"solving frames {at}-{stop - 1}"
        window = observations.frames(at, stop)
        parts.append(solve_window(skeleton, window, start, detections.fps, settings, watch, what))
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
    grades.check(graded, skeleton.is_marker, settings, name)
    record = provenance | {
        "made_by": "mocap.solve",
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
        seconds=time.perf_counter() - began,
    )


def _slides(
    free: np.ndarray, held: np.ndarray, touching: np.ndarray, fps: float
) -> tuple[float, float] | None:
    before, after = (contacts.slide(joints, touching, fps) for joints in (free, held))
    return None if before is None or after is None else (before, after)


def _calibration(skeleton: Skeleton, observations: Observations, settings: Settings) -> Calibration:
    layout = observations.layout
    heights = height_px(skeleton, layout)
    return Calibration.of(layout, pivot(skeleton), len(observations.positions), heights, settings)


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


def solve_window(
    skeleton: Skeleton,
    observations: Observations,
    start: np.ndarray,
    fps: float,
    settings: Settings,
    watch: Watch = unwatched,
    what: str = "solving",
) -> Window:
    """Solve frames held in memory at once; ``start`` (F,) what the views seem to be wrong by."""
    rng = np.random.default_rng(0)
    state = initialise(skeleton, observations, settings)
    frames, bones = state.quats.shape[:2]
    smoothness = Smoothness.start(settings, frames, bones, fps, skeleton.height)
    rest = Rest.of(skeleton, settings)
    calibration = _calibration(skeleton, observations, settings)
    reported = observations.scale
    descent = Descent(state, calibration.coefficients(start), np.inf, 1e-3, None, False)
    touching = np.zeros((frames, len(skeleton.joints)), bool)
    anchors = Anchors.none(*touching.shape)
    free, taken = state, 0
    for number, stage in enumerate(watch(settings.stages, what)):
        joints = skeleton.pose(*descent.state).joints
        if number and settings.learn_smoothness and descent.factor is not None:
            smoothness = smoothness.learned(descent.state, descent.factor, rng)
        if number >= _TRUST_FROM:
            seen = observations._replace(cameras=calibration.cameras(descent.coefficients))
            observations = rescaled(seen, reported, joints, settings.sigma_floor_px)
        if settings.find_contacts and number >= len(settings.stages) - _HELD_STAGES:
            free = descent.state if not touching.any() else free
            touching = contacts.find(skeleton, joints, fps, settings)
            anchors = contacts.hold(skeleton, joints, touching, settings)
        problem = Problem(
            skeleton,
            observations,
            calibration,
            rest,
            smoothness,
            robust=Robust(settings.robust_scale * stage.widen, settings.robust_shape),
            softness=float(np.radians(stage.limit_softness_deg)),
            anchors=anchors,
        )
        descent, steps = run_stage(problem, stage, descent, settings.tolerance)
        taken += steps
    return Window(
        descent.state,
        free,
        calibration.errors(descent.coefficients),
        estimated_error(skeleton, problem, descent, rng),
        observations.scale,
        touching,
        taken,
        descent.settled,
    )


def estimated_error(
    skeleton: Skeleton, problem: Problem, descent: Descent, rng: np.random.Generator
) -> np.ndarray:
    """(T, J) metres within which 68% of the joints should be. Infinite where no step was ever taken."""
    posed = skeleton.pose(*descent.state)
    if descent.factor is None:
        return np.full(posed.joints.shape[:2], np.inf)
    pulls = residuals.pulls(problem.seen(descent.coefficients), posed.joints, problem.robust)
    linear = posterior.Linear.of(skeleton, posed, descent.factor, pulls)
    spread, _ = posterior.joint_spread(linear, pulls, rng)
    return grades.WITHIN * spread


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
