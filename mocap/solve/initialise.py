# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A first pose for every frame, in closed form: triangulate, bridge gaps, filter, fit bone by bone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.ndimage import median_filter

from .. import rotations as rot
from ..skeleton import Skeleton
from . import depths
from .kinematics import State
from .observations import Observations, height_px
from .settings import Settings
from .triangulate import triangulate

INCONSISTENT = 0.06
"""Two views that disagree by more than this share of the height are not believed at the start."""
_ROOT_WEIGHTS = (1.0, 0.3, 0.05)
"""How much a joint says about the root, by the number of bones between them (0, 1, more)."""


def initialise(skeleton: Skeleton, observations: Observations, settings: Settings) -> State:
    """The first state of T frames. From joints alone: a marker read from one side only is no point to start
    from, and its short lever turns a small error into a large rotation."""
    observations, skeleton = observations.joints(~skeleton.is_marker), skeleton.bare
    if len(observations.layout.views) > 1:
        points, error = triangulate(observations)
        tolerance = INCONSISTENT * float(height_px(skeleton, observations.layout).mean())
        points[error > tolerance] = np.nan
    else:
        points = depths.points(observations, skeleton)
    points = bridge(points)
    size = min(settings.median_frames, len(points))
    points = median_filter(points, size=(size, 1, 1), mode="nearest")
    return fit_bones(skeleton, points)


def bridge(points: np.ndarray) -> np.ndarray:
    """Fill NaN frames of each joint linearly in time; joints without any frame stay NaN. (T, J, 3)."""
    out = points.copy()
    times = np.arange(len(points))
    for joint in range(points.shape[1]):
        known = np.isfinite(points[:, joint, 0])
        if known.any() and not known.all():
            for axis in range(3):
                out[:, joint, axis] = np.interp(times, times[known], points[known, joint, axis])
    return out


def kabsch(source: np.ndarray, target: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Rotations that best turn ``source`` (N, 3) into ``target`` (T, N, 3), weights (N,) (Kabsch 1976)."""
    covariance = np.einsum("n,tni,nj->tij", weights, target, source)
    u, _, vt = np.linalg.svd(covariance)
    flip = np.ones(covariance.shape[:-1])
    flip[..., 2] = np.sign(np.linalg.det(u @ vt))
    return (u * flip[..., None, :]) @ vt


def shortest_turn(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Smallest rotations that turn directions ``start`` into ``end`` (T, 3), of any length."""
    axis = np.cross(start, end)
    sine = np.linalg.norm(axis, axis=-1, keepdims=True)
    angle = np.arctan2(sine, (start * end).sum(-1, keepdims=True))
    return rot.exp_so3(axis / np.maximum(sine, 1e-12) * angle)


class Handles(NamedTuple):
    """For one bone, the joints it carries away from its own head: (N,) and (N, 3) offsets at rest."""

    joints: np.ndarray
    offsets: np.ndarray


def anchors(skeleton: Skeleton) -> np.ndarray:
    """(J,) the lowest bone whose rotation moves each joint: a joint at its bone's head hangs on the
    parent, whichever of the two the rig says it belongs to."""
    at_head = np.linalg.norm(skeleton.joint_points - skeleton.heads[skeleton.joint_bones], axis=1)
    above = np.maximum(skeleton.parents[skeleton.joint_bones], 0)
    return np.where(at_head < 1e-4 * skeleton.height, above, skeleton.joint_bones)


def fit_bones(skeleton: Skeleton, points: np.ndarray) -> State:
    """Root by Kabsch over the joints near it, then each bone from the joints it carries, parents first.

    points (T, J, 3), world metres; joints that are NaN throughout are left out.
    """
    frames, bones = len(points), len(skeleton.bones)
    known = np.isfinite(points[..., 0]).all(0)
    anchor = anchors(skeleton)
    turns = np.empty((frames, bones, 3, 3))
    heads = np.empty((frames, bones, 3))
    quats = np.zeros((frames, bones, 4))
    turns[:, 0], heads[:, 0] = _fit_root(skeleton, points[:, known], anchor[known], known)
    for bone in range(bones):
        parent = skeleton.parents[bone]
        above = turns[:, parent] if bone else np.broadcast_to(np.eye(3), (frames, 3, 3))
        if bone:
            heads[:, bone] = heads[:, parent] + above @ (skeleton.heads[bone] - skeleton.heads[parent])
            chosen = np.flatnonzero((anchor == bone) & known)
            offsets = skeleton.joint_points[chosen] - skeleton.heads[bone]
            far = np.linalg.norm(offsets, axis=1) > 0.01 * skeleton.height
            handles = Handles(chosen[far], offsets[far])
            turns[:, bone] = _fit_bone(handles, points, heads[:, bone], above, skeleton.height)
        rest = skeleton.rest[bone]
        local = rest.T @ np.swapaxes(above, -1, -2) @ turns[:, bone] @ rest
        quats[:, bone] = rot.matrix_to_quat(local)
    return State(heads[:, 0].copy(), quats)


def _fit_root(
    skeleton: Skeleton, points: np.ndarray, anchor: np.ndarray, known: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    depth = skeleton.ancestors.sum(1) - 1
    weights = np.array(_ROOT_WEIGHTS)[np.minimum(depth[anchor], len(_ROOT_WEIGHTS) - 1)]
    weights = weights / weights.sum()
    rest = skeleton.joint_points[known]
    rest_middle = weights @ rest
    middle = np.einsum("n,tni->ti", weights, points)
    turn = kabsch(rest - rest_middle, points - middle[:, None], weights)
    return turn, middle + turn @ (skeleton.heads[0] - rest_middle)


def _fit_bone(
    handles: Handles, points: np.ndarray, head: np.ndarray, above: np.ndarray, height: float
) -> np.ndarray:
    """World turn (T, 3, 3) of one bone, its parent's where no joint tells."""
    if not len(handles.joints):
        return above
    arms = points[:, handles.joints] - head[:, None]
    spread = np.linalg.svd(handles.offsets, compute_uv=False)
    if len(spread) > 1 and spread[1] > 0.03 * height:
        return kabsch(handles.offsets, arms, np.ones(len(handles.joints)))
    longest = int(np.argmax(np.linalg.norm(handles.offsets, axis=1)))
    carried = above @ handles.offsets[longest]
    return shortest_turn(carried, arms[:, longest]) @ above
