# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the overlay after the scene, in every 3D view, for the creature that was brought in."""

from __future__ import annotations

from pathlib import Path

import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader

from .. import session
from ..operators.bring_in import paths_of
from . import lines
from .ghost import Ghost

LINE_WIDTH, POINT_SIZE = 2.0, 8.0
_handle = None
_ghost = Ghost()


def register() -> None:
    global _handle
    _handle = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")


def unregister() -> None:
    global _handle
    if _handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
    _handle = None


def _draw() -> None:
    context = bpy.context
    if not context.space_data.overlay.show_overlays:
        return
    for shape in shown(context):
        _draw_shape(shape)


def shown(context: bpy.types.Context) -> list[lines.Shape]:
    """What the settings ask for, about the active rig where it was brought in."""
    settings, rig = context.scene.anymove, context.object
    paths = paths_of(rig)
    if paths is None:
        return []
    road = session.watcher.road(paths.home)
    if road is None or road.info is None:
        return []
    skeleton, found = road.info.skeleton, []
    if settings.show_limits and context.mode == "POSE":
        chosen = [bone.name for bone in context.selected_pose_bones or ()]
        found += lines.limits(rig, skeleton, [name for name in chosen if name in skeleton.bone_names])
    if settings.show_joints:
        found.append(lines.joints(rig, skeleton))
    solved = Path(settings.motion_file) if settings.motion_file else road.motion.newest
    if settings.show_ghost and solved is not None:
        scene = context.scene
        seconds = (scene.frame_current - settings.start_frame) / (scene.render.fps / scene.render.fps_base)
        bones = _ghost.lines(solved, skeleton, road.info.digest, seconds)
        if bones is not None:
            found.append(lines.ghost(rig, bones))
    if settings.show_facing:
        found.append(lines.facing(rig, skeleton))
    return found


def _draw_shape(shape: lines.Shape) -> None:
    ends = shape.places.shape[1]
    points = shape.places.reshape(-1, 3).astype(np.float32)
    colours = np.repeat(shape.colours, ends, axis=0).astype(np.float32)
    gpu.state.blend_set("ALPHA")
    if ends == 1:
        gpu.state.point_size_set(POINT_SIZE)
        shader = gpu.shader.from_builtin("POINT_FLAT_COLOR")
        batch = batch_for_shader(shader, "POINTS", {"pos": points, "color": colours})
    else:
        shader = gpu.shader.from_builtin("POLYLINE_FLAT_COLOR")
        shader.bind()
        shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
        shader.uniform_float("lineWidth", LINE_WIDTH)
        batch = batch_for_shader(shader, "LINES", {"pos": points, "color": colours})
    batch.draw(shader)
    gpu.state.blend_set("NONE")
