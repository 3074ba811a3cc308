# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Show what came out of a step: pictures and films in the Image Editor, reports in the web browser."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.props import StringProperty

from ...mocap import files
from ..report import Operator

IN_BROWSER = (".html",)


class ANYMOVE_OT_show_picture(Operator):
    """Open it in an Image Editor (a window of its own where none is on screen), a report in the web browser"""

    bl_idname = "anymove.show_picture"
    bl_label = "Show"

    filepath: StringProperty(name="File", description="Picture, film or report", subtype="FILE_PATH")

    def act(self, context: bpy.types.Context) -> str:
        path = files.existing_file(self.filepath, "picture")
        if path.suffix in IN_BROWSER:
            bpy.ops.wm.url_open(url=path.absolute().as_uri())
            return f"{path}: opened in the web browser"
        image = load(path)
        area = area_for(context, "IMAGE_EDITOR")
        if area is not None:
            space = area.spaces.active
            space.image = image
            space.image_user.use_auto_refresh = True
            space.image_user.frame_duration = max(1, image.frame_duration)
            # A new area has no size before it is drawn: fitted a moment later.
            bpy.app.timers.register(lambda: _fit(path), first_interval=0.2)
        return f"{path.name}: {image.size[0]}x{image.size[1]}"


def _fit(path: Path) -> None:
    """Show the whole picture wherever it is open."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            image = area.spaces.active.image if area.type == "IMAGE_EDITOR" else None
            if image is None or Path(bpy.path.abspath(image.filepath)) != path:
                continue
            region = next(region for region in area.regions if region.type == "WINDOW")
            with bpy.context.temp_override(window=window, area=area, region=region):
                bpy.ops.image.view_all(fit_view=True)


def load(path: Path) -> bpy.types.Image:
    """As it is on disk now, also where it was shown before."""
    image = bpy.data.images.load(str(path), check_existing=True)
    image.reload()
    return image


def area_for(context: bpy.types.Context, kind: str) -> bpy.types.Area | None:
    """An area of ``kind``: one on screen, else in a new window; None without a window system."""
    if bpy.app.background:
        return None
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == kind:
                return area
    before = set(context.window_manager.windows)
    bpy.ops.wm.window_new()
    made = next(window for window in context.window_manager.windows if window not in before)
    area = max(made.screen.areas, key=lambda area: area.width * area.height)
    area.type = kind
    return area
