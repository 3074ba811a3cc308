# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adopt a rig: understand it and make its clean copy. May add objects to ``scene``; writes no files."""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np

from ...mocap import layout as layouts
from ...mocap import poses
from ...mocap import rotations as rot
from ...mocap.motion import Motion
from ...mocap.rig_info import RigInfo
from ...mocap.skeleton import Bone, Joint, Limb, Skeleton
from . import build, capsules, doctor, limits, markers, sample, sight, understand, weights
from .source import Source
from .understand import Options, Understanding


class Adopted(NamedTuple):
    info: RigInfo
    rig: bpy.types.Object
    meshes: list[bpy.types.Object]
    clips: dict[str, Motion]


def adopt(scene: bpy.types.Scene, source: Source, options: Options) -> Adopted:
    """Raises BadInput with one line where the rig cannot be understood."""
    with weights.reading(source) as surface:
        known = understand.read(source, surface, options)
        findings = doctor.examine(source, surface, known)
        rig = build.armature(scene, _clean_bones(known))
        tables = [known.weights[part] for part in surface.slices]
        meshes = build.meshes(scene, source, surface.meshes, rig, known.to_clean, tables)
    # From here on the clean rig itself is the truth: its rest matrices are read back.
    heads, rest = _rest_of(rig)
    order, parents = known.arranged.order, known.arranged.parents
    quats = {
        name: _local_quats(rest, parents, turns[:, order]) for name, turns in known.placed.clip_turns.items()
    }
    learned = [quats[name] for name in known.tracks if name not in options.hold_out]
    pose_bones = [source.armature.pose.bones[name] for name in known.names]
    ranges = limits.gather(pose_bones, learned, rest, understand.chain_places(known))
    skeleton = _skeleton(options.creature, known, heads, rest, ranges)
    layout = _fit_layout(skeleton, _outline(known.placed.points, known.weights), options.panel)
    skin = sight.Skin(known.placed.points, known.weights, surface.triangles)
    info = RigInfo(
        markers.added(skeleton, layout, skin, known.partner),
        layout,
        known.height_cm,
        tuple(sorted(known.tracks)),
        {
            "armature": source.armature.name,
            "meshes": [m.name for m in source.meshes],
            "facing": known.facing.forward,
            "up": known.facing.up,
            "facing_from": known.facing.reasons,
            "height_from": known.height_from,
            "to_clean": [[round(float(v), 9) for v in row] for row in known.to_clean],
            "reparented": known.arranged.reparented,
            "left_out": known.arranged.dropped,
            "held_out_clips": list(options.hold_out),
            "findings": [finding.to_json() for finding in findings],
        },
    )
    motions = {
        name: _motion(info, track.fps, known.placed.clip_heads[name][:, order[0]], quats[name], name)
        for name, track in known.tracks.items()
    }
    return Adopted(info, rig, meshes, motions)


def _clean_bones(known: Understanding) -> list[build.CleanBone]:
    least = 0.01 * known.height_cm / 100
    lengths = np.maximum(np.linalg.norm(known.tails - known.heads, axis=1), least)
    return [
        build.CleanBone(
            name,
            known.arranged.parents[i],
            known.heads[i],
            known.placed.turns[known.arranged.order[i]],
            float(lengths[i]),
        )
        for i, name in enumerate(known.names)
    ]


def _skeleton(
    creature: str, known: Understanding, heads: np.ndarray, rest: np.ndarray, ranges: limits.Limits
) -> Skeleton:
    skins = capsules.fit(known.placed.points, known.weights, heads)
    return Skeleton(
        creature,
        known.height_cm / 100,
        tuple(
            Bone(
                name,
                known.arranged.parents[i],
                _numbers(heads[i]),
                _numbers(known.tails[i]),
                tuple(_numbers(row) for row in rest[i]),
                tuple((float(low), float(high)) for low, high in ranges.ranges[i]),
                ranges.sources[i],
                round(skins[i].radius, 8),
                tuple(map(_numbers, skins[i].core)),
            )
            for i, name in enumerate(known.names)
        ),
        tuple(
            Joint(choice.name, choice.bone, _numbers(choice.point), choice.kind, mirror)
            for choice, mirror in zip(known.joints, known.joint_mirror)
        ),
        tuple(Limb(g.name, g.side, tuple(g.bones), g.colour, g.mirror) for g in known.limbs),
    )


def _numbers(values: np.ndarray, digits: int = 8) -> tuple[float, ...]:
    return tuple(round(float(v), digits) + 0.0 for v in values)


def _rest_of(rig: bpy.types.Object) -> tuple[np.ndarray, np.ndarray]:
    matrices = np.array([np.array(bone.matrix_local) for bone in rig.data.bones])
    return matrices[:, :3, 3], sample.orthonormal(matrices[:, :3, :3])


def _local_quats(rest: np.ndarray, parents: list[int], turns: np.ndarray) -> np.ndarray:
    """World orientations over time (T, B, 3, 3) to ``matrix_basis`` rotations (T, B, 4)."""
    world = turns @ np.swapaxes(rest, -1, -2)
    local = np.empty_like(world)
    for bone, parent in enumerate(parents):
        above = np.swapaxes(world[:, parent], -1, -2) if parent >= 0 else np.eye(3)
        local[:, bone] = rest[bone].T @ (above @ world[:, bone]) @ rest[bone]
    return rot.quat_continuous(rot.matrix_to_quat(local))


def _outline(points: np.ndarray, table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Six extreme surface points of each bone, at rest, and the bone each rides on."""
    owner = table.argmax(1)
    chosen, bones = [], []
    for bone in np.unique(owner):
        own = points[owner == bone]
        chosen.append(own[np.concatenate([own.argmin(0), own.argmax(0)])])
        bones.append(np.full(6, bone))
    return np.concatenate(chosen), np.concatenate(bones)


def _fit_layout(
    skeleton: Skeleton, outline: tuple[np.ndarray, np.ndarray], panel: int, count: int = 300
) -> layouts.Layout:
    points, bones = outline
    drawn = [poses.random_pose(skeleton, poses.sample_rng(0, i)) for i in range(count)]
    posed = skeleton.pose(np.array([p.root for p in drawn]), np.array([p.quats for p in drawn]))
    offsets = points - skeleton.heads[bones]
    moved = posed.heads[:, bones] + np.einsum("tpij,pj->tpi", posed.turns[:, bones], offsets)
    return layouts.fit(moved, skeleton.height, panel)


def _motion(info: RigInfo, fps: float, root: np.ndarray, quats: np.ndarray, name: str) -> Motion:
    return Motion(
        fps, info.skeleton.bone_names, root, quats, info.digest, {"kind": "clip of the rig", "clip": name}
    )
