# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joints a view shows: a ray from the camera must first meet the joint's own surface near it.

The rule is mocap/raster/visible.py's, which the rasteriser applies to its depth buffer.
"""

from __future__ import annotations

import numpy as np
from mathutils import Vector

from ...mocap.layout import View
from ...mocap.raster import visible as rules
from ..rig import skin as rig_skin
from .stage import Stage


class Visibility:
    """Prepared once for a stage: which bone each face belongs to, how thick the body is at each joint."""

    def __init__(self, stage: Stage):
        self.stage = stage
        skeleton = stage.info.skeleton
        kept = rig_skin.read(stage.meshes, skeleton)
        owner = rig_skin.split(stage.meshes, kept.owner)
        self.face_bones = {mesh.name: _face_bones(mesh, owner[mesh.name]) for mesh in stage.meshes}
        self.owners = rules.owners(skeleton)
        self.reach = rules.reach(skeleton, kept.points, kept.owner)

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
            return gap < self.reach[index]
        owner = self.face_bones[item.name][face] if item.name in self.face_bones else None
        return owner is not None and bool(self.owners[index, owner]) and gap < self.reach[index]


def _face_bones(mesh, owner: np.ndarray) -> np.ndarray:
    """(F,) the bone of each polygon's first vertex, from the vertices' (V,)."""
    starts = np.empty(len(mesh.data.polygons), np.int32)
    mesh.data.polygons.foreach_get("loop_start", starts)
    corners = np.empty(len(mesh.data.loops), np.int32)
    mesh.data.loops.foreach_get("vertex_index", corners)
    return owner[corners[starts]]
