# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which armature an act is about, and a library override where it is linked."""

from __future__ import annotations

import bpy

from ...mocap.errors import BadInput


def armature(context: bpy.types.Context, name: str, make_override: bool) -> bpy.types.Object:
    """The armature called ``name``, else the active one or the only one that the active empty shows.

    Raises BadInput: none or several, or a linked one that is not to be overridden.
    """
    item = _named(context.scene, name) if name else context.object
    if item is None:
        raise BadInput("no armature is active: select the creature's armature, or name it")
    shown = item.instance_collection if item.type == "EMPTY" else None
    found = [o for o in shown.all_objects if o.type == "ARMATURE"] if shown else [item]
    if len(found) != 1 or found[0].type != "ARMATURE":
        raise BadInput(f"{item.name}: select one armature ({item.type.lower()} is selected)")
    rig = found[0]
    if rig.override_library:
        rig.override_library.is_system_override = False
        return rig
    if not rig.library:
        return rig
    if not make_override:
        raise BadInput(
            f"armature {rig.name}: it is linked and cannot be animated; make a library override of it "
            "(Object > Library Override > Make, or the option Make Override)"
        )
    return _overridden(context, rig, item if shown else None)


def _named(scene: bpy.types.Scene, name: str) -> bpy.types.Object:
    item = scene.objects.get(name)
    if item is None:
        there = ", ".join(o.name for o in scene.objects if o.type == "ARMATURE") or "none"
        raise BadInput(f"scene {scene.name}: no armature {name!r} (there is: {there})")
    return item


def _overridden(
    context: bpy.types.Context, rig: bpy.types.Object, empty: bpy.types.Object | None
) -> bpy.types.Object:
    """A fully editable override of the rig with its meshes, in the scene."""
    linked = [
        c for c in context.scene.collection.children_recursive if c.library and rig in set(c.all_objects)
    ]
    root = empty.instance_collection if empty else linked[0] if linked else rig
    root.override_hierarchy_create(context.scene, context.view_layer, reference=empty, do_fully_editable=True)
    made = [o for o in bpy.data.objects if o.override_library and o.override_library.reference == rig]
    made = [o for o in made if context.scene in o.users_scene]
    if not made:
        raise BadInput(
            f"armature {rig.name}: Blender cannot override it; make it local in a copy of the file"
        )
    for collection in linked:
        _hide(context.scene, collection)
    return made[0]


def _hide(scene: bpy.types.Scene, linked: bpy.types.Collection) -> None:
    """The override stands where the linked collection stood; both would show the creature twice."""
    for parent in (scene.collection, *scene.collection.children_recursive):
        if not parent.library and linked in set(parent.children):
            parent.children.unlink(linked)
