# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring a rig in from a file, or take the one in the open scene; never change either."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import bpy

from ...mocap.errors import BadInput

IMPORTERS = (".glb", ".gltf", ".fbx", ".blend")


class Source(NamedTuple):
    """A rig as the user has it."""

    armature: bpy.types.Object
    meshes: list[bpy.types.Object]
    """Meshes deformed by the armature."""
    actions: list[bpy.types.Action]


class Imported(NamedTuple):
    scene: bpy.types.Scene
    actions: list[bpy.types.Action]
    """Those that the file brought: the open file's own are not this rig's clips."""


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Imported]:
    """Import ``path`` into a scratch scene of the running session and remove what it brought afterwards.

    The open file, its scenes and its selection stay as they are. Raises BadInput.
    """
    if not path.is_file():
        raise BadInput(f"{path}: no such file (a rig: {', '.join(IMPORTERS)})")
    if path.suffix.lower() not in IMPORTERS:
        raise BadInput(
            f"{path}: {path.suffix or 'no suffix'} is not a rig format; use {', '.join(IMPORTERS)}"
        )
    before = {collection: set(getattr(bpy.data, collection)) for collection in _COLLECTIONS}
    window = bpy.context.window
    shown = window.scene
    scratch = bpy.data.scenes.new("Anymove Import")
    window.scene = scratch
    brought: list[bpy.types.ID] = []
    try:
        _import(path, scratch)
        for collection, known in before.items():
            brought += [item for item in getattr(bpy.data, collection) if item not in known]
        for item in brought:
            if isinstance(item, bpy.types.Action):
                # The clean rig's actions are to have the plain names ("Walk", not "Walk.001").
                item.name = f"source|{item.name.split('|')[-1]}"
        yield Imported(scratch, [item for item in brought if isinstance(item, bpy.types.Action)])
    finally:
        window.scene = shown
        bpy.data.batch_remove(brought)
        bpy.data.scenes.remove(scratch)


_COLLECTIONS = ("objects", "meshes", "armatures", "actions", "cameras", "lights", "collections")


def _import(path: Path, scene: bpy.types.Scene) -> None:
    suffix = path.suffix.lower()
    # The glTF importer logs its progress whatever it is told.
    silenced = logging.root.manager.disable
    logging.disable(logging.INFO)
    try:
        if suffix == ".blend":
            _append_objects(path, scene)
        elif suffix == ".fbx":
            bpy.ops.import_scene.fbx(filepath=str(path))
        else:
            bpy.ops.import_scene.gltf(filepath=str(path))
    except (RuntimeError, OSError) as error:
        raise BadInput(f"{path}: cannot be imported: {_last_line(error)}") from error
    finally:
        logging.disable(silenced)


def _append_objects(path: Path, scene: bpy.types.Scene) -> None:
    with bpy.data.libraries.load(str(path), link=False) as (stored, wanted):
        wanted.objects = stored.objects
        wanted.actions = stored.actions
    for item in wanted.objects:
        if item is not None:
            scene.collection.objects.link(item)


def _last_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1].removeprefix("Error: ") if lines else type(error).__name__


def find(
    scene: bpy.types.Scene,
    where: str,
    actions: list[bpy.types.Action],
    armature: bpy.types.Object | None = None,
) -> Source:
    """The armature (the only one that deforms a mesh, where none is given) and its meshes.

    Raises BadInput: no armature, no deformed mesh, or several candidates.
    """
    candidates = [armature] if armature else [o for o in scene.objects if o.type == "ARMATURE"]
    if not candidates:
        raise BadInput(f"{where}: not a rig: there is no armature in it")
    found = {candidate: _deformed_meshes(scene, candidate) for candidate in candidates}
    usable = [candidate for candidate, meshes in found.items() if meshes]
    if not usable:
        names = ", ".join(candidate.name for candidate in candidates)
        raise BadInput(
            f"{where}: no mesh is deformed by armature {names}; add an Armature modifier and vertex groups"
        )
    if len(usable) > 1:
        names = ", ".join(candidate.name for candidate in usable)
        raise BadInput(
            f"{where}: several armatures deform meshes ({names}); keep one, or pass --armature NAME"
        )
    return Source(usable[0], found[usable[0]], _actions_of(usable[0], actions))


def _deformed_meshes(scene: bpy.types.Scene, armature: bpy.types.Object) -> list[bpy.types.Object]:
    return [
        item
        for item in scene.objects
        if item.type == "MESH"
        and len(item.vertex_groups)
        and any(m.type == "ARMATURE" and m.object == armature for m in item.modifiers)
    ]


def _actions_of(armature: bpy.types.Object, actions: list[bpy.types.Action]) -> list[bpy.types.Action]:
    """Those of ``actions`` that animate this armature's pose bones."""
    names = {bone.name for bone in armature.data.bones}
    return [action for action in actions if names & _animated_bones(action)]


def _animated_bones(action: bpy.types.Action) -> set[str]:
    names = set()
    for layer in action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                for curve in bag.fcurves:
                    if curve.data_path.startswith('pose.bones["'):
                        names.add(curve.data_path.split('"')[1])
    return names
