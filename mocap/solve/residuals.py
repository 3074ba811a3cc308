# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The reprojection and rest-pose terms: their cost, and their part of the normal equations.

Every cost here is a sum of squares without the usual half, gradients and Hessians are halved alike.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import rotations as rot
from ..skeleton import Skeleton
from .kinematics import State, joint_jacobian, right_jacobian_inverse
from .observations import Observations
from .settings import Settings

CHUNK = 120
"""Frames whose Jacobian is held at once."""


class Normal(NamedTuple):
    """Gauss-Newton's equations of T frames before coupling: hessian (T, n, n), gradient (T, n)."""

    hessian: np.ndarray
    gradient: np.ndarray


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
    projected, _ = observations.layout.project(joints)
    return (projected - observations.positions) / observations.scale[None, :, None, None]


def reprojection_cost(observations: Observations, joints: np.ndarray, robust: Robust) -> float:
    squared = (scaled_residuals(observations, joints) ** 2).sum(-1)
    return float((observations.weights * robust.cost(squared)).sum())


def reprojection_normal(
    skeleton: Skeleton, observations: Observations, state: State, robust: Robust
) -> Normal:
    """Robustly weighted Gauss-Newton terms. Each joint's views collapse to one 3x3 weight first, so the
    cost does not grow with the number of views."""
    frames, width = len(state.root), state.width
    normal = Normal(np.empty((frames, width, width)), np.empty((frames, width)))
    for start in range(0, frames, CHUNK):
        part = slice(start, min(start + CHUNK, frames))
        seen = observations.frames(part.start, part.stop)
        posed = skeleton.pose(state.root[part], state.quats[part])
        weight, pull = collapse_views(seen, posed.joints, robust)
        jacobian = joint_jacobian(skeleton, posed)
        root = np.linalg.cholesky(weight + 1e-9 * np.eye(3))
        rows = (np.swapaxes(root, -1, -2) @ jacobian).reshape(len(weight), -1, width)
        normal.hessian[part] = np.swapaxes(rows, -1, -2) @ rows
        flat = jacobian.reshape(len(weight), -1, width)
        normal.gradient[part] = (pull.reshape(len(weight), 1, -1) @ flat)[:, 0]
    return normal


def collapse_views(
    observations: Observations, joints: np.ndarray, robust: Robust
) -> tuple[np.ndarray, np.ndarray]:
    """Per joint, the views' summed weight (T, J, 3, 3) and gradient (T, J, 3) in world space."""
    residuals = scaled_residuals(observations, joints)
    weights = observations.weights * robust.weight((residuals**2).sum(-1))
    weight = np.zeros((*joints.shape, 3))
    pull = np.zeros(joints.shape)
    for v, view in enumerate(observations.layout.views):
        jacobian = view.project_jacobian(joints) / observations.scale[v]
        weighted = weights[:, v, :, None, None] * jacobian
        weight += np.swapaxes(jacobian, -1, -2) @ weighted
        pull += np.einsum("tjai,tja->tji", weighted, residuals[:, v])
    return weight, pull


def rest_weights(skeleton: Skeleton, settings: Settings) -> np.ndarray:
    """(B, 3, 3) inverse covariance of the rest prior on log Q: bones swing freely, twist little. The
    root has none. Joints alone hardly show twist: this is what decides it."""
    along = skeleton.axes[:, :, None] * skeleton.axes[:, None, :]
    across = np.eye(3) - along
    weights = along / np.radians(settings.rest_twist_deg) ** 2
    weights = weights + across / np.radians(settings.rest_swing_deg) ** 2
    weights[0] = 0
    return weights


def rest_cost(weights: np.ndarray, state: State) -> float:
    turn = rot.quat_to_rotvec(state.quats)
    return float(np.einsum("tbi,bij,tbj->", turn, weights, turn, optimize=True))


def add_rest(normal: Normal, weights: np.ndarray, state: State) -> None:
    """Add the rest prior to the equations in place."""
    turn = rot.quat_to_rotvec(state.quats)
    slope = right_jacobian_inverse(turn)
    weighted = np.einsum("bij,tbjk->tbik", weights, slope)
    gradient = np.einsum("tbik,tbi->tbk", weighted, turn)
    add_bones(normal, np.swapaxes(slope, -1, -2) @ weighted, gradient)


def add_bones(normal: Normal, hessian: np.ndarray, gradient: np.ndarray) -> None:
    """Add per-bone terms (T, B, 3, 3) and (T, B, 3) to the equations in place."""
    for bone in range(hessian.shape[1]):
        part = slice(3 + 3 * bone, 6 + 3 * bone)
        normal.hessian[:, part, part] += hessian[:, bone]
    normal.gradient[:, 3:] += gradient.reshape(len(gradient), -1)
