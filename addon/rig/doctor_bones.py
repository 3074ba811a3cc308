# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The doctor's look at bones: controls, names, pairs, constraints, drivers, limits, stretch. Changes nothing."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np

from ...mocap.findings import Finding
from . import names as words
from .limits import from_constraints
from .source import Source
from .understand import Understanding

ASYMMETRIC = 0.04
"""Partners that miss each other's mirror image by more than this, in heights, are told."""
STRETCH = 0.001
"""Bones that leave their place on their parent by more than this, in heights, are told."""


def checks(source: Source, known: Understanding) -> Iterator[Finding]:
    yield from _left_out(source, known)
    yield from _moved(known)
    yield from _in_the_air(known)
    yield from _names(known)
    yield from _pairs(known)
    yield from _fighting(source, known)
    yield from _limits(source, known)
    yield from _stretch(known)


def _left_out(source: Source, known: Understanding) -> Iterator[Finding]:
    for name in known.arranged.dropped:
        bone = source.armature.data.bones[name]
        if bone.use_deform and not bone.children and bone.parent is not None:
            yield Finding(
                "note", "no-skin", name, "a leaf without skin; left out as a control or an end bone"
            )


def _moved(known: Understanding) -> Iterator[Finding]:
    for name, to in known.arranged.reparented.items():
        yield Finding("note", "re-parented", name, f"it hangs outside the body in the file; now on {to}")


def _in_the_air(known: Understanding) -> Iterator[Finding]:
    for name, inside in zip(known.names, known.inside):
        if not inside:
            yield Finding(
                "note", "outside", name, "its head lies outside the flesh; it is no joint to be read"
            )


def _names(known: Understanding) -> Iterator[Finding]:
    for name, own in zip(known.names, known.sides):
        told = words.side(name)
        if told and own and told != own:
            place = "left" if own == "L" else "right"
            yield Finding(
                "note",
                "misnamed-side",
                name,
                f"it lies on the {place}, its name says {told}; geometry decides",
            )
    limb_of = {known.names[bone]: i for i, limb in enumerate(known.limbs) for bone in limb.bones}
    for name in known.names:
        stem, dot, number = name.rpartition(".")
        # Within a chain, numbers are how Blender names the pieces.
        if (
            dot
            and number.isdigit()
            and len(number) == 3
            and limb_of.get(stem, limb_of[name]) != limb_of[name]
        ):
            yield Finding(
                "note",
                "duplicate-name",
                name,
                f"{stem} is another bone elsewhere: two bones were given one name",
            )


def _pairs(known: Understanding) -> Iterator[Finding]:
    height = known.height_cm / 100
    flip = np.array([-1.0, 1.0, 1.0])
    for bone, other in enumerate(known.partner):
        if other > bone:
            miss = float(np.linalg.norm(known.heads[bone] * flip - known.heads[other])) / height
            if miss > ASYMMETRIC:
                yield Finding(
                    "warning",
                    "asymmetric-rest",
                    known.names[bone],
                    f"it misses the mirror image of {known.names[other]} by {100 * miss:.1f}% of the height",
                    "symmetrise the rest pose if both should be alike",
                )
    alone = [b for b, other in enumerate(known.partner) if other < 0]
    for bone in alone:
        # Told once for each branch, at its top.
        if known.arranged.parents[bone] not in alone:
            yield Finding(
                "warning",
                "no-partner",
                known.names[bone],
                "nothing on the other side mirrors it; it is read and solved on its own",
                "check that the rest pose is symmetric if it should have a partner",
            )


def _fighting(source: Source, known: Understanding) -> Iterator[Finding]:
    """Constraints and drivers on kept bones would fight a baked motion."""
    limiting = {"LIMIT_ROTATION", "LIMIT_LOCATION", "LIMIT_SCALE", "LIMIT_DISTANCE"}
    held = {}
    for name in known.names:
        kinds = [
            c.type.replace("_", " ").lower()
            for c in source.armature.pose.bones[name].constraints
            if not c.mute and c.influence > 0 and c.type not in limiting
        ]
        if kinds:
            held.setdefault(", ".join(sorted(set(kinds))), []).append(name)
    driven = sorted(_driven_bones(source.armature) & set(known.names))
    if driven:
        held["drivers"] = driven
    for kinds, bones in held.items():
        yield Finding(
            "note",
            "drivers" if kinds == "drivers" else "constraints",
            bones[0] if len(bones) == 1 else f"{len(bones)} bones",
            f"{kinds} would fight a baked motion ({bones[0]}{' ...' if len(bones) > 1 else ''}); "
            "the clean copy has none",
        )


def _driven_bones(armature: bpy.types.Object) -> set[str]:
    data = armature.animation_data
    paths = [curve.data_path for curve in data.drivers] if data else []
    return {path.split('"')[1] for path in paths if path.startswith('pose.bones["')}


def _limits(source: Source, known: Understanding) -> Iterator[Finding]:
    for name in known.names[1:]:
        ranges = from_constraints(source.armature.pose.bones[name])
        if ranges is not None and (ranges[:, 0].max() > 1e-4 or ranges[:, 1].min() < -1e-4):
            told = ", ".join(
                f"{axis} {np.degrees(low):.0f}..{np.degrees(high):.0f}"
                for axis, (low, high) in zip("XYZ", ranges)
            )
            yield Finding(
                "warning",
                "limits-forbid-rest",
                name,
                f"its limits ({told} degrees) do not allow the rest pose; they were widened to 0",
                "correct the limits, or the rest pose",
            )


def _stretch(known: Understanding) -> Iterator[Finding]:
    height = known.height_cm / 100
    for name, most in zip(known.names, known.stretch):
        if most > STRETCH * height:
            yield Finding(
                "warning" if most > 0.03 * height else "note",
                "stretch",
                name,
                f"its clips move it by up to {100 * most / height:.1f}% of the height against its parent; "
                "a capture keeps lengths",
            )
