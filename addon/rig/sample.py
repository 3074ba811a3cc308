# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read where the source armature's bones are: at rest, and through each of its own clips.

May pose the source armature and switch its action; puts back the action, the pose and every muted
constraint. Bone matrices are read in the source's world.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import NamedTuple

import bpy
import numpy as np

from .source import Source


class BoneTracks(NamedTuple):
    """Bones (all N of the armature, in its order) over T frames, in the source's world."""

    heads: np.ndarray
    """(T, N, 3)"""
    turns: np.ndarray
    """(T, N, 3, 3) orthonormal orientations (Blender's pose matrix without scale and shear)."""
    fps: float


def rest(source: Source) -> BoneTracks:
    """The rest pose as one frame."""
    world = np.array(source.armature.matrix_world)
    matrices = np.array([world @ np.array(bone.matrix_local) for bone in source.armature.data.bones])
    return BoneTracks(matrices[None, :, :3, 3], orthonormal(matrices[None, :, :3, :3]), 0.0)


def orthonormal(matrices: np.ndarray) -> np.ndarray:
    """Nearest rotations to (..., 3, 3) matrices. Columns are normalised first: an armature scaled by 100
    would otherwise lose its small axes to rounding in the SVD."""
    columns = matrices / np.maximum(np.linalg.norm(matrices, axis=-2, keepdims=True), 1e-30)
    u, _, vt = np.linalg.svd(columns)
    sign = np.sign(np.linalg.det(u @ vt))
    u = u * np.stack([np.ones_like(sign), np.ones_like(sign), sign], -1)[..., None, :]
    return u @ vt


def clips(source: Source) -> dict[str, BoneTracks]:
    """Every action of the rig, sampled at whole frames, by a short name."""
    names = _short_names([action.name for action in source.actions])
    with _only_action_drives(source.armature) as play:
        return {names[action.name]: _sample(source.armature, action, play) for action in source.actions}


def _short_names(names: list[str]) -> dict[str, str]:
    """Drop what importers put before the name ("Armature|Walk") where the rest stays unique and usable
    as a file name."""
    clean = lambda text: "".join(c if c.isalnum() or c in "-_. " else "_" for c in text).strip() or "clip"  # noqa: E731
    short = {name: clean(name.split("|")[-1]) for name in names}
    if len(set(short.values())) < len(names):
        short = {name: clean(name) for name in names}
    return short


@contextlib.contextmanager
def _only_action_drives(armature: bpy.types.Object) -> Iterator[bpy.types.AnimData]:
    """Let one action at a time drive the armature: NLA tracks muted; all restored at the end."""
    scene = bpy.context.scene
    data = armature.animation_data_create()
    action, slot, frame = data.action, data.action_slot, scene.frame_current_final
    tracks = {track.name: track.mute for track in data.nla_tracks}
    bases = {bone.name: bone.matrix_basis.copy() for bone in armature.pose.bones}
    pose_position = armature.data.pose_position
    try:
        armature.data.pose_position = "POSE"
        for track in data.nla_tracks:
            track.mute = True
        # Blender 4.5 poses nothing of a scene that came from a .blend before its depsgraph was asked for once.
        bpy.context.evaluated_depsgraph_get()
        yield data
    finally:
        data.action = action
        if action is not None and slot is not None:
            data.action_slot = slot
        for name, mute in tracks.items():
            data.nla_tracks[name].mute = mute
        scene.frame_set(int(frame), subframe=frame - int(frame))
        for name, basis in bases.items():
            armature.pose.bones[name].matrix_basis = basis
        armature.data.pose_position = pose_position


def _sample(armature: bpy.types.Object, action: bpy.types.Action, data: bpy.types.AnimData) -> BoneTracks:
    scene = bpy.context.scene
    # Channels without keys keep the previous clip's pose: start each clip from rest.
    for bone in armature.pose.bones:
        bone.matrix_basis.identity()
    data.action = action
    if action.slots:
        data.action_slot = next((s for s in action.slots if s.target_id_type == "OBJECT"), action.slots[0])
    first, last = int(np.floor(action.frame_range[0])), int(np.floor(action.frame_range[1] + 1e-3))
    heads, turns = [], []
    for frame in range(first, last + 1):
        scene.frame_set(frame)
        world = np.array(armature.matrix_world)
        matrices = np.array([world @ np.array(bone.matrix) for bone in armature.pose.bones])
        heads.append(matrices[:, :3, 3])
        turns.append(matrices[:, :3, :3])
    fps = scene.render.fps / scene.render.fps_base
    return BoneTracks(np.array(heads), orthonormal(np.array(turns)), fps)
