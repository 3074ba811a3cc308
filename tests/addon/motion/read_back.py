# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read an exported file with Blender's importers and compare with the motion that was written."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import NamedTuple

import bpy
import numpy as np
from anymove.mocap.interchange import leaves
from anymove.mocap.motion import Motion
from anymove.mocap.rig_info import RigInfo


class Back(NamedTuple):
    fps: float
    frames: int
    missing: list[str]
    """Bones that did not come back under their name."""
    extra: list[str]
    """Bones that are neither the skeleton's nor ends."""
    head_error: float
    """Worst distance of a bone's head, in heights."""
    leaf_error: float
    """The same, of the ends of leaf bones; nan where the file has none."""
    meshes: int
    actions: list[str]


def read_back(path: Path, info: RigInfo, fps: float, motion: Motion | None = None) -> Back:
    """Empties Blender, imports ``path`` and plays it. Files that carry no rate are read at ``fps``."""
    motion = motion or Motion.load(path.with_suffix(".json"))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    if path.suffix == ".glb":
        # glTF counts in seconds, and the importer makes frames of them by the scene's rate.
        scene.render.fps, scene.render.fps_base = round(fps), round(fps) / fps
    with contextlib.redirect_stdout(io.StringIO()):
        _import(path)
    rig = next(o for o in scene.objects if o.type == "ARMATURE")
    if path.suffix.startswith(".usd"):
        _usd_names_and_rate(path, info, rig)
    skeleton, names = info.skeleton, {b.name for b in rig.data.bones}
    found = [n for n in skeleton.bone_names if n in names]
    ends = {leaf: at for leaf, at in leaves.ends(skeleton).items() if skeleton.bone_names[leaf] in names}
    named = [skeleton.bone_names[leaf] for leaf in ends]
    kept = path.suffix == ".bvh" or all(n + leaves.SUFFIX in names for n in named)
    times = _times(path, rig, scene)
    heads, tips = [], []
    for time in times:
        scene.frame_set(int(time), subframe=time - int(time))
        pose, world = rig.pose.bones, np.array(rig.matrix_world)
        heads.append([_at(world, pose[n].head) for n in found])
        if path.suffix == ".bvh":
            tips.append([_at(world, pose[n].tail) for n in named])
        elif kept:
            tips.append([_at(world, pose[n + leaves.SUFFIX].head) for n in named])
    scale = 1 / info.cm_per_metre if path.suffix == ".bvh" else 1.0
    posed = motion.pose(skeleton)
    index = [skeleton.bone_index(n) for n in found]
    count = min(len(heads), motion.frames)
    off = scale * np.array(heads)[:count] - posed.heads[:count, index]
    leaf_error = float("nan")
    if kept:
        bones = list(ends)
        arms = np.array([ends[b] for b in bones]) - skeleton.heads[bones]
        wanted = posed.heads[:count, bones] + np.einsum("tbij,bj->tbi", posed.turns[:count, bones], arms)
        leaf_error = _worst(scale * np.array(tips)[:count] - wanted, skeleton.height)
    return Back(
        scene.render.fps / scene.render.fps_base,
        len(times),
        [n for n in skeleton.bone_names if n not in names],
        sorted(names - set(found) - {n + leaves.SUFFIX for n in named}),
        _worst(off, skeleton.height),
        leaf_error,
        sum(o.type == "MESH" and not o.name.startswith("Icosphere") for o in scene.objects),
        sorted(a.name.split("|")[-1].removesuffix("_Anymove Rig") for a in bpy.data.actions),
    )


def _import(path: Path) -> None:
    if path.suffix == ".glb":
        bpy.ops.import_scene.gltf(filepath=str(path))
    elif path.suffix == ".fbx":
        bpy.ops.import_scene.fbx(filepath=str(path))
    elif path.suffix == ".bvh":
        bpy.ops.import_anim.bvh(filepath=str(path), update_scene_fps=True, rotate_mode="QUATERNION")
    else:
        bpy.ops.wm.usd_import(filepath=str(path))


def _usd_names_and_rate(path: Path, info: RigInfo, rig: bpy.types.Object) -> None:
    """USD's names have letters, digits and underscores only; its rate is the stage's,
    which the importer leaves and only .usda has as text."""
    if path.suffix == ".usda":
        text = path.read_text().split("timeCodesPerSecond = ")[1]
        rate, render = float(text.split()[0]), bpy.context.scene.render
        render.fps, render.fps_base = round(rate), round(rate) / rate
    for name in info.skeleton.bone_names:
        for suffix in ("", leaves.SUFFIX):
            plain = "".join(c if c.isalnum() else "_" for c in name + suffix)
            if plain in rig.data.bones:
                rig.data.bones[plain].name = name + suffix


def _times(path: Path, rig: bpy.types.Object, scene: bpy.types.Scene) -> list[float]:
    """Where the keys are: the rig's action's range; the scene's where the file keeps its motion elsewhere."""
    data = rig.animation_data
    first, last = data.action.frame_range if data and data.action else (scene.frame_start, scene.frame_end)
    # The FBX importer counts seconds by the scene's whole rate and forgets its divisor.
    step = scene.render.fps_base if path.suffix == ".fbx" else 1.0
    return [first + step * index for index in range(round((last - first) / step) + 1)]


def _at(world: np.ndarray, point) -> np.ndarray:
    return world[:3, :3] @ np.array(point) + world[:3, 3]


def _worst(off: np.ndarray, height: float) -> float:
    return float(np.linalg.norm(off, axis=-1).max() / height)
