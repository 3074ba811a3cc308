# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Automatic differentiation and LBFGS over the whole clip: what one writes in an afternoon with torch."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from mocap import rotations as rot
from mocap.detections import Detections
from mocap.rig_info import RigInfo
from mocap.skeleton import Skeleton
from mocap.solve import Settings
from mocap.solve.initialise import fit_bones
from mocap.solve.kinematics import State
from mocap.solve.observations import observe

from .points import joint_points

ITERATIONS = 150
REST_DEG = 60.0
TURN_DEG = 4.0
"""Standard deviation of a bone's angular acceleration, a frame squared: the best fixed value over several clips."""
SHIFT = 0.03
"""Of the root's acceleration, in heights."""
BEND = 1.5
"""Where the robust loss bends, in standard deviations of a reading."""


def lbfgs(info: RigInfo, detections: Detections) -> State:
    """Joints and markers, a soft L1 loss on the reprojection, a weak rest prior, and fixed smoothness."""
    skeleton = info.skeleton
    start = fit_bones(skeleton.bare, joint_points(info, detections, 5))
    clip = Clip(info, detections, start)
    root = torch.zeros(start.root.shape, dtype=torch.float64, requires_grad=True)
    turns = torch.zeros((*start.quats.shape[:2], 3), dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([root, turns], max_iter=ITERATIONS, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimiser.zero_grad()
        cost = clip.cost(root, turns)
        cost.backward()
        return cost

    optimiser.step(closure)
    return clip.state(root.detach().numpy(), turns.detach().numpy())


class Clip:
    """The cost of a whole clip in steps away from ``start``: root (T, 3) in heights, turns (T, B, 3) radians."""

    def __init__(self, info: RigInfo, detections: Detections, start: State) -> None:
        skeleton = info.skeleton
        seen = observe(detections, Settings(), skeleton)
        self.skeleton, self.start = skeleton, start
        self.first = torch.tensor(rot.quat_to_matrix(start.quats))
        self.root = torch.tensor(start.root)
        self.rest, self.heads, self.points = map(
            torch.tensor, (skeleton.rest, skeleton.heads, skeleton.joint_points)
        )
        self.positions = torch.tensor(np.where(seen.read[..., None], seen.positions, 0.0))
        self.worth = torch.tensor(seen.weights / seen.scale[None, :, None] ** 2)
        self.cameras = [torch.tensor(view.matrix) for view in info.layout.views]

    def state(self, root: np.ndarray, turns: np.ndarray) -> State:
        quats = rot.quat_multiply(self.start.quats, rot.rotvec_to_quat(turns))
        return State(self.start.root + root * self.skeleton.height, rot.quat_normalize(quats))

    def cost(self, root: Tensor, turns: Tensor) -> Tensor:
        local = self.first @ exp_so3(turns)
        place = self.root + root * self.skeleton.height
        joints = posed(self.skeleton, self.rest, self.heads, self.points, place, local)
        pixels = torch.stack([project(camera, joints) for camera in self.cameras], 1)
        squared = self.worth * (pixels - self.positions).square().sum(-1)
        missed = 2 * BEND**2 * ((1 + squared / BEND**2).sqrt() - 1)
        # 2 (1 - cos) is the squared angle, for small ones, and has a derivative everywhere.
        away = 3 - local.diagonal(dim1=-2, dim2=-1).sum(-1)
        cost = missed.sum() + away.sum() / np.radians(REST_DEG) ** 2
        if len(place) > 2:
            bend = local[2:] - 2 * local[1:-1] + local[:-2]
            shift = place[2:] - 2 * place[1:-1] + place[:-2]
            # A rotation by a small angle changes its matrix by sqrt(2) times that.
            cost = cost + bend.square().sum() / 2 / np.radians(TURN_DEG) ** 2
            cost = cost + shift.square().sum() / (SHIFT * self.skeleton.height) ** 2
        return cost


def posed(
    skeleton: Skeleton, rest: Tensor, heads: Tensor, points: Tensor, root: Tensor, local: Tensor
) -> Tensor:
    """(T, J, 3) joints; mocap.skeleton's forward kinematics. local (T, B, 3, 3)."""
    away = rest @ local @ rest.transpose(-1, -2)
    turns, places = [away[:, 0]], [root]
    for bone, parent in enumerate(skeleton.parents.tolist()):
        if bone:
            places.append(places[parent] + turns[parent] @ (heads[bone] - heads[parent]))
            turns.append(turns[parent] @ away[:, bone])
    bones = torch.tensor(skeleton.joint_bones)
    turn, place = torch.stack(turns, 1)[:, bones], torch.stack(places, 1)[:, bones]
    return place + (turn @ (points - heads[bones])[..., None])[..., 0]


def project(camera: Tensor, joints: Tensor) -> Tensor:
    """camera (3, 4), joints (T, J, 3) -> (T, J, 2) panel pixels."""
    seen = joints @ camera[:, :3].T + camera[:, 3]
    return seen[..., :2] / seen[..., 2:]


def exp_so3(v: Tensor) -> Tensor:
    """(..., 3) -> (..., 3, 3), Rodrigues' formula; differentiable at zero, too."""
    angle2 = (v * v).sum(-1)[..., None, None]
    small = angle2 < 1e-8
    angle = torch.where(small, torch.ones_like(angle2), angle2).sqrt()
    a = torch.where(small, 1 - angle2 / 6, angle.sin() / angle)
    b = torch.where(small, 0.5 - angle2 / 24, (1 - angle.cos()) / angle**2)
    k = torch.zeros(*v.shape, 3, dtype=v.dtype)
    k[..., 2, 1], k[..., 0, 2], k[..., 1, 0] = v[..., 0], v[..., 1], v[..., 2]
    k = k - k.transpose(-1, -2)
    return torch.eye(3, dtype=v.dtype) + a * k + b * (k @ k)
