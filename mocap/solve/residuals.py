# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The reprojection and rest-pose terms: their cost, and their part of the normal equations.

Every cost here is a sum of squares without the usual half, gradients and Hessians are halved alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .. import rotations as rot
from ..skeleton import Posed, Skeleton
from . import twists
from .banded import Border
from .calibration import Calibration
from .contacts import Anchors
from .kinematics import State, right_jacobian_inverse
from .observations import Observations
from .settings import Settings


class Normal(NamedTuple):
    """Gauss-Newton's equations of T frames before coupling: hessian (T, n, n), gradient (T, n); the ``border`` of the
    calibration's m coefficients and their gradient ``below`` (m,)."""

    hessian: np.ndarray
    gradient: np.ndarray
    border: Border
    below: np.ndarray


class Robust(NamedTuple):
    """Barron's general robust loss (A General and Adaptive Robust Loss Function, CVPR 2019): quadratic
    up to about ``scale``, beyond it growing like the power ``shape`` of the residual. Shape 1 is a
    smooth Huber loss, 0 is Cauchy's."""

    scale: float
    shape: float

    def cost(self, squared: np.ndarray) -> np.ndarray:
        """Loss of squared residuals, equal to them near zero."""
        bend = 2.0 - self.shape
        if self.shape == 0:
            return self.scale**2 * bend * np.log1p(squared / (bend * self.scale**2))
        grown = (squared / (bend * self.scale**2) + 1) ** (self.shape / 2)
        return self.scale**2 * 2 * bend / self.shape * (grown - 1)

    def weight(self, squared: np.ndarray) -> np.ndarray:
        """The loss's slope: the weight that makes least squares follow it (IRLS)."""
        bend = 2.0 - self.shape
        return (squared / (bend * self.scale**2) + 1) ** (self.shape / 2 - 1)


def scaled_residuals(observations: Observations, joints: np.ndarray) -> np.ndarray:
    """(T, V, J, 2): projected minus read, in standard deviations of a typical reading."""
    projected, _ = observations.cameras.project(joints)
    return (projected - observations.positions) / observations.scale[None, :, None, None]


def reprojection_cost(observations: Observations, joints: np.ndarray, robust: Robust) -> float:
    squared = (scaled_residuals(observations, joints) ** 2).sum(-1)
    return float((observations.weights * robust.cost(squared)).sum())


class Pulls(NamedTuple):
    """What the readings want of the joints, before any skeleton."""

    residuals: np.ndarray
    """(T, V, J, 2) in standard deviations."""
    weights: np.ndarray
    """(T, V, J) robust ones."""
    pixels: np.ndarray
    """(T, V, J, 2) where the joints are seen."""
    pixel_slope: np.ndarray
    """(T, V, J, 2, 3) pixels per metre."""
    slope: np.ndarray
    """The same in standard deviations per metre."""
    weight: np.ndarray
    """(T, J, 3, 3) of all views."""
    gradient: np.ndarray
    """(T, J, 3)"""


def pulls(observations: Observations, joints: np.ndarray, robust: Robust) -> Pulls:
    pixels, _ = observations.cameras.project(joints)
    scale = observations.scale[None, :, None, None]
    residuals = (pixels - observations.positions) / scale
    weights = observations.weights * robust.weight((residuals**2).sum(-1))
    pixel_slope = observations.cameras.jacobian(joints)
    slope = pixel_slope / scale[..., None]
    frames, views, count = weights.shape
    rows = np.moveaxis(slope * np.sqrt(weights)[..., None, None], 1, 2).reshape(frames, count, 2 * views, 3)
    gradient = np.einsum("tvj,tvjai,tvja->tji", weights, slope, residuals, optimize=True)
    return Pulls(residuals, weights, pixels, pixel_slope, slope, np.swapaxes(rows, -1, -2) @ rows, gradient)


def joint_normal(
    skeleton: Skeleton,
    observations: Observations,
    posed: Posed,
    robust: Robust,
    calibration: Calibration,
    coefficients: np.ndarray,
    anchors: Anchors,
    others: Sequence[twists.Wrenches] = (),
) -> Normal:
    """What pulls at the joints, the readings (robustly weighted) and the contacts, as Gauss-Newton
    terms of the frames' unknowns and of the calibration's coefficients, and what ``others`` pull. Each joint's views
    collapse to one 3x3 weight.
    """
    pull = pulls(observations, posed.joints, robust)
    held, drawn = anchors.pulls(posed.joints)
    slope = observations.cameras.error_jacobian(posed.joints, pull.pixels, pull.pixel_slope)
    slope = slope / observations.scale[None, :, None, None, None]
    weighted = pull.weights[..., None, None] * slope
    by_fault = calibration.columns(np.swapaxes(pull.slope, -1, -2) @ weighted)
    columns = np.concatenate([(pull.gradient + drawn)[..., None], np.moveaxis(by_fault, 1, -1)], -1)
    wrenches = twists.of_joints(skeleton, posed, pull.weight + held, columns)
    for other in others:
        if not other.from_root:
            wrenches.weight[:] += other.weight
            wrenches.pull[..., :1] += other.pull
    hessian, gradients = twists.equations(skeleton, posed, wrenches)
    for other in others:
        if other.from_root:
            turned, drawn = twists.equations(skeleton, posed, other)
            hessian[:, 3:, 3:] += turned[:, 3:, 3:]
            gradients[:, 3:, :1] += drawn[:, 3:]
    inner = np.einsum("tvjak,tvjal->tvkl", weighted, slope)
    below = calibration.columns(np.einsum("tvjak,tvja->tvk", weighted, pull.residuals))
    border = Border(calibration.spread(gradients[..., 1:]), calibration.corner(inner))
    return Normal(hessian, gradients[..., 0], border, calibration.gradient(below, coefficients))


class Rest(NamedTuple):
    """What poses are likely before anything is seen: middle (B, 4) quaternions, and weights (B, 3, 3), the inverse
    covariance of a bone's turn away from it."""

    middle: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, skeleton: Skeleton, settings: Settings) -> Rest:
        """About the rest pose: bones swing freely and twist little. The root is free. Joints alone hardly show
        twist: this is what decides it."""
        along = skeleton.axes[:, :, None] * skeleton.axes[:, None, :]
        across = np.eye(3) - along
        weights = along / np.radians(settings.rest_twist_deg) ** 2
        weights = weights + across / np.radians(settings.rest_swing_deg) ** 2
        weights[0] = 0
        return cls(np.tile([1.0, 0, 0, 0], (len(weights), 1)), weights)

    def turns(self, state: State) -> np.ndarray:
        """(T, B, 3) rotation vectors away from the middle."""
        return rot.quat_to_rotvec(rot.quat_multiply(rot.quat_conjugate(self.middle), state.quats))

    def cost(self, state: State) -> float:
        turn = self.turns(state)
        return float(np.einsum("tbi,bij,tbj->", turn, self.weights, turn, optimize=True))


def add_rest(normal: Normal, rest: Rest, state: State) -> None:
    """Add the rest prior to the equations in place."""
    turn = rest.turns(state)
    slope = right_jacobian_inverse(turn)
    weighted = np.einsum("bij,tbjk->tbik", rest.weights, slope)
    gradient = np.einsum("tbik,tbi->tbk", weighted, turn)
    add_bones(normal, np.swapaxes(slope, -1, -2) @ weighted, gradient)


def add_bones(normal: Normal, hessian: np.ndarray, gradient: np.ndarray) -> None:
    """Add per-bone terms (T, B, 3, 3) and (T, B, 3) to the equations in place."""
    for bone in range(hessian.shape[1]):
        part = slice(3 + 3 * bone, 6 + 3 * bone)
        normal.hessian[:, part, part] += hessian[:, bone]
    normal.gradient[:, 3:] += gradient.reshape(len(gradient), -1)
