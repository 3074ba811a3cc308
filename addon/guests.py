# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Data that is in the user's session only for a while, and goes again whatever it brought along."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import bpy

_NOT_OURS = {"shape_keys", "window_managers", "workspaces", "screens"}
"""Shape keys go with their meshes; the others are Blender's own."""


@contextlib.contextmanager
def visiting() -> Iterator[None]:
    """Remove every data-block that appears meanwhile (images, particles, fonts, libraries, ...); show the scene
    again that was shown."""
    window = bpy.context.window
    shown = window.scene
    before = {name: set(getattr(bpy.data, name)) for name in _collections()}
    try:
        yield
    finally:
        window.scene = shown
        for name, known in before.items():
            bpy.data.batch_remove([item for item in getattr(bpy.data, name) if item not in known])


def _collections() -> list[str]:
    """Names in bpy.data of all kinds of data. Objects first and scenes near the end: what uses goes before
    what is used, but objects must not be without a home for a moment; libraries last."""
    kinds = [
        prop.identifier
        for prop in bpy.data.bl_rna.properties
        if prop.type == "COLLECTION" and prop.identifier not in _NOT_OURS
    ]
    order = {"objects": 0, "scenes": 2, "libraries": 3}
    return sorted(kinds, key=lambda kind: order.get(kind, 1))
