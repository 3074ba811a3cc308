# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring a file into the running session for a while; nothing that is open changes."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import bpy

from ...mocap.errors import BadInput
from .. import guests

IMPORTERS = (".glb", ".gltf", ".fbx", ".blend")


class Imported(NamedTuple):
    scene: bpy.types.Scene
    actions: list[bpy.types.Action]
    """Those that the file brought: the open file's own are not this rig's clips."""


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Imported]:
    """Import ``path`` into a scene of its own, shown while it lasts, and remove what it brought afterwards.

    The open file, its scenes and its selection stay as they are. Raises BadInput.
    """
    if not path.is_file():
        raise BadInput(f"{path}: no such file (a rig: {', '.join(IMPORTERS)})")
    if path.suffix.lower() not in IMPORTERS:
        raise BadInput(
            f"{path}: {path.suffix or 'no suffix'} is not a rig format; use {', '.join(IMPORTERS)}"
        )
    if bpy.data.filepath and path.resolve() == Path(bpy.data.filepath).resolve():
        raise BadInput(f"{path}: this file is open; select its armature and adopt that, or open another file")
    actions = set(bpy.data.actions)
    with guests.visiting():
        scene = _import(path, bpy.context.window)
        bpy.context.window.scene = scene
        brought = [action for action in bpy.data.actions if action not in actions]
        for action in brought:
            # The clean rig's actions are to have the plain names ("Walk", not "Walk.001").
            action.name = f"source|{action.name.split('|')[-1]}"
        yield Imported(scene, brought)


def _import(path: Path, window: bpy.types.Window) -> bpy.types.Scene:
    suffix = path.suffix.lower()
    # The glTF importer logs its progress whatever it is told.
    silenced = logging.root.manager.disable
    logging.disable(logging.INFO)
    try:
        if suffix == ".blend":
            return _append_scene(path)
        scene = bpy.data.scenes.new("Anymove Import")
        window.scene = scene
        if suffix == ".fbx":
            bpy.ops.import_scene.fbx(filepath=str(path))
        else:
            bpy.ops.import_scene.gltf(filepath=str(path))
        return scene
    except (RuntimeError, OSError) as error:
        raise BadInput(f"{path}: cannot be imported: {_last_line(error)}") from error
    finally:
        logging.disable(silenced)


def _append_scene(path: Path) -> bpy.types.Scene:
    """The file's scene that holds the most armatures, with its frame rate; a new one with all its objects
    where the file has no scene with an armature."""
    with bpy.data.libraries.load(str(path), link=False) as (stored, wanted):
        wanted.scenes = stored.scenes
        wanted.objects = stored.objects
        wanted.actions = stored.actions
    armatures = {
        scene: sum(item.type == "ARMATURE" for item in scene.objects) for scene in wanted.scenes if scene
    }
    best = max(armatures, key=armatures.get, default=None)
    if best is None or (not armatures[best] and any(o and o.type == "ARMATURE" for o in wanted.objects)):
        best = bpy.data.scenes.new("Anymove Import")
        for item in wanted.objects:
            if item is not None:
                best.collection.objects.link(item)
    _realise_instances(best)
    return best


def _realise_instances(scene: bpy.types.Scene) -> None:
    """Bring in what empties only show: a rig linked as a collection can be played only as objects. Where
    the scene has an override of it, that is the user's rig."""
    overridden = {o.override_library.reference for o in scene.objects if o.override_library}
    for empty in [o for o in scene.objects if o.instance_type == "COLLECTION" and o.instance_collection]:
        inner = empty.instance_collection
        armatures = {item for item in inner.all_objects if item.type == "ARMATURE"}
        if not armatures or armatures & overridden:
            continue
        scene.collection.children.link(inner)
        empty.instance_type = "NONE"


def _last_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1].removeprefix("Error: ") if lines else type(error).__name__
