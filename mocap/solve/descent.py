# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Levenberg-Marquardt over all frames of a window at once, at one stage of graduated robustness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from ..errors import AnymoveError
from ..skeleton import Posed, Skeleton
from . import limits, residuals
from .banded import Border, Factor, factor
from .calibration import Calibration
from .contacts import Anchors
from .kinematics import State
from .observations import Observations
from .residuals import Normal, Robust
from .settings import Stage
from .smoothness import Smoothness
from .twists import Wrenches

_MOST_REFUSALS = 6
"""Steps refused in a row, each with ten times the damping, before an iteration gives up."""
_LEAST_DAMPING = 1e-7


class Descent(NamedTuple):
    """Where Levenberg-Marquardt stands."""

    state: State
    coefficients: np.ndarray
    """(m,) of the calibration."""
    cost: float
    damping: float
    factor: Factor | None
    settled: bool
    """The last step hardly lowered the cost, or none did."""


class Term(Protocol):
    """Something else that pulls at the bones, such as pictures at the skin."""

    def cost(self, posed: Posed) -> float: ...

    def wrenches(self, posed: Posed) -> Wrenches: ...


@dataclass(frozen=True)
class Problem:
    """One window of a clip and all that is known of it, at one stage."""

    skeleton: Skeleton
    observations: Observations
    calibration: Calibration
    rest: residuals.Rest
    smoothness: Smoothness
    robust: Robust
    softness: float
    anchors: Anchors
    terms: tuple[Term, ...] = ()

    def seen(self, coefficients: np.ndarray) -> Observations:
        return self.observations._replace(cameras=self.calibration.cameras(coefficients))

    def cost(self, state: State, coefficients: np.ndarray) -> float:
        posed = self.skeleton.pose(*state)
        return (
            residuals.reprojection_cost(self.seen(coefficients), posed.joints, self.robust)
            + self.calibration.cost(coefficients)
            + self.anchors.cost(posed.joints)
            + sum(term.cost(posed) for term in self.terms)
            + self.rest.cost(state)
            + limits.limit_cost(self.skeleton, state, self.softness)
            + self.smoothness.cost(state)
        )

    def normal(self, state: State, coefficients: np.ndarray) -> Normal:
        """The equations without smoothness' share of the Hessian, which couples frames."""
        posed = self.skeleton.pose(*state)
        seen = self.seen(coefficients)
        normal = residuals.joint_normal(
            self.skeleton,
            seen,
            posed,
            self.robust,
            self.calibration,
            coefficients,
            self.anchors,
            [term.wrenches(posed) for term in self.terms],
        )
        residuals.add_rest(normal, self.rest, state)
        limits.add_limits(normal, self.skeleton, state, self.softness)
        normal.gradient[:] += self.smoothness.gradient(state)
        return normal


def run_stage(problem: Problem, stage: Stage, descent: Descent, tolerance: float) -> tuple[Descent, int]:
    """Iterate until settled or out of iterations; returns where it stands and the iterations taken."""
    cost = problem.cost(descent.state, descent.coefficients)
    descent = descent._replace(cost=cost, settled=False)
    taken = 0
    while taken < stage.iterations and not descent.settled:
        descent = iterate(problem, descent, tolerance)
        taken += 1
    return descent, taken


def iterate(problem: Problem, descent: Descent, tolerance: float) -> Descent:
    """One Levenberg-Marquardt step: damping grows tenfold until the cost falls, then shrinks fivefold."""
    normal = problem.normal(descent.state, descent.coefficients)
    coupling = problem.smoothness.coupling(len(normal.gradient))
    usual = np.diagonal(normal.hessian, axis1=1, axis2=2).mean(1)
    damping = descent.damping
    for _ in range(_MOST_REFUSALS):
        try:
            lower = factor(normal.hessian, coupling, 0.01 * damping * usual + 1e-9)
            step, turn = lower.solve_bordered(
                _damped(normal.border, damping), -normal.gradient, -normal.below
            )
        except np.linalg.LinAlgError:
            damping = max(damping, 1e-4) * 10
            continue
        state, coefficients = descent.state.moved(step), descent.coefficients + turn
        cost = problem.cost(state, coefficients)
        if cost < descent.cost:
            settled = descent.cost - cost < tolerance * descent.cost
            return Descent(state, coefficients, cost, max(damping * 0.2, _LEAST_DAMPING), lower, settled)
        damping = max(damping, 1e-4) * 10
    if descent.factor is None and not np.isfinite(descent.cost):
        raise AnymoveError("the solver's equations have no finite solution for these detections")
    return descent._replace(damping=damping, settled=True)


def _damped(border: Border, damping: float) -> Border:
    return border._replace(corner=border.corner + np.diag(damping * np.diagonal(border.corner)))
