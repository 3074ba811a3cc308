# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The whole-clip solver: every frame's root and rotations at once, against everything known.

Levenberg-Marquardt on a banded system with graduated robustness: the reprojection of every joint
(robust), the rest prior, soft joint limits and learned smoothness. See docs/solver.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from .. import rotations as rot
from ..detections import Detections
from ..errors import AnymoveError, BadInput
from ..motion import Motion
from ..rig_info import RigInfo
from ..skeleton import Skeleton
from . import limits, residuals
from .banded import Factor, factor
from .initialise import initialise
from .kinematics import State
from .observations import Observations, check, check_readable, height_px, observe, rescaled
from .residuals import Normal, Robust
from .settings import Settings, Stage
from .smoothness import Smoothness
from .swaps import Swap, correct_swaps
from .windows import join, spans

Watch = Callable[[Sequence[Any], str], Iterable[Any]]
_MOST_REFUSALS = 6
"""Steps refused in a row, each with ten times the damping, before an iteration gives up."""
_LEAST_DAMPING = 1e-7
_TRUST_FROM = 2
"""From this stage on the fit is good enough to judge the readings' accuracy by it."""


class Solved(NamedTuple):
    """What solving gives."""

    motion: Motion
    residual_px: dict[str, float]
    """Root mean square distance between solved and read joints, of each view."""
    iterations: int
    converged: bool
    swaps: list[Swap]
    seconds: float


class Descent(NamedTuple):
    """Where Levenberg-Marquardt stands."""

    state: State
    cost: float
    damping: float
    factor: Factor | None
    settled: bool
    """The last step hardly lowered the cost, or none did."""


@dataclass(frozen=True)
class Problem:
    """One window of a clip and all that is known of it, at one stage."""

    skeleton: Skeleton
    observations: Observations
    rest_weights: np.ndarray
    smoothness: Smoothness
    robust: Robust
    softness: float

    def cost(self, state: State) -> float:
        joints = self.skeleton.pose(*state).joints
        return (
            residuals.reprojection_cost(self.observations, joints, self.robust)
            + residuals.rest_cost(self.rest_weights, state)
            + limits.limit_cost(self.skeleton, state, self.softness)
            + self.smoothness.cost(state)
        )

    def normal(self, state: State) -> Normal:
        """The equations without smoothness' share of the Hessian, which couples frames."""
        normal = residuals.reprojection_normal(self.skeleton, self.observations, state, self.robust)
        residuals.add_rest(normal, self.rest_weights, state)
        limits.add_limits(normal, self.skeleton, state, self.softness)
        normal.gradient[:] += self.smoothness.gradient(state)
        return normal


def unwatched(items: Sequence[Any], _: str) -> Iterable[Any]:
    return items


def solve(
    detections: Detections,
    info: RigInfo,
    settings: Settings | None = None,
    provenance: dict[str, Any] | None = None,
    name: str = "detections",
    watch: Watch = unwatched,
) -> Solved:
    """Solve a clip. Raises BadInput where the detections are of another rig, too few, or of no pose.

    ``watch`` wraps the list of steps to show progress, ``name`` names the detections in messages.
    """
    # The matrices are small: BLAS threads gain nothing, and beside other work they cost a factor of 20.
    with threadpool_limits(1, user_api="blas"):
        return _solve(detections, info, settings or Settings(), provenance or {}, name, watch)


def _solve(
    detections: Detections,
    info: RigInfo,
    settings: Settings,
    provenance: dict[str, Any],
    name: str,
    watch: Watch,
) -> Solved:
    began = time.perf_counter()
    check(detections, info, name)
    observations = observe(detections, settings, info.skeleton.is_marker)
    check_readable(observations.joints(~info.skeleton.is_marker), settings, name)
    swaps: list[Swap] = []
    if settings.correct_swaps:
        observations, swaps = correct_swaps(info.skeleton, observations)
    parts, iterations, converged = [], 0, True
    windows = spans(detections.frames, settings.window_frames, settings.overlap_frames)
    for start, stop in windows:
        what = f"solving frames {start}-{stop - 1}"
        window = observations.frames(start, stop)
        state, taken, settled = solve_window(info.skeleton, window, detections.fps, settings, watch, what)
        parts.append(state)
        iterations, converged = iterations + taken, converged and settled
    state = limits.clamp(info.skeleton, join(parts, windows))
    residual_px = check_fit(info.skeleton, observations, state, settings, name)
    record = provenance | {
        "made_by": "mocap.solve",
        "residual_px": residual_px,
        "iterations": iterations,
        "converged": converged,
        "swaps": [{"limb": s.limb, "view": s.view, "frames": list(s.frames)} for s in swaps],
        "unread_frames": np.flatnonzero(~observations.read.any((1, 2))).tolist(),
        "settings": asdict(settings),
        "detections": detections.provenance,
    }
    quats = rot.quat_continuous(state.quats)
    motion = Motion(detections.fps, info.skeleton.bone_names, state.root, quats, info.digest, record)
    return Solved(motion, residual_px, iterations, converged, swaps, time.perf_counter() - began)


def solve_window(
    skeleton: Skeleton,
    observations: Observations,
    fps: float,
    settings: Settings,
    watch: Watch = unwatched,
    what: str = "solving",
) -> tuple[State, int, bool]:
    """Solve frames held in memory at once. Returns the state, iterations taken, and convergence."""
    rng = np.random.default_rng(0)
    state = initialise(skeleton, observations, settings)
    frames, bones = state.quats.shape[:2]
    smoothness = Smoothness.start(settings, frames, bones, fps, skeleton.height)
    rest_weights = residuals.rest_weights(skeleton, settings)
    reported = observations.scale
    descent = Descent(state, np.inf, 1e-3, None, False)
    taken = 0
    for number, stage in enumerate(watch(settings.stages, what)):
        if number and settings.learn_smoothness and descent.factor is not None:
            smoothness = smoothness.learned(descent.state, descent.factor, rng)
        if number >= _TRUST_FROM:
            joints = skeleton.pose(*descent.state).joints
            observations = rescaled(observations, reported, joints, settings.sigma_floor_px)
        problem = Problem(
            skeleton,
            observations,
            rest_weights,
            smoothness,
            robust=Robust(settings.robust_scale * stage.widen, settings.robust_shape),
            softness=float(np.radians(stage.limit_softness_deg)),
        )
        descent, steps = run_stage(problem, stage, descent, settings.tolerance)
        taken += steps
    return descent.state, taken, descent.settled


def run_stage(problem: Problem, stage: Stage, descent: Descent, tolerance: float) -> tuple[Descent, int]:
    """Iterate until settled or out of iterations; returns where it stands and the iterations taken."""
    descent = descent._replace(cost=problem.cost(descent.state), settled=False)
    taken = 0
    while taken < stage.iterations and not descent.settled:
        descent = iterate(problem, descent, tolerance)
        taken += 1
    return descent, taken


def iterate(problem: Problem, descent: Descent, tolerance: float) -> Descent:
    """One Levenberg-Marquardt step: damping grows tenfold until the cost falls, then shrinks fivefold."""
    normal = problem.normal(descent.state)
    coupling = problem.smoothness.coupling(len(normal.gradient))
    usual = np.diagonal(normal.hessian, axis1=1, axis2=2).mean(1)
    damping = descent.damping
    for _ in range(_MOST_REFUSALS):
        try:
            lower = factor(normal.hessian, coupling, 0.01 * damping * usual + 1e-9)
        except np.linalg.LinAlgError:
            damping = max(damping, 1e-4) * 10
            continue
        state = descent.state.moved(-lower.solve(normal.gradient))
        cost = problem.cost(state)
        if cost < descent.cost:
            settled = descent.cost - cost < tolerance * descent.cost
            return Descent(state, cost, max(damping * 0.2, _LEAST_DAMPING), lower, settled)
        damping = max(damping, 1e-4) * 10
    if descent.factor is None and not np.isfinite(descent.cost):
        raise AnymoveError("the solver's equations have no finite solution for these detections")
    return descent._replace(damping=damping, settled=True)


def check_fit(
    skeleton: Skeleton, observations: Observations, state: State, settings: Settings, name: str
) -> dict[str, float]:
    """Residual of each view in pixels; BadInput where no pose of this creature explains the readings."""
    which = ~skeleton.is_marker
    observations = observations.joints(which)
    projected, _ = observations.layout.project(skeleton.pose(*state).joints[:, which])
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
