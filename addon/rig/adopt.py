# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adopt a rig: understand it and make its clean copy. May add objects to ``scene``; writes no files."""

from __future__ import annotations

from typing import Any, NamedTuple

import bpy
import numpy as np

from ...mocap import layout as layouts
from ...mocap import poses
from ...mocap import rotations as rot
from ...mocap.errors import BadInput
from ...mocap.motion import Motion
from ...mocap.rig_info import RigInfo
from ...mocap.skeleton import Bone, Joint, Limb, Skeleton
from . import build, hierarchy, joints, limbs, limits, sample, symmetry, weights
from .source import Source

FACINGS = {"-Y": 0.0, "+X": -90.0, "+Y": 180.0, "-X": 90.0}
"""Facing -> turn about Z (degrees) that brings it to -Y."""


class Options(NamedTuple):
    creature: str
    facing: str = "auto"
    height_cm: float | None = None
    hold_out: tuple[str, ...] = ()
    """Clips kept for the exam: saved, but not used for limits."""
    limbs: tuple[dict[str, Any], ...] = ()
    """Limbs given by a creature.json (name, side, bones, colour) instead of found."""
    panel: int = 384


class Adopted(NamedTuple):
    info: RigInfo
    rig: bpy.types.Object
    meshes: list[bpy.types.Object]
    clips: dict[str, Motion]


def adopt(scene: bpy.types.Scene, source: Source, options: Options) -> Adopted:
    """Raises BadInput with one line where the rig cannot be understood."""
    surface = weights.read(source)
    rest, tracks = sample.rest(source), sample.clips(source)
    for name in options.hold_out:
        if name not in tracks:
            raise BadInput(
                f"--hold-out {name}: the rig has no such clip ({', '.join(tracks) or 'it has none'})"
            )
    facing = _facing(surface.points, options.facing)
    to_clean, height_cm, unit = _to_clean(surface.points, facing, options.height_cm)
    turn = to_clean[:3, :3] / np.cbrt(np.linalg.det(to_clean[:3, :3]))
    place = lambda points: points @ to_clean[:3, :3].T + to_clean[:3, 3]  # noqa: E731
    height = height_cm / 100
    heads, turns = place(rest.heads[0]), turn @ rest.turns[0]
    clip_heads = {name: place(track.heads) for name, track in tracks.items()}
    clip_turns = {name: turn @ track.turns for name, track in tracks.items()}

    arranged = hierarchy.build(
        hierarchy.RigArrays(
            surface.bone_names,
            np.array([_bone_parent(source.armature, name) for name in surface.bone_names]),
            heads / height,
            weights.bone_totals(surface),
            weights.adjacency(surface),
            [clip_heads[name] / height for name in tracks],
            [clip_turns[name] for name in tracks],
        ),
        weights.LEAST_WEIGHT,
    )
    order, parents = arranged.order, arranged.parents
    names = [surface.bone_names[i] for i in order]
    heads, turns = heads[order], turns[order]
    points, bone_weights = place(surface.points), _normalised(surface.weights[:, order])

    tips = joints.surface_tips(heads, points, bone_weights)
    tails = _geometric_tails(parents, heads, tips)
    partner = symmetry.mirror_bones(parents, heads / height, tips / height)
    side = symmetry.sides(partner, parents, symmetry.subtree_middles(parents, heads, tips))
    chosen = joints.choose(
        names, parents, heads / height, tips / height, surface.weights[:, order].sum(0), partner
    )
    chosen = [c._replace(point=c.point * height) for c in chosen]
    found = (
        _given_limbs(options.limbs, names)
        if options.limbs
        else limbs.find(parents, side, partner, heads / height, tips / height)
    )

    bones = [
        build.CleanBone(name, parents[i], heads[i], turns[i], _length(heads[i], tails[i], height))
        for i, name in enumerate(names)
    ]
    rig = build.armature(scene, bones)
    tables = [bone_weights[part] for part in surface.slices]
    meshes = build.meshes(scene, source, rig, to_clean, tables)

    # From here on the clean rig itself is the truth: read its rest matrices back.
    heads, turns = _rest_of(rig)
    quats = {name: _local_quats(turns, parents, clip_turns[name][:, order]) for name in tracks}
    pose_bones = [source.armature.pose.bones[name] for name in names]
    learned = [quats[name] for name in tracks if name not in options.hold_out]
    ranges = limits.gather(pose_bones, parents, learned)
    mirror = joints.mirrors(chosen, partner)
    skeleton = Skeleton(
        options.creature,
        height,
        tuple(
            Bone(
                name,
                parents[i],
                _numbers(heads[i]),
                _numbers(tails[i]),
                tuple(_numbers(row, 7) for row in turns[i]),
                tuple((float(lo), float(hi)) for lo, hi in ranges.ranges[i]),
                ranges.sources[i],
            )
            for i, name in enumerate(names)
        ),
        tuple(Joint(c.name, c.bone, _numbers(c.point), c.kind, mirror[i]) for i, c in enumerate(chosen)),
        tuple(Limb(g.name, g.side, tuple(g.bones), g.colour, g.mirror) for g in found),
    )
    outline = _outline(points, bone_weights, heads)
    info = RigInfo(
        skeleton,
        _fit_layout(skeleton, outline, options.panel),
        height_cm,
        tuple(sorted(tracks)),
        {
            "armature": source.armature.name,
            "meshes": [m.name for m in source.meshes],
            "facing": facing,
            "height_from": unit,
            "to_clean": [[round(float(v), 9) for v in row] for row in to_clean],
            "reparented": arranged.reparented,
            "left_out": arranged.dropped,
            "held_out_clips": list(options.hold_out),
        },
    )
    motions = {
        name: _motion(info, tracks[name].fps, clip_heads[name][:, order[0]], quats[name], name)
        for name in tracks
    }
    return Adopted(info, rig, meshes, motions)


def _numbers(values: np.ndarray, digits: int = 6) -> tuple[float, ...]:
    return tuple(round(float(v), digits) + 0.0 for v in values)


def _bone_parent(armature: bpy.types.Object, name: str) -> int:
    parent = armature.data.bones[name].parent
    return -1 if parent is None else armature.data.bones.find(parent.name)


def _facing(points: np.ndarray, asked: str) -> str:
    if asked in FACINGS:
        return asked
    axis, errors = symmetry.best_mirror_axis(points)
    if axis == "Y" and errors["X"] > 0.02 and errors["Y"] < 0.5 * errors["X"]:
        raise BadInput("the mesh is mirrored across Y, so it faces along X: pass --facing +X or -X")
    # Importers bring creatures in facing -Y; facing +Y cannot be told from the mirror plane.
    return "-Y"


def _to_clean(points: np.ndarray, facing: str, height_cm: float | None) -> tuple[np.ndarray, float, str]:
    """Similarity from the source's world to ours, the height in cm, and where the height came from."""
    extent = float(np.ptp(points[:, 2]))
    if not extent > 0:
        raise BadInput("the mesh is flat: its height along Z is zero")
    if height_cm is not None:
        unit = "given"
    elif 0.01 <= extent <= 20:
        height_cm, unit = extent * 100, "the file's units as metres"
    else:
        height_cm, unit = extent, "the file's units as centimetres"
    angle = np.radians(FACINGS[facing])
    turn = rot.euler_to_matrix(np.array([0.0, 0.0, angle]))
    turned = points @ turn.T
    low, high = turned.min(0), turned.max(0)
    origin = np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])
    scale = height_cm / 100 / extent
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = scale * turn, -scale * origin
    return matrix, float(height_cm), unit


def _normalised(table: np.ndarray) -> np.ndarray:
    """Rows sum to one; vertices without weight go with the root."""
    total = table.sum(1, keepdims=True)
    table = np.where(total > 1e-6, table / np.maximum(total, 1e-6), 0.0)
    table[total[:, 0] <= 1e-6, 0] = 1.0
    return table


def _geometric_tails(parents: list[int], heads: np.ndarray, tips: np.ndarray) -> np.ndarray:
    """(B, 3) where each bone ends: its farthest child's head, else its surface's tip, else its head."""
    tails = np.where(np.isfinite(tips), tips, heads)
    for bone in range(len(parents)):
        children = [heads[c] for c, p in enumerate(parents) if p == bone]
        if children:
            tails[bone] = max(children, key=lambda h, b=bone: np.linalg.norm(h - heads[b]))
    return tails


def _length(head: np.ndarray, tail: np.ndarray, height: float) -> float:
    return max(float(np.linalg.norm(tail - head)), 0.01 * height)


def _given_limbs(given: tuple[dict[str, Any], ...], names: list[str]) -> list[limbs.LimbChoice]:
    at = {limb["name"]: i for i, limb in enumerate(given)}
    return [
        limbs.LimbChoice(
            limb["name"],
            limb["side"],
            [names.index(bone) for bone in limb["bones"]],
            tuple(limb["colour"]),
            at.get(limb.get("mirror"), -1),
        )
        for limb in given
    ]


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


def _outline(points: np.ndarray, table: np.ndarray, heads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Six extreme surface points of each bone, at rest, and the bone each rides on."""
    owner = table.argmax(1)
    chosen, bones = [], []
    for bone in range(len(heads)):
        own = points[owner == bone]
        if len(own):
            ends = np.concatenate([own.argmin(0), own.argmax(0)])
            chosen.append(own[ends])
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
