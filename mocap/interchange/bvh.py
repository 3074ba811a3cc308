# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Biovision hierarchy (.bvh): Y up, facing +Z, centimetres; at rest all joints have the world's axes.

Own code, because a writer is these lines and needs no Blender; the packages that read BVH bring compiled
vector libraries of their own.
"""

from __future__ import annotations

import os

import numpy as np

from .. import files
from .. import rotations as rot
from ..errors import BadInput
from ..motion import Motion
from ..rig_info import RigInfo
from ..skeleton import Skeleton
from . import leaves

Y_UP = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
"""Our world (Z up, facing -Y) to BVH's."""
CHANNELS = "Zrotation Yrotation Xrotation"


def write(path: str | os.PathLike, info: RigInfo, motion: Motion, with_leaves: bool = True) -> None:
    """``with_leaves=False`` gives End Sites of no length, for programs that make bones of them."""
    skeleton = info.skeleton
    spaced = [name for name in skeleton.bone_names if any(c.isspace() for c in name)]
    if len({_word(name) for name in skeleton.bone_names}) < len(skeleton.bones):
        raise BadInput(
            f"{path}: BVH has no spaces in names, and without them two bones are one: {spaced[0]!r}"
        )
    lines = ["HIERARCHY", *_hierarchy(info, with_leaves), "MOTION"]
    lines += [f"Frames: {motion.frames}", f"Frame Time: {1 / motion.fps:.10g}"]
    table = _values(info, motion)
    lines += [" ".join(f"{value:.6f}" for value in row) for row in table]
    files.write_text(path, "\n".join(lines) + "\n")


def _word(name: str) -> str:
    return "_".join(name.split())


def order(skeleton: Skeleton) -> list[int]:
    """Bones as BVH lists them: depth first."""
    out: list[int] = []

    def visit(bone: int) -> None:
        out.append(bone)
        for child in np.flatnonzero(skeleton.parents == bone):
            visit(int(child))

    visit(0)
    return out


def _hierarchy(info: RigInfo, with_leaves: bool) -> list[str]:
    skeleton = info.skeleton
    scale = info.cm_per_metre
    heads, ends = skeleton.heads @ Y_UP.T * scale, leaves.ends(skeleton)
    depths = skeleton.ancestors.sum(1) - 1
    lines: list[str] = []
    open_at: list[int] = []
    for bone in order(skeleton):
        depth = int(depths[bone])
        while len(open_at) > depth:
            lines.append("\t" * (len(open_at) - 1) + "}")
            open_at.pop()
        tab, parent = "\t" * depth, skeleton.parents[bone]
        offset = heads[bone] - (heads[parent] if parent >= 0 else 0)
        kind, count = ("JOINT", "3") if parent >= 0 else ("ROOT", "6 Xposition Yposition Zposition")
        lines += [f"{tab}{kind} {_word(skeleton.bone_names[bone])}", f"{tab}{{"]
        lines += [f"{tab}\tOFFSET {_numbers(offset)}", f"{tab}\tCHANNELS {count} {CHANNELS}"]
        if bone in ends:
            end = (ends[bone] @ Y_UP.T * scale - heads[bone]) * with_leaves
            lines += [f"{tab}\tEnd Site", f"{tab}\t{{", f"{tab}\t\tOFFSET {_numbers(end)}", f"{tab}\t}}"]
        open_at.append(bone)
    return lines + ["\t" * level + "}" for level in reversed(range(len(open_at)))]


def _numbers(values: np.ndarray) -> str:
    return " ".join(f"{value:.6f}" for value in values)


def _values(info: RigInfo, motion: Motion) -> np.ndarray:
    """(T, 3 + 3 B): the root's place, cm, and each joint's Z, Y and X angle, degrees."""
    skeleton = info.skeleton
    away = Y_UP @ skeleton.rest @ rot.quat_to_matrix(motion.quats) @ np.swapaxes(Y_UP @ skeleton.rest, -1, -2)
    angles = np.degrees(rot.euler_continuous(rot.matrix_to_euler(away)))[:, order(skeleton), ::-1]
    root = motion.root @ Y_UP.T * info.cm_per_metre
    return np.concatenate([root, angles.reshape(motion.frames, -1)], 1)
