# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion as a file for other programs. GLB, FBX and USD are written by Blender's own exporters from the staged rig,
which has this motion only; BVH and NPZ by ``mocap.interchange``."""

from __future__ import annotations

import contextlib
import io
import logging
from pathlib import Path
from typing import NamedTuple

import bpy

from ...mocap import files
from ...mocap.errors import AnymoveError, BadInput
from ...mocap.interchange import bvh, leaves, npz
from ...mocap.motion import Motion
from ..rig.edit_bones import editing
from ..studio.stage import Stage
from . import action, rate

FIRST_FRAME = 0
"""Formats that count in seconds begin at zero."""
PLAIN = (".bvh", ".npz")
SCENES = (".glb", ".fbx", ".usd", ".usda", ".usdc", ".usdz")


class Options(NamedTuple):
    name: str
    """The clip's name, where the format has one."""
    with_mesh: bool = True
    with_leaves: bool = True
    """End bones (``<bone>_end``) where bones without child end; End Sites in BVH."""


def check_path(path: Path) -> str:
    """The format, by the suffix. Raises BadInput."""
    suffix = path.suffix.lower()
    if suffix not in (*PLAIN, *SCENES):
        raise BadInput(
            f"{path}: {suffix or 'no suffix'} is no format of ours; use {', '.join((*SCENES, *PLAIN))}"
        )
    return suffix


def plain(path: Path, info, motion: Motion, options: Options) -> None:
    """BVH or NPZ."""
    if path.suffix.lower() == ".bvh":
        bvh.write(path, info, motion, options.with_leaves)
    else:
        npz.write(path, info, motion)


def scene(path: Path, stage: Stage, motion: Motion, options: Options) -> None:
    """GLB, FBX or USD. Changes the stage, which is thrown away."""
    rig = stage.rig
    _only_this_motion(stage, motion, options)
    if options.with_leaves:
        _add_ends(stage)
    if not options.with_mesh:
        for mesh in stage.meshes:
            bpy.data.objects.remove(mesh)
    for item in list(stage.scene.objects):
        if item != rig and item not in stage.meshes:
            bpy.data.objects.remove(item)
    stage.update()
    suffix = path.suffix.lower()
    writer = {".fbx": _fbx, ".glb": _gltf}.get(suffix, _usd)
    path.parent.mkdir(parents=True, exist_ok=True)
    with files.atomic_path(path) as temporary, _quietly():
        try:
            writer(temporary, options.name)
        except RuntimeError as error:
            raise AnymoveError(
                f"{path}: cannot be exported: {str(error).strip().splitlines()[-1]}"
            ) from error


def _only_this_motion(stage: Stage, motion: Motion, options: Options) -> None:
    for track in list(stage.rig.animation_data.nla_tracks) if stage.rig.animation_data else []:
        stage.rig.animation_data.nla_tracks.remove(track)
    rate.put(stage.scene, motion.fps)
    stage.scene.frame_start, stage.scene.frame_end = FIRST_FRAME, FIRST_FRAME + motion.frames - 1
    made = action.write(stage.rig, stage.info, motion, options.name, FIRST_FRAME)
    for other in [other for other in bpy.data.actions if other != made and other.name == options.name]:
        other.name = f"{options.name}.older"
    made.name = options.name
    stage.scene.frame_set(FIRST_FRAME)


def _add_ends(stage: Stage) -> None:
    """A bone at each leaf's end, turned as its parent: programs that know joints only keep the length."""
    skeleton = stage.info.skeleton
    taken = {bone.name for bone in stage.rig.data.bones}
    with editing(stage.scene, stage.rig) as bones:
        for leaf, end in leaves.ends(skeleton).items():
            parent = bones[skeleton.bone_names[leaf]]
            name = parent.name + leaves.SUFFIX
            if name in taken:
                raise BadInput(f"{stage.rig.name}: has a bone {name} already; export without leaf bones")
            made = bones.new(name)
            made.parent, made.use_deform = parent, False
            made.head = end
            made.tail = made.head + 0.5 * (parent.tail - parent.head)
            made.align_roll(parent.z_axis)


def _gltf(path: Path, name: str) -> None:
    bpy.ops.export_scene.gltf(
        filepath=str(path),
        check_existing=False,
        export_format="GLB",
        use_active_scene=True,
        export_animation_mode="ACTIVE_ACTIONS",
        export_nla_strips_merged_animation_name=name,
        export_frame_range=True,
        export_optimize_animation_size=False,
        export_negative_frame="CROP",
    )


def _fbx(path: Path, name: str) -> None:
    bpy.ops.export_scene.fbx(
        filepath=str(path),
        check_existing=False,
        object_types={"ARMATURE", "MESH"},
        add_leaf_bones=False,
        apply_scale_options="FBX_SCALE_ALL",
        bake_anim_use_nla_strips=False,
        bake_anim_use_all_actions=False,
        bake_anim_simplify_factor=0.0,
        path_mode="COPY",
        embed_textures=True,
    )


def _usd(path: Path, _: str) -> None:
    bpy.ops.wm.usd_export(
        filepath=str(path), check_existing=False, export_animation=True, export_armatures=True
    )


@contextlib.contextmanager
def _quietly():
    """The exporters tell their progress whatever they are told."""
    silenced = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        logging.disable(silenced)
