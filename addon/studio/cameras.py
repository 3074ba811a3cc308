# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender cameras that see exactly what the Layout's views say."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix

from ...mocap.layout import Layout, View

SENSOR = 36.0


def add(scene: bpy.types.Scene, layout: Layout) -> dict[str, bpy.types.Object]:
    return {view.name: _camera(scene, view) for view in layout.views}


def _camera(scene: bpy.types.Scene, view: View) -> bpy.types.Object:
    data = bpy.data.cameras.new(f"Anymove {view.name}")
    data.sensor_fit = "HORIZONTAL"
    data.sensor_width = SENSOR
    data.lens = view.focal * SENSOR / view.size[0]
    distance = float(np.linalg.norm(view.position))
    data.clip_start, data.clip_end = 0.05 * distance, 10 * distance
    item = bpy.data.objects.new(data.name, data)
    # OpenCV's camera looks along +Z with Y down, Blender's along -Z with Y up.
    axes = view.R.T * np.array([1.0, -1.0, -1.0])
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = axes, view.position
    item.matrix_world = Matrix(matrix.tolist())
    scene.collection.objects.link(item)
    return item
