# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""FABRIK (Aristidou & Lasenby, Graphical Models 2011) on every frame by itself, over the whole tree of bones.

Its points are the bones' heads and the joints at their tips. They start where they were triangulated; then each pass
runs from the tips, which stay where they were read, to the root and back, and restores the lengths. A point with
several children goes to the middle of where they want it, as in the paper's section 4.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mocap.detections import Detections
from mocap.rig_info import RigInfo
from mocap.skeleton import Skeleton
from mocap.solve.initialise import fit_bones
from mocap.solve.kinematics import State

from .points import joint_points

PASSES = 12


class Tree(NamedTuple):
    """N points: the B bones' heads, then the joints that are at no head. Parents come first."""

    parents: np.ndarray
    """(N,) -1 for the root."""
    lengths: np.ndarray
    """(N,) metres to the parent, fixed: both are points of one bone."""
    of_joint: np.ndarray
    """(J,) the point that each joint is."""

    @classmethod
    def of(cls, skeleton: Skeleton) -> Tree:
        points, parents = list(skeleton.heads), list(skeleton.parents)
        of_joint = []
        for point, bone in zip(skeleton.joint_points, skeleton.joint_bones):
            apart = np.linalg.norm(skeleton.heads - point, axis=1)
            if apart.min() < 1e-4 * skeleton.height:
                of_joint.append(int(apart.argmin()))
                continue
            of_joint.append(len(points))
            points.append(point)
            parents.append(int(bone))
        places, above = np.array(points), np.array(parents)
        lengths = np.linalg.norm(places - places[above], axis=1)
        lengths[above < 0] = 0
        return cls(above, lengths, np.array(of_joint))


def fabrik(info: RigInfo, detections: Detections) -> State:
    skeleton = info.skeleton.bare
    points = joint_points(info, detections)
    start = fit_bones(skeleton, points)
    tree = Tree.of(skeleton)
    posed = skeleton.pose(*start)
    wanted = np.empty((len(points), len(tree.parents), 3))
    wanted[:, : len(skeleton.bones)] = posed.heads
    known = np.isfinite(points[:1, :, :1])
    wanted[:, tree.of_joint] = np.where(known, points, posed.joints)
    return fit_bones(skeleton, reached(tree, wanted)[:, tree.of_joint])


def reached(tree: Tree, wanted: np.ndarray) -> np.ndarray:
    """(T, N, 3) points with the tree's lengths, as near to ``wanted`` as FABRIK takes them."""
    children = [np.flatnonzero(tree.parents == point) for point in range(len(tree.parents))]
    points = wanted.copy()
    for _ in range(PASSES):
        for point in reversed(range(len(children))):
            if not len(children[point]):
                points[:, point] = wanted[:, point]
                continue
            asked = [_at_length(points[:, c], points[:, point], tree.lengths[c]) for c in children[point]]
            points[:, point] = np.mean(asked, 0)
        points[:, tree.parents < 0] = wanted[:, tree.parents < 0]
        for point in np.flatnonzero(tree.parents >= 0):
            above = points[:, tree.parents[point]]
            points[:, point] = _at_length(above, points[:, point], tree.lengths[point])
    return points


def _at_length(start: np.ndarray, towards: np.ndarray, length: float) -> np.ndarray:
    """(T, 3) the points at ``length`` from ``start`` in the direction of ``towards``."""
    way = towards - start
    return start + way * (length / np.maximum(np.linalg.norm(way, axis=-1, keepdims=True), 1e-12))
