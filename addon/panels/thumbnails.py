# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Small pictures of files, for panels. Blender loads them aside."""

from __future__ import annotations

from pathlib import Path

import bpy.utils.previews

from ..state.step import changed

SHOWN = (".png", ".jpg")
_pictures: bpy.utils.previews.ImagePreviewCollection | None = None
_shown: dict[Path, str] = {}


def icon(path: Path) -> int:
    """The icon that shows ``path`` as it is on disk now."""
    global _pictures
    if _pictures is None:
        _pictures = bpy.utils.previews.new()
    name = f"{path}@{changed(path)}"
    if _shown.get(path) != name:
        older = _shown.pop(path, None)
        if older:
            _pictures.pop(older)
        _pictures.load(name, str(path), "IMAGE")
        _shown[path] = name
    return _pictures[name].icon_id


def forget() -> None:
    global _pictures
    if _pictures is not None:
        bpy.utils.previews.remove(_pictures)
    _pictures = None
    _shown.clear()
