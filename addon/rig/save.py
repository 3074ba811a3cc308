# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write one scene of the session, or all of it, to a .blend of its own, atomically; the open file is not touched."""

from __future__ import annotations

from pathlib import Path

import bpy

from ...mocap import files
from ...mocap.errors import BadInput


def write_scene(path: Path, scene: bpy.types.Scene) -> None:
    # Blender 5.2 crashes when it writes a scene whose view layers were never synchronised.
    for layer in scene.view_layers:
        layer.update()
    with files.atomic_path(path) as temporary:
        try:
            bpy.data.libraries.write(str(temporary), {scene}, fake_user=True, compress=True)
        except RuntimeError as error:
            raise OSError(None, str(error).strip()) from error


def write_file(path: Path) -> None:
    """A copy of everything that is open."""
    if path.suffix != ".blend":
        raise BadInput(f"{path}: not the name of a Blender file; end it in .blend")
    with files.atomic_path(path) as temporary:
        try:
            bpy.ops.wm.save_as_mainfile(filepath=str(temporary), copy=True, compress=True)
        except RuntimeError as error:
            raise OSError(None, str(error).strip()) from error
