# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Slotted Actions and their F-curves, written in bulk; the same on Blender 4.5 to 5.2."""

from __future__ import annotations

import bpy
import numpy as np
from bpy_extras import anim_utils


def new_action(
    owner: bpy.types.Object, name: str
) -> tuple[bpy.types.Action, bpy.types.ActionSlot, bpy.types.ActionChannelbag]:
    """A new action with one slot for ``owner``, and the slot's channels. It is not assigned yet."""
    action = bpy.data.actions.new(name)
    slot = action.slots.new(id_type=owner.id_type, name=owner.name)
    return action, slot, channelbag(action, slot)


def channelbag(action: bpy.types.Action, slot: bpy.types.ActionSlot) -> bpy.types.ActionChannelbag:
    """The slot's channels, made where there are none."""
    if hasattr(anim_utils, "action_ensure_channelbag_for_slot"):
        return anim_utils.action_ensure_channelbag_for_slot(action, slot)
    # Blender 4.5 has the layered action but not the helper.
    layer = action.layers[0] if action.layers else action.layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True)


def assign(data: bpy.types.AnimData, action: bpy.types.Action, slot: bpy.types.ActionSlot) -> None:
    """An action that is assigned without its slot animates nothing and says nothing."""
    data.action = action
    data.action_slot = slot


def vector(
    bag: bpy.types.ActionChannelbag, path: str, group: str, frames: np.ndarray, values: np.ndarray
) -> None:
    """One curve for each column of ``values`` (T, N), a key at each of ``frames`` (T,)."""
    for axis in range(values.shape[1]):
        curve(bag, path, axis, group, frames, values[:, axis])


def curve(
    bag: bpy.types.ActionChannelbag,
    path: str,
    axis: int,
    group: str,
    frames: np.ndarray,
    values: np.ndarray,
    interpolation: str = "LINEAR",
) -> None:
    """frames (T,) and values (T,), in the property's own unit."""
    made = bag.fcurves.new(path, index=axis)
    made.group = bag.groups.get(group) or bag.groups.new(group)
    points = made.keyframe_points
    points.add(len(frames))
    points.foreach_set("co", np.stack([frames, values], 1).astype(np.float32).ravel())
    kind = bpy.types.Keyframe.bl_rna.properties["interpolation"].enum_items[interpolation].value
    points.foreach_set("interpolation", np.full(len(frames), kind, np.int32))
    made.update()
