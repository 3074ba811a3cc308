# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes without an armature -> a Source, like any rig of the user's. Adds objects to ``scene`` only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Matrix

from ....mocap.fitting import fit as fitting
from ....mocap.fitting.fit import Fit, Placed
from ..source import Source
from . import armature, bind, frame


class Wish(NamedTuple):
    """What the user asked for."""

    template: str = "auto"
    leg_pairs: int = 0
    landmarks: Mapping[str, Placed] = {}
    """In the world of the user's file."""
    facing: str = "auto"
    ways: tuple[str, ...] = bind.WAYS


class Made(NamedTuple):
    source: Source
    fit: Fit
    bound: bind.Bound
    body: frame.Framed
    limbs: tuple[dict[str, Any], ...]
    """For adopt.Options."""


def make(scene: bpy.types.Scene, meshes: list[bpy.types.Object], wish: Wish) -> Made:
    """Raises BadInput where the meshes do not have what the template needs."""
    skins = frame.copies(scene, meshes)
    body = frame.read(skins, wish.facing)
    known = {name: p._replace(point=body.into(p.point)) for name, p in wish.landmarks.items()}
    fit = fitting.fit(body.points, body.triangles, wish.template, known, wish.leg_pairs)
    rig = armature.build(scene, fit)
    bound = bind.bind(scene, rig, fit, body, wish.ways)
    _weigh(skins, rig, fit, bound.table[body.welded])
    rig.matrix_world = Matrix(body.to_world)
    scene.view_layers[0].update()
    return Made(Source(rig, skins, []), fit, bound, body, limbs_of(fit))


def _weigh(skins: list[bpy.types.Object], rig: bpy.types.Object, fit: Fit, table: np.ndarray) -> None:
    start = 0
    for item in skins:
        own = table[start : start + len(item.data.vertices)]
        start += len(own)
        groups = [item.vertex_groups.new(name=bone.name) for bone in fit.bones]
        for vertex, bone in zip(*np.nonzero(own > 1e-4)):
            groups[bone].add([int(vertex)], float(own[vertex, bone]), "REPLACE")
        modifier = item.modifiers.new("Armature", "ARMATURE")
        modifier.object = rig


def limbs_of(fit: Fit) -> tuple[dict[str, Any], ...]:
    """The template's limbs as a creature.json would state them."""
    out = []
    for limb in fit.limbs:
        plain = limb.name.removesuffix(f".{limb.side}") if limb.side else ""
        mirror = f"{plain}.{'R' if limb.side == 'L' else 'L'}" if limb.side else None
        out.append({"name": limb.name, "side": limb.side, "bones": list(limb.bones), "mirror": mirror})
    return tuple(out)
