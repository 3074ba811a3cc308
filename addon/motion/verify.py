# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read back, through Blender's own evaluation, how well a rig follows a motion."""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np

from ...mocap.motion import Motion
from ...mocap.skeleton import Skeleton
from . import binding

LOOKS = 3
"""Frames looked at where none are asked for: first, middle, last."""


class Off(NamedTuple):
    """How far joints are from the motion, in heights."""

    worst: float
    mean: float
    joint: str
    """The worst joint."""

    def about_controls(self) -> str:
        return (
            f"joints follow within {100 * self.mean:.2g}% of the height on average, {100 * self.worst:.2g}% at worst "
            f"({self.joint}), of first, middle and last frame"
        )

    def line(self) -> str:
        if self.worst < 1e-3:
            return f"joints within {100 * self.worst:.2g}% of the height"
        return (
            f"joint {self.joint} is {100 * self.worst:.2g}% of the height off: something else still moves it, "
            "or a connected bone cannot leave its parent"
        )


def off(
    scene: bpy.types.Scene,
    rig: bpy.types.Object,
    skeleton: Skeleton,
    motion: Motion,
    first_frame: int,
    frames: list[int] | None = None,
) -> Off:
    """``frames``: indices into the motion. The scene's frame is put back."""
    if frames is None:
        frames = sorted({int(i) for i in np.linspace(0, motion.frames - 1, LOOKS)})
    bound = binding.bind(rig, skeleton)
    wanted = bound.points(motion.joints(skeleton)[frames])
    seen = np.array(list(_played(scene, rig, bound, [first_frame + frame for frame in frames])))
    gap = np.linalg.norm(seen - wanted, axis=-1) / (bound.scale * skeleton.height)
    return Off(float(gap.max()), float(gap.mean()), skeleton.joint_names[int(gap.max(0).argmax())])


def _played(scene: bpy.types.Scene, rig: bpy.types.Object, bound: binding.Binding, frames: list[int]):
    """Yield the joints (J, 3) in armature space at each of ``frames``."""
    skeleton = bound.skeleton
    shown, part = scene.frame_current, scene.frame_subframe
    names = [skeleton.bone_names[bone] for bone in skeleton.joint_bones]
    place = [bound.bones.index(name) for name in names]
    local = np.einsum(
        "jki,jk->ji",
        bound.rest[place, :3, :3],
        bound.points(skeleton.joint_points) - bound.rest[place, :3, 3],
    )
    try:
        for frame in frames:
            scene.frame_set(frame)
            evaluated = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
            pose = np.array([np.array(evaluated.pose.bones[name].matrix) for name in names])
            yield pose[:, :3, 3] + np.einsum("jik,jk->ji", pose[:, :3, :3], local)
    finally:
        scene.frame_set(shown, subframe=part)
