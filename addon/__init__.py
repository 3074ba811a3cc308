# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that touches Blender. Imports nothing heavy: torch and its kin run as jobs elsewhere."""

from __future__ import annotations

import bpy

from . import operators


def register() -> None:
    for cls in operators.CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    for cls in reversed(operators.CLASSES):
        bpy.utils.unregister_class(cls)
