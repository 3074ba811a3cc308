# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Put a motion on a rig of the user's as one slotted Action, and take it off again.

Nothing is overwritten: the action that was there is kept, rotation modes stay, and what must be quiet is
remembered on the new Action, from where ``remove`` puts everything back.
"""

from __future__ import annotations

import json
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Quaternion

from ...mocap.errors import BadInput
from ...mocap.motion import Motion
from ...mocap.skeleton import Skeleton
from . import binding, curves, quiet

RECORD = "anymove_before"
"""Custom property of our Actions: what was before, as JSON."""
STILL = 1e-7
"""A channel that changes less than this over the clip needs one key only."""


class Placing(NamedTuple):
    name: str
    first_frame: int = 1
    nla: bool = False
    """Leave the Action as a strip on an NLA track of its own."""


class Applied(NamedTuple):
    action: bpy.types.Action
    switched: int
    """Constraints that are off while the motion plays."""
    drivers: int
    """Drivers muted."""


def put(rig: bpy.types.Object, skeleton: Skeleton, motion: Motion, placing: Placing) -> Applied:
    """Raises BadInput before anything is changed: bones missing or elsewhere, a rig that cannot be animated."""
    bound = binding.bind(rig, skeleton)
    check_free(rig)
    own = binding.channels(rig, bound, binding.matrices(bound, motion.root, motion.quats))
    return write(rig, own, bound.bones, placing, motion.frames)


def write(
    rig: bpy.types.Object,
    own: dict[str, binding.BoneChannels],
    quietened: list[str],
    placing: Placing,
    frames: int,
) -> Applied:
    """One Action that holds ``own`` and keeps what pulls on the bones ``quietened`` off."""
    data = rig.animation_data_create()
    before = _Before.of(rig, list(own))
    found = quiet.switches(rig, quietened, before.switches)
    before.drivers = quiet.mute_drivers(rig, quietened)
    before.switches = {switch.path: switch.before for switch in found}
    action, slot, bag = curves.new_action(rig, placing.name)
    first, last = placing.first_frame, placing.first_frame + frames - 1
    for name, bone in own.items():
        _key_bone(bag, rig.pose.bones[name], bone, np.arange(frames) + first)
    quiet.key(rig, bag, found, first, last)
    action.use_frame_range, action.frame_start, action.frame_end = True, first, last
    action[RECORD] = json.dumps(before.__dict__)
    if data.action and not data.action.library:
        # Nobody would use it any more, and Blender does not save what nobody uses.
        data.action.use_fake_user = True
    data.action_influence, data.action_blend_type = 1.0, "REPLACE"
    curves.assign(data, action, slot)
    if placing.nla:
        _push_down(data, action, slot)
    return Applied(action, len(found), len(before.drivers))


def check_free(rig: bpy.types.Object) -> None:
    """Raises BadInput where an NLA strip is being tweaked."""
    if rig.animation_data and rig.animation_data.use_tweak_mode:
        raise BadInput(f"armature {rig.name}: an NLA strip is being tweaked; leave tweak mode (Tab) first")


def _key_bone(
    bag: bpy.types.ActionChannelbag,
    bone: bpy.types.PoseBone,
    own: binding.BoneChannels,
    frames: np.ndarray,
) -> None:
    turns = _in_mode(own.quats, bone.rotation_mode)
    name = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(
        bone.rotation_mode, "rotation_euler"
    )
    still = {name: turns, "location": own.location, "scale": np.ones((1, 3))}
    for channel, values in still.items():
        values = values if np.ptp(values, axis=0).max() > STILL else values[:1]
        curves.vector(bag, bone.path_from_id(channel), bone.name, frames[: len(values)], values)


def _in_mode(quats: np.ndarray, mode: str) -> np.ndarray:
    """(T, 4) quaternions as what the rotation mode keys, without flips or jumps."""
    if mode == "QUATERNION":
        return quats
    if mode == "AXIS_ANGLE":
        return _axis_angle(quats)
    out = [Quaternion(quats[0]).to_euler(mode)]
    for quat in quats[1:]:
        out.append(Quaternion(quat).to_euler(mode, out[-1]))
    return np.array([angles[:] for angles in out])


def _axis_angle(quats: np.ndarray) -> np.ndarray:
    """(T, 4): angle in radians and axis. The axis keeps its side; the angle goes through zero instead."""
    sine = np.linalg.norm(quats[:, 1:], axis=1)
    known = np.flatnonzero(sine > 1e-9)
    if not len(known):
        return np.tile([0.0, 0.0, 1.0, 0.0], (len(quats), 1))
    latest = known[np.maximum(np.searchsorted(known, np.arange(len(quats)), "right") - 1, 0)]
    axis = quats[latest, 1:] / sine[latest, None]
    turned = np.where((axis[1:] * axis[:-1]).sum(1) < 0, -1.0, 1.0)
    side = np.concatenate([[1.0], np.cumprod(turned)])
    half = np.unwrap(np.arctan2(side * sine, quats[:, 0]))
    return np.concatenate([2 * half[:, None], side[:, None] * axis], 1)


def _push_down(data: bpy.types.AnimData, action: bpy.types.Action, slot: bpy.types.ActionSlot) -> None:
    """The whole action, with the keys that switch constraints back, as a strip on top of all others."""
    start, end = (int(frame) for frame in action.curve_frame_range)
    track = data.nla_tracks.new()
    track.name = action.name
    strip = track.strips.new(action.name, start, action)
    strip.action_slot = slot
    strip.action_frame_start, strip.action_frame_end = start, end
    strip.frame_start, strip.frame_end = start, end
    data.action = None


class _Before:
    """What a rig had before a motion came onto it; every value fits in JSON."""

    def __init__(self) -> None:
        self.action = self.slot = ""
        self.influence, self.blend = 1.0, "REPLACE"
        self.pose: dict[str, list] = {}
        self.switches: dict[str, float] = {}
        self.drivers: list[list] = []

    @classmethod
    def of(cls, rig: bpy.types.Object, bones: list[str]) -> _Before:
        data, out = rig.animation_data, cls()
        out.pose = remembered(rig, bones)
        out.influence, out.blend = data.action_influence, data.action_blend_type
        if data.action:
            out.action = data.action.name_full
            out.slot = data.action_slot.identifier if data.action_slot else ""
        earlier = _ours(data)[0]
        if earlier:
            out.switches = json.loads(earlier[RECORD])["switches"]
        return out


def remembered(rig: bpy.types.Object, bones: list[str]) -> dict[str, list]:
    """Pose channels of some bones, for ``put_back``."""
    return {
        name: [list(getattr(rig.pose.bones[name], channel)) for channel in quiet.CHANNELS] for name in bones
    }


def put_back(rig: bpy.types.Object, pose: dict[str, list]) -> None:
    """Bones that are gone since need nothing."""
    for name in pose.keys() & rig.pose.bones.keys():
        for channel, values in zip(quiet.CHANNELS, pose[name]):
            setattr(rig.pose.bones[name], channel, values)


def remove(rig: bpy.types.Object) -> str:
    """Take the motion that was put on last off the rig and put back what was before; return the Action's name.
    The Action itself is kept. Raises BadInput where there is none."""
    data = rig.animation_data
    action, track = _ours(data)
    if action is None:
        raise BadInput(f"armature {rig.name}: there is no motion of Anymove's on it")
    before = json.loads(action[RECORD])
    action.use_fake_user = True
    if track:
        data.nla_tracks.remove(track)
    older = next((a for a in bpy.data.actions if a.name_full == before["action"]), None)
    data.action = older
    if older and before["slot"]:
        data.action_slot = older.slots[before["slot"]]
    data.action_influence, data.action_blend_type = before["influence"], before["blend"]
    for path, value in before["switches"].items():
        _set(rig, path, value)
    quiet.wake_drivers(rig, before["drivers"])
    put_back(rig, before["pose"])
    return action.name


def _ours(data: bpy.types.AnimData | None) -> tuple[bpy.types.Action | None, bpy.types.NlaTrack | None]:
    """The motion on top: the active action, else the highest NLA track with a strip of ours."""
    if data is None:
        return None, None
    if data.action and RECORD in data.action:
        return data.action, None
    for track in reversed(data.nla_tracks):
        for strip in track.strips:
            if strip.action and RECORD in strip.action:
                return strip.action, track
    return None, None


def _set(rig: bpy.types.Object, path: str, value: float) -> None:
    """A constraint that the user has removed since needs nothing."""
    holder, _, name = path.rpartition(".")
    try:
        item = rig.path_resolve(holder)
    except ValueError:
        return
    setattr(item, name, value if name == "influence" else bool(value))
