# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that touches Blender. Imports nothing heavy: torch and its kin run as jobs elsewhere."""

from __future__ import annotations

import bpy

from . import keys, operators, panels, preferences, properties, session
from .jobs import clock
from .overlay import draw

CLASSES = (preferences.ANYMOVE_Preferences, *properties.CLASSES, *operators.CLASSES, *panels.CLASSES)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    properties.register()
    if not bpy.app.background:
        # Without a window nobody watches: scripts wait for what they start.
        session.begin()
        clock.start()
        keys.register()
        draw.register()


def unregister() -> None:
    if not bpy.app.background:
        draw.unregister()
        keys.unregister()
        clock.stop()
        session.end(preferences.leaves_jobs())
    panels.unregister()
    properties.unregister()
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
