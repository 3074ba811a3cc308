# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""One window of a clip, solved stage by stage: graduated robustness, learned smoothness and accuracy, then contacts,
then, where there are pictures, render-and-compare."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..layout import Layout
from ..skeleton import Posed, Skeleton
from . import contacts, depths, grades, posterior, residuals
from .calibration import Calibration
from .cameras import Cameras
from .contacts import Anchors
from .descent import Descent, Problem, Term, run_stage
from .initialise import initialise
from .kinematics import State
from .observations import Observations, height_px, pivot, rescaled
from .residuals import Rest, Robust
from .settings import Settings, Stage
from .smoothness import Smoothness

Watch = Callable[[Sequence[Any], str], Iterable[Any]]
_TRUST_FROM = 2
"""From this stage on the fit is good enough to judge the readings' accuracy by it."""
_HELD_STAGES = 2
"""In so many last stages contacts are held."""


class Look(Protocol):
    """What looking at a window's pictures gives: how well a pose explains them (higher is better), and where they pull
    the skin."""

    score: float
    term: Term


class Pictures(Protocol):
    """A clip's pictures, by windows: each looks at a pose through cameras."""

    def window(self, start: int, stop: int) -> Callable[[Posed, Cameras], Look]: ...


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
    scores: tuple[float, ...]
    """How well the pictures were explained before each look, the one that was kept last; empty without pictures."""


def unwatched(items: Sequence[Any], _: str) -> Iterable[Any]:
    return items


def calibration_of(skeleton: Skeleton, layout: Layout, frames: int, settings: Settings) -> Calibration:
    return Calibration.of(layout, pivot(skeleton), frames, height_px(skeleton, layout), settings)


def solve_window(
    skeleton: Skeleton,
    observations: Observations,
    start: np.ndarray,
    fps: float,
    settings: Settings,
    watch: Watch = unwatched,
    what: str = "solving",
    look: Callable[[Posed, Cameras], Look] | None = None,
    rest: Rest | None = None,
) -> Window:
    """Solve frames held in memory at once; ``start`` (F,) what the views seem to be wrong by, ``rest`` the poses that
    are likely (None: the rest pose)."""
    rng = np.random.default_rng(0)
    state = initialise(skeleton, observations, settings)
    frames, bones = state.quats.shape[:2]
    calibration = calibration_of(skeleton, observations.layout, frames, settings)
    descent = Descent(state, calibration.coefficients(start), np.inf, 1e-3, None, False)
    touching = np.zeros((frames, len(skeleton.joints)), bool)
    reported = observations.scale
    problem = Problem(
        skeleton,
        observations,
        calibration,
        rest or Rest.of(skeleton, settings),
        Smoothness.start(settings, frames, bones, fps, skeleton.height),
        robust=Robust(settings.robust_scale, settings.robust_shape),
        softness=1.0,
        anchors=Anchors.none(*touching.shape),
        terms=depths.terms(observations, skeleton, settings),
    )
    free, taken = state, 0
    for number, stage in enumerate(watch(settings.stages, what)):
        if number:
            problem = sharpened(problem, descent, reported, settings, rng, number >= _TRUST_FROM)
        if number == _TRUST_FROM:
            problem, descent = without_small_faults(problem, descent, settings)
        if settings.find_contacts and number >= len(settings.stages) - _HELD_STAGES:
            free = descent.state if not touching.any() else free
            joints = skeleton.pose(*descent.state).joints
            touching = contacts.find(skeleton, joints, fps, settings)
            problem = replace(problem, anchors=contacts.hold(skeleton, joints, touching, settings))
        problem = at_stage(problem, stage, settings)
        descent, steps = run_stage(problem, stage, descent, settings.tolerance)
        taken += steps
    # What pictures add is no news of how sure one can be: colours and masks err along with the reader.
    error = estimated_error(skeleton, problem, descent, reported, settings, rng)
    scores: tuple[float, ...] = ()
    if look is not None:
        problem, descent, scores, steps = compared(problem, descent, look, reported, settings, rng)
        taken += steps
    return Window(
        descent.state,
        free,
        problem.calibration.errors(descent.coefficients),
        error,
        problem.observations.scale,
        touching,
        taken,
        descent.settled,
        scores,
    )


def without_small_faults(problem: Problem, descent: Descent, settings: Settings) -> tuple[Problem, Descent]:
    """With the views taken to be right, unless they are off by more than a reader's own errors look like."""
    observations = problem.observations
    heights = height_px(problem.skeleton, observations.layout)
    least = settings.fault_believed * float((observations.scale / heights).mean())
    if problem.calibration.believed(descent.coefficients, least, heights):
        return problem, descent
    settings = replace(settings, calibrate=False)
    frames = len(observations.positions)
    calibration = calibration_of(problem.skeleton, observations.layout, frames, settings)
    none = np.zeros(calibration.size)
    moved = descent._replace(coefficients=none, cost=np.inf, factor=None)
    return replace(problem, calibration=calibration), moved


def at_stage(problem: Problem, stage: Stage, settings: Settings) -> Problem:
    robust = Robust(settings.robust_scale * stage.widen, settings.robust_shape)
    return replace(problem, robust=robust, softness=float(np.radians(stage.limit_softness_deg)))


def sharpened(
    problem: Problem,
    descent: Descent,
    reported: np.ndarray,
    settings: Settings,
    rng: np.random.Generator,
    trusted: bool = True,
) -> Problem:
    """With smoothness learned from where the descent stands and, where it is ``trusted``, the readings' accuracy."""
    if settings.learn_smoothness and descent.factor is not None:
        problem = replace(problem, smoothness=problem.smoothness.learned(descent.state, descent.factor, rng))
    if trusted:
        joints = problem.skeleton.pose(*descent.state).joints
        seen = problem.seen(descent.coefficients)
        problem = replace(problem, observations=rescaled(seen, reported, joints, settings.sigma_floor_px))
    return problem


def compared(
    problem: Problem,
    descent: Descent,
    look: Callable[[Posed, Cameras], Look],
    reported: np.ndarray,
    settings: Settings,
    rng: np.random.Generator,
) -> tuple[Problem, Descent, tuple[float, ...], int]:
    """Draw, compare, solve on, as long as the pictures are explained better. What explains them best is kept, so that a
    solve never gets worse in their eyes."""
    kept, scores, taken, base = (problem, descent), [], 0, problem.terms
    for number in range(settings.looks + 1):
        found = look(problem.skeleton.pose(*descent.state), problem.seen(descent.coefficients).cameras)
        better = not scores or found.score > max(scores)
        scores.append(found.score)
        if not better:
            break
        kept = problem, descent
        if number == settings.looks:
            break
        for stage in settings.look_stages:
            problem = replace(sharpened(problem, descent, reported, settings, rng), terms=(*base, found.term))
            descent, steps = run_stage(at_stage(problem, stage, settings), stage, descent, settings.tolerance)
            taken += steps
    return *kept, (*scores, max(scores)), taken


def estimated_error(
    skeleton: Skeleton,
    problem: Problem,
    descent: Descent,
    reported: np.ndarray,
    settings: Settings,
    rng: np.random.Generator,
) -> np.ndarray:
    """(T, J) metres within which 68% of the joints should be. Infinite where no step was ever taken."""
    posed = skeleton.pose(*descent.state)
    if descent.factor is None:
        return np.full(posed.joints.shape[:2], np.inf)
    pulls = residuals.pulls(problem.seen(descent.coefficients), posed.joints, problem.robust)
    linear = posterior.Linear.of(skeleton, posed, descent.factor, pulls)
    lasting = settings.lasting_error * reported / problem.observations.scale
    spread, _ = posterior.joint_spread(linear, pulls, lasting, rng)
    alone = len(problem.observations.layout.views) == 1
    return np.hypot(grades.WITHIN * spread, settings.guess_error * skeleton.height * alone)
