# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joints a view shows: a ray from the camera must first meet the joint's own surface near it.

A joint lies inside the body, so its own surface may be in front of it by as much as the body is thick; a
marker lies on the skin, so nothing may be in front of it but the skin's own bending.
"""

from __future__ import annotations

import numpy as np
from mathutils import Vector

from ...mocap.layout import View
from ...mocap.skeleton import Skeleton
from .paint import strongest_bones
from .stage import Stage

SKIN = 0.015
"""How far in front of a marker, in heights, its own skin may lie: skin that blends between bones moves a little
against the bone that the marker is fixed to."""


class Visibility:
    """Prepared once for a stage: which bone each face belongs to, how thick the body is at each joint."""

    def __init__(self, stage: Stage):
        self.stage = stage
        skeleton = stage.info.skeleton
        self.face_bones = {mesh.name: _face_bones(mesh, skeleton) for mesh in stage.meshes}
        self.own_bones = [_own_bones(skeleton, index) for index in range(len(skeleton.joints))]
        self.reach = _reach(stage, self.own_bones)

    def visible(self, view: View, joints: np.ndarray, pixels: np.ndarray) -> np.ndarray:
        """(J,) bool for joints (J, 3) in the world whose pixels in the view are (J, 2)."""
        inside = ((pixels >= 0) & (pixels <= np.array(view.size))).all(1)
        origin = Vector(view.position)
        return np.array(
            [bool(inside[i]) and self._reached(origin, Vector(joint), i) for i, joint in enumerate(joints)]
        )

    def _reached(self, origin: Vector, joint: Vector, index: int) -> bool:
        towards = joint - origin
        hit, place, _, face, item, _ = self.stage.scene.ray_cast(
            self.stage.scene.view_layers[0].depsgraph, origin, towards.normalized()
        )
        if not hit:
            # Nothing in front: a joint outside the surface (a tip, a marker at the edge) against the backdrop.
            return True
        gap = towards.length - (place - origin).length
        if gap <= 0:
            return True
        if self.stage.info.skeleton.is_marker[index]:
            return gap < SKIN * self.stage.info.skeleton.height
        owner = self.face_bones[item.name][face] if item.name in self.face_bones else -1
        return owner in self.own_bones[index] and gap < self.reach[index]


def _face_bones(mesh, skeleton: Skeleton) -> np.ndarray:
    """(F,) the bone of each polygon's first vertex."""
    starts = np.empty(len(mesh.data.polygons), np.int32)
    mesh.data.polygons.foreach_get("loop_start", starts)
    corners = np.empty(len(mesh.data.loops), np.int32)
    mesh.data.loops.foreach_get("vertex_index", corners)
    return strongest_bones(mesh, skeleton)[corners[starts]]


def _own_bones(skeleton: Skeleton, index: int) -> set[int]:
    """The bone that carries the joint and, for a bone's head, the bones that start there."""
    joint = skeleton.joints[index]
    near = 0.02 * skeleton.height
    starting = {
        b
        for b, bone in enumerate(skeleton.bones)
        if np.linalg.norm(np.array(bone.head) - np.array(joint.point)) < near
    }
    return {joint.bone} | starting


def _reach(stage: Stage, own_bones: list[set[int]]) -> np.ndarray:
    """(J,) how far in front of the joint its own surface may lie: twice the rest distance to it."""
    skeleton = stage.info.skeleton
    points, bones = [], []
    for mesh in stage.meshes:
        flat = np.empty(len(mesh.data.vertices) * 3)
        mesh.data.vertices.foreach_get("co", flat)
        points.append(flat.reshape(-1, 3))
        bones.append(strongest_bones(mesh, skeleton))
    points, bones = np.concatenate(points), np.concatenate(bones)
    reach = np.empty(len(skeleton.joints))
    for index, joint in enumerate(skeleton.joints):
        own = points[np.isin(bones, list(own_bones[index]))]
        nearest = np.sort(np.linalg.norm((own if len(own) else points) - np.array(joint.point), axis=1))[:12]
        reach[index] = 2 * nearest.mean() + 0.02 * skeleton.height
    return reach
