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
from . import build, capsules, hierarchy, joints, limbs, limits, markers, sample, sight, symmetry, weights
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
    tracks = sample.clips(source)
    for name in options.hold_out:
        if name not in tracks:
            there = ", ".join(tracks) or "it has none"
            raise BadInput(f"--hold-out {name}: the rig has no such clip ({there})")
    facing = _facing(surface.points, options.facing)
    to_clean, height_cm, height_from = _to_clean(surface.points, facing, options.height_cm)
    placed = _place(source, surface, tracks, to_clean)
    arranged = hierarchy.build(_rig_arrays(source, surface, placed, height_cm / 100), weights.LEAST_WEIGHT)
    body = _understand(placed, arranged, options)

    rig = build.armature(scene, body.bones)
    meshes = build.meshes(scene, source, rig, to_clean, [body.weights[part] for part in surface.slices])
    # From here on the clean rig itself is the truth: its rest matrices are read back.
    heads, rest = _rest_of(rig)
    quats = {name: _local_quats(rest, arranged.parents, turns) for name, turns in body.clip_turns.items()}
    learned = [quats[name] for name in tracks if name not in options.hold_out]
    pose_bones = [source.armature.pose.bones[bone.name] for bone in body.bones]
    ranges = limits.gather(pose_bones, arranged.parents, learned)
    skeleton = _skeleton(options.creature, height_cm / 100, body, heads, rest, ranges)
    layout = _fit_layout(skeleton, _outline(body.points, body.weights), options.panel)
    skin = sight.Skin(body.points, body.weights, build.triangles(meshes))
    info = RigInfo(
        markers.added(skeleton, layout, skin),
        layout,
        height_cm,
        tuple(sorted(tracks)),
        {
            "armature": source.armature.name,
            "meshes": [m.name for m in source.meshes],
            "facing": facing,
            "height_from": height_from,
            "to_clean": [[round(float(v), 9) for v in row] for row in to_clean],
            "reparented": arranged.reparented,
            "left_out": arranged.dropped,
            "held_out_clips": list(options.hold_out),
        },
    )
    motions = {
        name: _motion(info, track.fps, placed.clip_heads[name][:, arranged.order[0]], quats[name], name)
        for name, track in tracks.items()
    }
    return Adopted(info, rig, meshes, motions)


class _Placed(NamedTuple):
    """The whole armature (N bones) in the clean world: metres, facing -Y."""

    points: np.ndarray
    weights: np.ndarray
    heads: np.ndarray
    turns: np.ndarray
    clip_heads: dict[str, np.ndarray]
    clip_turns: dict[str, np.ndarray]
    names: list[str]


def _place(
    source: Source, surface: weights.Surface, tracks: dict[str, sample.BoneTracks], to_clean: np.ndarray
) -> _Placed:
    rest = sample.rest(source)
    turn = to_clean[:3, :3] / np.cbrt(np.linalg.det(to_clean[:3, :3]))

    def move(points: np.ndarray) -> np.ndarray:
        return points @ to_clean[:3, :3].T + to_clean[:3, 3]

    return _Placed(
        move(surface.points),
        surface.weights,
        move(rest.heads[0]),
        turn @ rest.turns[0],
        {name: move(track.heads) for name, track in tracks.items()},
        {name: turn @ track.turns for name, track in tracks.items()},
        surface.bone_names,
    )


def _rig_arrays(
    source: Source, surface: weights.Surface, placed: _Placed, height: float
) -> hierarchy.RigArrays:
    return hierarchy.RigArrays(
        placed.names,
        np.array([_bone_parent(source.armature, name) for name in placed.names]),
        placed.heads / height,
        weights.bone_totals(surface),
        weights.adjacency(surface),
        [heads / height for heads in placed.clip_heads.values()],
        list(placed.clip_turns.values()),
    )


class _Body(NamedTuple):
    """What was understood of the bones that are kept, in skeleton order."""

    bones: list[build.CleanBone]
    tails: np.ndarray
    points: np.ndarray
    weights: np.ndarray
    joints: list[joints.Choice]
    joint_mirror: list[int]
    limbs: list[limbs.LimbChoice]
    clip_turns: dict[str, np.ndarray]


def _understand(placed: _Placed, arranged: hierarchy.Hierarchy, options: Options) -> _Body:
    order, parents = arranged.order, arranged.parents
    names, heads = [placed.names[i] for i in order], placed.heads[order]
    table = _normalised(placed.weights[:, order])
    height = float(np.ptp(placed.points[:, 2]))
    tips = joints.surface_tips(heads, placed.points, table)
    tails = _geometric_tails(parents, heads, tips)
    partner = symmetry.mirror_bones(parents, heads / height, tips / height)
    side = symmetry.sides(partner, parents, symmetry.subtree_middles(parents, heads, tips))
    totals = placed.weights[:, order].sum(0)
    chosen = joints.choose(names, parents, heads / height, tips / height, totals, partner)
    found = (
        _given_limbs(options.limbs, names)
        if options.limbs
        else limbs.find(parents, side, partner, heads / height, tips / height)
    )
    return _Body(
        [
            build.CleanBone(
                name, parents[i], heads[i], placed.turns[order[i]], _length(heads[i], tails[i], height)
            )
            for i, name in enumerate(names)
        ],
        tails,
        placed.points,
        table,
        [choice._replace(point=choice.point * height) for choice in chosen],
        joints.mirrors(chosen, partner),
        found,
        {name: turns[:, order] for name, turns in placed.clip_turns.items()},
    )


def _skeleton(
    creature: str, height: float, body: _Body, heads: np.ndarray, rest: np.ndarray, ranges: limits.Limits
) -> Skeleton:
    skins = capsules.fit(body.points, body.weights, heads)
    return Skeleton(
        creature,
        height,
        tuple(
            Bone(
                bone.name,
                bone.parent,
                _numbers(heads[i]),
                _numbers(body.tails[i]),
                tuple(_numbers(row, 7) for row in rest[i]),
                tuple((float(low), float(high)) for low, high in ranges.ranges[i]),
                ranges.sources[i],
                round(skins[i].radius, 6),
                tuple(map(_numbers, skins[i].core)),
            )
            for i, bone in enumerate(body.bones)
        ),
        tuple(
            Joint(choice.name, choice.bone, _numbers(choice.point), choice.kind, mirror)
            for choice, mirror in zip(body.joints, body.joint_mirror)
        ),
        tuple(Limb(g.name, g.side, tuple(g.bones), g.colour, g.mirror) for g in body.limbs),
    )


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
