# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Esc over a 3D view cancels the running job. A keymap item, not a modal operator: those keep Blender from saving
automatically as long as they run."""

from __future__ import annotations

import bpy

_items: list[tuple[bpy.types.KeyMap, bpy.types.KeyMapItem]] = []


def register() -> None:
    config = bpy.context.window_manager.keyconfigs.addon
    if config is None:
        return
    keymap = config.keymaps.new(name="3D View", space_type="VIEW_3D")
    _items.append((keymap, keymap.keymap_items.new("anymove.cancel_job", "ESC", "PRESS")))


def unregister() -> None:
    for keymap, item in _items:
        keymap.keymap_items.remove(item)
    _items.clear()
