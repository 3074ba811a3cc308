# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""scipy's robust nonlinear least squares on every frame by itself, started from the frame before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import optimize

from mocap import rotations as rot
from mocap.detections import Detections
from mocap.rig_info import RigInfo
from mocap.skeleton import Skeleton
from mocap.solve import Settings
from mocap.solve.initialise import fit_bones
from mocap.solve.kinematics import State, right_jacobian_inverse
from mocap.solve.observations import Observations, observe

from .points import joint_points

REST_DEG = 60.0
"""Standard deviation of a rotation away from rest: what no reading shows stays near it."""
_EVALUATIONS = 15
"""A frame converges in five to ten from its neighbour."""


def least_squares(info: RigInfo, detections: Detections) -> State:
    """Joints and markers alike, reprojection under a soft L1 loss and a weak rest prior."""
    skeleton = info.skeleton
    seen = observe(detections, Settings(), skeleton)
    start = fit_bones(skeleton.bare, joint_points(info, detections, 5))
    roots, quats = [], []
    at = start.frames(0, 1)
    for frame in range(detections.frames):
        # The root comes from triangulation: a creature may walk far in one frame, its joints turn little.
        at = State(start.root[frame : frame + 1], at.quats)
        at = solve_frame(Frame(skeleton, seen.frames(frame, frame + 1), at))
        roots.append(at.root[0])
        quats.append(at.quats[0])
    return State(np.array(roots), np.array(quats))


@dataclass(frozen=True)
class Frame:
    """One frame's problem in steps (3 + 3 B,) away from ``start``: metres of the root, then each bone's turn."""

    skeleton: Skeleton
    seen: Observations
    start: State

    def moved(self, step: np.ndarray) -> State:
        turns = rot.rotvec_to_quat(step[None, 3:].reshape(1, -1, 3))
        quats = rot.quat_normalize(rot.quat_multiply(self.start.quats, turns))
        return State(self.start.root + step[:3], quats)

    def residuals(self, step: np.ndarray) -> np.ndarray:
        """Reprojection in standard deviations, then the rest prior's."""
        state = self.moved(step)
        pixels, _ = self.seen.cameras.project(self.skeleton.pose(*state).joints)
        missed = (pixels - self.seen.positions)[self.seen.read] * self._worth
        return np.append(missed.ravel(), rot.quat_to_rotvec(state.quats[0]).ravel() / np.radians(REST_DEG))

    @property
    def _worth(self) -> np.ndarray:
        worth = np.sqrt(self.seen.weights) / self.seen.scale[None, :, None]
        return worth[self.seen.read][:, None]

    def jacobian(self, step: np.ndarray) -> np.ndarray:
        """(residuals, 3 + 3 B). A turn d of bone b moves joint k by (D_b R0_b d) x (x_k - x_b)."""
        skeleton, state = self.skeleton, self.moved(step)
        posed = skeleton.pose(*state)
        arms = posed.joints[0][:, None] - posed.heads[0][None]
        by_turn = -rot.hat(arms) @ (posed.turns[0] @ skeleton.rest)
        by_turn *= skeleton.ancestors[skeleton.joint_bones][..., None, None]
        # A step is applied as exp(d), so moving d turns the bone by the right Jacobian of it.
        right = np.linalg.inv(right_jacobian_inverse(step[3:].reshape(-1, 3)))
        by_turn = by_turn @ right
        moves = np.concatenate([np.tile(np.eye(3), (len(arms), 1, 1)), _flat(by_turn)], 2)
        pixels = self.seen.cameras.jacobian(posed.joints)[0] @ moves
        upper = (pixels[self.seen.read[0]] * self._worth[..., None]).reshape(-1, len(step))
        away = rot.quat_to_rotvec(state.quats[0])
        blocks = right_jacobian_inverse(away) @ right / np.radians(REST_DEG)
        lower = np.zeros((3 * len(away), len(step)))
        for bone, block in enumerate(blocks):
            lower[3 * bone : 3 * bone + 3, 3 + 3 * bone : 6 + 3 * bone] = block
        return np.concatenate([upper, lower])


def _flat(by_turn: np.ndarray) -> np.ndarray:
    """(J, B, 3, 3) -> (J, 3, 3 B)."""
    return by_turn.transpose(0, 2, 1, 3).reshape(len(by_turn), 3, -1)


def solve_frame(frame: Frame) -> State:
    found = optimize.least_squares(
        frame.residuals,
        np.zeros(frame.start.width),
        frame.jacobian,
        loss="soft_l1",
        f_scale=1.5,
        max_nfev=_EVALUATIONS,
        ftol=1e-4,
    )
    return frame.moved(found.x)
