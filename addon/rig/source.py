# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the rig in a scene: the armature, the meshes that go with it, its actions. Changes nothing."""

from __future__ import annotations

from typing import NamedTuple

import bpy

from ...mocap.errors import BadInput


class Source(NamedTuple):
    """A rig as the user has it."""

    armature: bpy.types.Object
    meshes: list[bpy.types.Object]
    """Meshes that go with the armature: deformed by it, or parented to it or to one of its bones."""
    actions: list[bpy.types.Action]


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
        raise BadInput(f"{where}: not a rig: there is no armature in it (tools/rig.sh fits one to a mesh)")
    found = {candidate: _meshes_of(scene, candidate) for candidate in candidates}
    usable = [candidate for candidate, meshes in found.items() if any(moves(m, candidate) for m in meshes)]
    if not usable:
        names = ", ".join(candidate.name for candidate in candidates)
        raise BadInput(
            f"{where}: no mesh is deformed by armature {names}; bind one (select the mesh, then the armature, "
            "Ctrl+P, With Automatic Weights)"
        )
    if len(usable) > 1:
        names = ", ".join(candidate.name for candidate in usable)
        raise BadInput(
            f"{where}: several armatures deform meshes ({names}); keep one, or pass --armature NAME"
        )
    return Source(usable[0], found[usable[0]], _actions_of(usable[0], actions))


def named(scene: bpy.types.Scene, name: str, where: str) -> bpy.types.Object | None:
    """The armature of that name; None where no name is given. Raises BadInput where there is none."""
    if not name:
        return None
    item = scene.objects.get(name)
    if item is None or item.type != "ARMATURE":
        names = ", ".join(o.name for o in scene.objects if o.type == "ARMATURE") or "none"
        raise BadInput(f"{where}: no armature {name!r} (there is: {names})")
    return item


def moves(item: bpy.types.Object, armature: bpy.types.Object) -> bool:
    """True where the armature's bones move the mesh: by a modifier, or as parent."""
    modifiers = [m for m in item.modifiers if m.type == "ARMATURE" and m.object == armature]
    return any(len(item.vertex_groups) or m.use_bone_envelopes for m in modifiers) or bool(
        bone_parent(item, armature)
    )


def bone_parent(item: bpy.types.Object, armature: bpy.types.Object) -> str:
    """The bone that the object, or an object above it, is parented to; empty where there is none."""
    walk = item
    while walk is not None and walk.parent is not armature:
        walk = walk.parent
    return walk.parent_bone if walk is not None and walk.parent_type == "BONE" else ""


def _meshes_of(scene: bpy.types.Scene, armature: bpy.types.Object) -> list[bpy.types.Object]:
    """Sorted as the scene has them; bone shapes and what is hidden from renders are not the creature."""
    shapes = {bone.custom_shape for bone in armature.pose.bones}
    return [
        item
        for item in scene.objects
        if item.type == "MESH"
        and item not in shapes
        and not item.hide_render
        and len(item.data.polygons)
        and (_modified(item, armature) or _under(item, armature))
    ]


def _modified(item: bpy.types.Object, armature: bpy.types.Object) -> bool:
    return any(m.type == "ARMATURE" and m.object == armature for m in item.modifiers)


def _under(item: bpy.types.Object, armature: bpy.types.Object) -> bool:
    walk = item.parent
    while walk is not None and walk is not armature:
        walk = walk.parent
    return walk is armature


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
