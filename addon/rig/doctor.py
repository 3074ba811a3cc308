# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The doctor: look a rig over and say what would spoil a capture, where, and what to do. Changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import bpy
import numpy as np

from ...mocap.errors import BadInput
from ...mocap.findings import Finding
from . import doctor_bones, rest_mesh, understand, weights
from .source import Source

UNEVEN = 0.01
"""Scales that differ by more than this share are uneven."""
TURNED = np.radians(0.5)
SMALL_CM, LARGE_CM = 3.0, 2000.0
MANY = 5
"""More names than this are counted, not listed."""


class Report(NamedTuple):
    findings: list[Finding]
    known: understand.Understanding | None
    """None where the rig cannot be understood (an error says why)."""


def diagnose(source: Source, options: understand.Options) -> Report:
    """Everything that can be said of a rig. What adopting would refuse is among the findings, as an error."""
    try:
        with weights.reading(source) as surface:
            try:
                known = understand.read(source, surface, options)
            except BadInput as error:
                found = [Finding("error", "not-understood", source.armature.name, str(error))]
                return Report(found + list(_file_checks(source, surface)), None)
            return Report(examine(source, surface, known), known)
    except BadInput as error:
        return Report([Finding("error", "unbound", source.armature.name, str(error))], None)


def examine(source: Source, surface: weights.Surface, known: understand.Understanding) -> list[Finding]:
    return [
        *_file_checks(source, surface),
        *_size(source, known),
        *doctor_bones.checks(source, known),
    ]


def _file_checks(source: Source, surface: weights.Surface) -> Iterator[Finding]:
    for item in [source.armature, *source.meshes]:
        yield from _transforms(item)
    for item, how, part in zip(source.meshes, surface.bound, surface.slices):
        yield from _skin(item, how, surface.weights[part], source.armature)
    yield from _timing(source)


def _transforms(item: bpy.types.Object) -> Iterator[Finding]:
    scale = np.array(item.matrix_world.to_scale())
    if np.linalg.det(np.array(item.matrix_world)[:3, :3]) < 0:
        yield Finding(
            "warning",
            "negative-scale",
            item.name,
            "its scale is negative, which mirrors the creature: left and right change sides",
            "apply the scale (Ctrl+A) and check the names of sides",
        )
    if np.ptp(np.abs(scale)) > UNEVEN * np.abs(scale).max():
        yield Finding(
            "warning",
            "uneven-scale",
            item.name,
            f"its scale is uneven ({', '.join(f'{s:.3g}' for s in scale)}): turning bones shear the skin",
            "apply the scale (Ctrl+A)",
        )
    elif abs(abs(scale[0]) - 1) > UNEVEN:
        yield Finding(
            "note",
            "scale",
            item.name,
            f"its scale is {scale[0]:.3g}, not applied; sizes are read in the world",
        )
    if item.type == "ARMATURE" and abs(item.matrix_world.to_quaternion().angle) > TURNED:
        turn = np.degrees(item.matrix_world.to_quaternion().angle)
        yield Finding(
            "note",
            "rotation",
            item.name,
            f"it is turned by {turn:.0f} degrees, not applied; read in the world",
        )


def _skin(
    item: bpy.types.Object, how: str, table: np.ndarray, armature: bpy.types.Object
) -> Iterator[Finding]:
    if how == "nothing":
        yield Finding(
            "warning",
            "unbound-mesh",
            item.name,
            "no vertex group, envelope or bone moves it; it rides on the root bone",
            f"bind it to {armature.name} (Ctrl+P), or parent it to a bone",
        )
        return
    if how != "weights":
        yield Finding("note", "bound-otherwise", item.name, f"it has no vertex groups; it follows {how}")
    bare = int((table.sum(1) < 1e-6).sum())
    if bare:
        yield Finding(
            "warning",
            "bare-vertices",
            item.name,
            f"{bare} of {len(table)} vertices have no weight; they stay with the root bone",
            "weight them (Weights > Assign Automatic From Bones)",
        )
    known = {bone.name for bone in armature.data.bones}
    orphans = [group.name for group in item.vertex_groups if group.name not in known]
    if how == "weights" and orphans and len(orphans) < len(item.vertex_groups):
        yield Finding("note", "orphan-groups", item.name, f"vertex groups without a bone: {listed(orphans)}")
    if rest_mesh.ignored(item):
        yield Finding(
            "note",
            "modifiers",
            item.name,
            f"modifiers after the armature are left out: {listed(rest_mesh.ignored(item))}",
        )
    if item.data.shape_keys:
        keys = len(item.data.shape_keys.key_blocks) - 1
        yield Finding(
            "note", "shape-keys", item.name, f"{keys} shape keys; the basis is used, faces are not read"
        )


def _timing(source: Source) -> Iterator[Finding]:
    render = bpy.context.scene.render
    if source.actions and abs(render.fps_base - 1) > 1e-6:
        rate = render.fps / render.fps_base
        yield Finding(
            "note",
            "fps-base",
            bpy.context.scene.name,
            f"frame rate {render.fps}/{render.fps_base:g} = {rate:.5g} fps",
        )
    for action in source.actions:
        off = _off_frame_keys(action)
        if off > 0.5:
            yield Finding(
                "note",
                "between-frames",
                action.name,
                f"{100 * off:.0f}% of its keys lie between whole frames: it was made at another frame rate than "
                f"{render.fps / render.fps_base:.5g}; it is sampled at whole frames, its speed is kept",
            )


def _off_frame_keys(action: bpy.types.Action) -> float:
    """Share of the keys of the first curves that do not lie on a whole frame."""
    times = []
    for layer in action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                for curve in list(bag.fcurves)[:8]:
                    times += [key.co[0] for key in curve.keyframe_points]
    return float(np.mean(np.abs(np.array(times) - np.round(times)) > 0.01)) if times else 0.0


def _size(source: Source, known: understand.Understanding) -> Iterator[Finding]:
    height, told = known.height_cm, known.height_from
    if "centimetres" in told:
        yield Finding(
            "warning",
            "units",
            source.armature.name,
            f"{height:.4g} units tall, so the units were taken for centimetres ({height:.4g} cm, not "
            f"{height:.4g} m)",
            "pass --height-cm if that is wrong",
        )
    elif told != "given" and not SMALL_CM < height < LARGE_CM:
        yield Finding(
            "warning",
            "units",
            source.armature.name,
            f"it would be {height:.3g} cm tall: the file's units are probably off by 100",
            "pass --height-cm with the real height",
        )


def listed(names: list[str]) -> str:
    shown = ", ".join(names[:MANY])
    return f"{shown} and {len(names) - MANY} more" if len(names) > MANY else shown
