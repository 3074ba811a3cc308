# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where an adopted rig is kept, and how it is written: all of it or none of it."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import bpy

from ...mocap import files
from ...mocap.errors import BadInput
from ...mocap.rig_info import RigInfo
from . import skin
from .adopt import Adopted
from .save import write_scene

SCENE = "Anymove Rig"


@contextlib.contextmanager
def workbench(name: str) -> Iterator[bpy.types.Scene]:
    """A scene to build in; it, its objects and the actions made meanwhile are removed afterwards."""
    actions = set(bpy.data.actions)
    scene = bpy.data.scenes.new(name)
    try:
        yield scene
    finally:
        data = [item.data for item in scene.objects if item.data]
        bpy.data.batch_remove(list(scene.objects))
        bpy.data.batch_remove([item for item in data if item.users == 0])
        bpy.data.batch_remove([made for made in bpy.data.actions if made not in actions])
        bpy.data.scenes.remove(scene)


def check_free(folder: Path, source_digest: str, replace: bool) -> bool:
    """True where the rig must be made; False where folder already holds it. Raises BadInput where
    another rig is there and must not be lost."""
    info_path = folder / "rig_info.json"
    if not info_path.exists():
        return True
    if replace:
        return True
    known = RigInfo.load(info_path).source
    if known.get("digest") == source_digest:
        return False
    raise BadInput(
        f"{folder}: holds another rig (from {known.get('file')}); pass --replace to put this one in its "
        "place, the old one is kept beside it"
    )


def save(folder: Path, scene: bpy.types.Scene, adopted: Adopted, source: dict) -> Path | None:
    """Write rigged.blend, rig_info.json, skin.npz and clips/ into folder at once. Returns where an older rig that
    was there went, None where there was none."""
    info = adopted.info
    info = RigInfo(info.skeleton, info.layout, info.height_cm, info.clips, {**source, **info.source})
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise files.write_error(folder, error) from error
    try:
        made.chmod(0o755)
        for name, motion in adopted.clips.items():
            motion.save(made / "clips" / f"{name}.json")
        write_scene(made / "rigged.blend", scene)
        skin.read(adopted.meshes, info.skeleton).save(made / "skin.npz")
        info.save(made / "rig_info.json")
        return _swap(folder, made)
    except OSError as error:
        raise files.write_error(folder, error) from error
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _swap(folder: Path, made: Path) -> Path | None:
    older = None
    if folder.exists():
        number = 1
        while (older := folder.with_name(f"{folder.name}.{number}")).exists():
            number += 1
        folder.rename(older)
    made.rename(folder)
    return older
