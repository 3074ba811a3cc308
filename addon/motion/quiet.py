# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What else moves the bones of a motion (constraints, drivers), and how it is kept quiet while the motion plays.

Constraints are switched off by keys inside the Action (their influence; their switch where a driver holds the
influence), so that they are back before and after the clip and under any other Action. Drivers of a bone's own
channels are muted, because no key reaches below them.
"""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np

from ...mocap.errors import BadInput
from . import curves

CHAINS = ("IK", "SPLINE_IK")
CHANNELS = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")


class Switch(NamedTuple):
    """A property of a constraint that must have ``off`` while the motion plays."""

    path: str
    """Data path from the object."""
    bone: str
    before: float
    off: float


def switches(rig: bpy.types.Object, bones: list[str], before: dict[str, float]) -> list[Switch]:
    """Constraints that pull on any of ``bones``. ``before`` knows the values of those that an earlier motion
    holds at the moment."""
    driven = {curve.data_path for curve in _drivers(rig)}
    found = []
    for bone in rig.pose.bones:
        for constraint in bone.constraints:
            if not _pulls(bone, constraint, set(bones)):
                continue
            path = constraint.path_from_id("influence")
            name, off = ("mute", 1.0) if path in driven else ("influence", 0.0)
            path = constraint.path_from_id(name)
            value = before.get(path, float(getattr(constraint, name)))
            found.append(Switch(path, bone.name, value, off))
    return found


def _pulls(bone: bpy.types.PoseBone, constraint: bpy.types.Constraint, bones: set[str]) -> bool:
    if constraint.mute and constraint.type not in CHAINS and bone.name not in bones:
        return False
    if bone.name in bones:
        return True
    if constraint.type not in CHAINS:
        return False
    return any(link.name in bones for link in chain(bone, constraint))


def chain(bone: bpy.types.PoseBone, constraint: bpy.types.Constraint) -> list[bpy.types.PoseBone]:
    """The bones that an IK or Spline IK constraint of ``bone`` turns."""
    links = [bone, *bone.parent_recursive]
    return links[: constraint.chain_count] if constraint.chain_count else links


def key(
    rig: bpy.types.Object, bag: bpy.types.ActionChannelbag, found: list[Switch], first: int, last: int
) -> None:
    """Off from ``first`` to ``last``, as it was before and after."""
    frames = np.array([first - 1, first, last + 1])
    for switch in found:
        values = np.array([switch.before, switch.off, switch.before])
        curves.curve(bag, switch.path, 0, switch.bone, frames, values, "CONSTANT")


def mute_drivers(rig: bpy.types.Object, bones: list[str]) -> list[list]:
    """Mute the drivers of these bones' own channels; return [path, index] of each. Raises BadInput where a
    library's driver cannot be muted."""
    starts = tuple(
        f"{rig.pose.bones[name].path_from_id()}.{channel}" for name in bones for channel in CHANNELS
    )
    muted = []
    for driver in _drivers(rig):
        if driver.mute or not driver.data_path.startswith(starts):
            continue
        if rig.override_library:
            raise BadInput(
                f"armature {rig.name}: a driver of its library moves {driver.data_path}; mute it in the library file, "
                "or apply to a local copy (Object > Relations > Make Local)"
            )
        driver.mute = True
        muted.append([driver.data_path, driver.array_index])
    return muted


def wake_drivers(rig: bpy.types.Object, muted: list[list]) -> None:
    wanted = {(path, index) for path, index in muted}
    for driver in _drivers(rig):
        if (driver.data_path, driver.array_index) in wanted:
            driver.mute = False


def _drivers(rig: bpy.types.Object) -> list[bpy.types.FCurve]:
    return list(rig.animation_data.drivers) if rig.animation_data else []
