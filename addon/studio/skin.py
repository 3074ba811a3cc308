# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The skin as it is rendered: where it is in a pose, and a digest that tells it from another."""

from __future__ import annotations

import bpy
import numpy as np

from ...mocap import paint
from ..rig import skin as rig_skin
from .stage import Stage


def points(stage: Stage) -> np.ndarray:
    """(V, 3) every vertex of the stage's meshes as posed, world metres. Needs an updated stage."""
    depsgraph = stage.scene.view_layers[0].depsgraph
    return np.concatenate([_world(mesh.evaluated_get(depsgraph)) for mesh in stage.meshes])


def _world(mesh: bpy.types.Object) -> np.ndarray:
    matrix = np.array(mesh.matrix_world)
    return _coordinates(mesh.data) @ matrix[:3, :3].T + matrix[:3, 3]


def _coordinates(data: bpy.types.Mesh) -> np.ndarray:
    flat = np.empty(3 * len(data.vertices), np.float32)
    data.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3)


def digest(stage: Stage) -> str:
    """As the rig's own skin.npz has it, unless rigged.blend was changed since."""
    skeleton = stage.info.skeleton
    return paint.digest(rig_skin.read(stage.meshes, skeleton), skeleton)
