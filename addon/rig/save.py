# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write one scene of the session to a .blend of its own, atomically; the open file is not touched."""

from __future__ import annotations

from pathlib import Path

import bpy

from ...mocap import files


def write_scene(path: Path, scene: bpy.types.Scene) -> None:
    # Blender 5.2 crashes when it writes a scene whose view layers were never synchronised.
    for layer in scene.view_layers:
        layer.update()
    with files.atomic_path(path) as temporary:
        try:
            bpy.data.libraries.write(str(temporary), {scene}, fake_user=True, compress=True)
        except RuntimeError as error:
            raise OSError(None, str(error).strip()) from error
