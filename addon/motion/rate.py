# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames a second, exactly: Blender has a whole number and a divisor (29.97 is 30 / 1.001)."""

from __future__ import annotations

import bpy


def of(scene: bpy.types.Scene) -> float:
    """Frames a second of the scene."""
    return scene.render.fps / scene.render.fps_base


def put(scene: bpy.types.Scene, fps: float) -> None:
    whole = max(1, round(fps))
    scene.render.fps, scene.render.fps_base = whole, whole / fps
