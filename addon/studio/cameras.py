# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender cameras that see exactly what the Layout's views say, whole or through a window of the panel."""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Matrix

from ...mocap.layout import Layout, View

SENSOR = 36.0
LEAST_WINDOW = 16
"""Blender renders no picture of less than 4 px; a creature outside the panel still gets one."""


class Window(NamedTuple):
    """A part of a panel in whole pixels; right and bottom are outside."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def size(self) -> tuple[int, int]:
        return self.right - self.left, self.bottom - self.top

    @property
    def slices(self) -> tuple[slice, slice]:
        """Where the window lies in an array of the panel's pixels."""
        return slice(self.top, self.bottom), slice(self.left, self.right)


def whole(view: View) -> Window:
    return Window(0, 0, *view.size)


def around(view: View, points: np.ndarray, margin: float) -> Window:
    """The smallest window that shows points (N, 3) of the world with ``margin`` pixels around them."""
    pixels = view.project(points)[0]
    low, high = _span(pixels[:, 0], view.size[0], margin), _span(pixels[:, 1], view.size[1], margin)
    return Window(low[0], high[0], low[1], high[1])


def _span(values: np.ndarray, size: int, margin: float) -> tuple[int, int]:
    low = int(np.clip(np.floor(values.min() - margin), 0, size - LEAST_WINDOW))
    return low, int(np.clip(np.ceil(values.max() + margin), low + LEAST_WINDOW, size))


def add(scene: bpy.types.Scene, layout: Layout) -> dict[str, bpy.types.Object]:
    return {view.name: _camera(scene, view) for view in layout.views}


def of_view(scene: bpy.types.Scene, layout: Layout, view: View) -> bpy.types.Object:
    """The scene's camera for ``view``, put where the layout says; all of them are added where it has none."""
    name = f"Anymove {view.name}"
    there = next((item for item in scene.objects if item.type == "CAMERA" and item.name == name), None)
    if there is None:
        return add(scene, layout)[view.name]
    _place(there, view)
    return there


def _camera(scene: bpy.types.Scene, view: View) -> bpy.types.Object:
    data = bpy.data.cameras.new(f"Anymove {view.name}")
    item = bpy.data.objects.new(data.name, data)
    _place(item, view)
    scene.collection.objects.link(item)
    return item


def _place(item: bpy.types.Object, view: View) -> None:
    data = item.data
    data.sensor_fit = "HORIZONTAL"
    data.sensor_width = SENSOR
    data.lens = view.focal * SENSOR / view.size[0]
    distance = float(np.linalg.norm(view.position))
    data.clip_start, data.clip_end = 0.05 * distance, 10 * distance
    # OpenCV's camera looks along +Z with Y down, Blender's along -Z with Y up.
    axes = view.R.T * np.array([1.0, -1.0, -1.0])
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = axes, view.position
    item.matrix_world = Matrix(matrix.tolist())


def aim(
    scene: bpy.types.Scene,
    camera: bpy.types.Object,
    view: View,
    window: Window,
    scale: int = 1,
    offset: tuple[float, float] = (0.0, 0.0),
) -> None:
    """Let the scene render ``window`` alone, ``scale`` times as fine, as if the panel's pixels lay ``offset``
    px further right and down. A lens and a shift, not a render border: that would still draw the whole."""
    width, height = window.size
    scene.render.resolution_x, scene.render.resolution_y = scale * width, scale * height
    scene.render.resolution_percentage = 100
    scene.camera = camera
    data = camera.data
    data.lens = view.focal * SENSOR / width
    centre = (window.left + width / 2 + offset[0], window.top + height / 2 + offset[1])
    data.shift_x = (centre[0] - view.size[0] / 2) / width
    data.shift_y = (view.size[1] / 2 - centre[1]) / width
