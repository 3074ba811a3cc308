# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""creature.json: our own definition of a creature (bones, radii, limits, limbs, real height).

Units are centimetres, the creature faces -Y and stands on z = 0. A bone whose name ends in ``.L`` is
given once; its ``.R`` twin is its mirror image (X limits kept, Y and Z limits mirrored). A creature.json
that only states ``height_cm`` describes a creature whose rig comes from a file.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import files

SCHEMA = 1
FREE_DEG = ((-40.0, 40.0),) * 3


@dataclass(frozen=True)
class BodyBone:
    """A bone with flesh: a capsule from head to tail, tapering between two radii (cm)."""

    name: str
    parent: str | None
    head: tuple[float, float, float]
    tail: tuple[float, float, float]
    radii: tuple[float, float]
    limits_deg: tuple[tuple[float, float], ...]
    up: tuple[float, float, float] | None
    """Where the bone's Z axis points; None: X lies across the body, so that X bends fore and aft."""


@dataclass(frozen=True)
class Shape:
    """An ellipsoid of flesh around ``centre`` (cm)."""

    centre: tuple[float, float, float]
    radii: tuple[float, float, float]


@dataclass(frozen=True)
class Creature:
    name: str
    height_cm: float
    bones: tuple[BodyBone, ...]
    shapes: tuple[Shape, ...]
    limbs: tuple[dict[str, Any], ...]

    def __post_init__(self) -> None:
        if not self.height_cm > 0:
            raise ValueError(f"height_cm is {self.height_cm}, it must be positive")
        known: set[str] = set()
        for bone in self.bones:
            if bone.name in known:
                raise ValueError(f"two bones are called {bone.name}")
            if bone.parent is not None and bone.parent not in known:
                raise ValueError(f"bone {bone.name}: its parent {bone.parent} must come before it")
            if min(bone.radii) <= 0:
                raise ValueError(f"bone {bone.name}: radii {bone.radii} must be positive")
            if np.allclose(bone.head, bone.tail):
                raise ValueError(f"bone {bone.name}: head and tail coincide")
            known.add(bone.name)
        for limb in self.limbs:
            missing = [b for b in limb["bones"] if b not in known]
            if missing:
                raise ValueError(f"limb {limb['name']}: no bone {missing[0]}")

    @classmethod
    def load(cls, path: str | os.PathLike) -> Creature:
        data = files.read_json(path, "creature")
        files.check_schema(data, SCHEMA, "creature", path)
        return files.parse(path, "creature", lambda: cls._from_json(data))

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> Creature:
        bones = [twin for entry in data.get("bones", []) for twin in _with_mirror(_bone(entry))]
        shapes = [
            Shape(
                tuple(sign * c if axis == 0 else c for axis, c in enumerate(s["centre"])), tuple(s["radii"])
            )
            for s in data.get("shapes", [])
            for sign in ((1, -1) if s.get("both_sides") else (1,))
        ]
        return cls(
            data["name"], float(data["height_cm"]), tuple(bones), tuple(shapes), tuple(data.get("limbs", []))
        )


def _bone(entry: dict[str, Any]) -> BodyBone:
    return BodyBone(
        entry["name"],
        entry["parent"],
        tuple(entry["head"]),
        tuple(entry["tail"]),
        tuple(entry["radii"]),
        tuple(tuple(pair) for pair in entry.get("limits_deg", FREE_DEG)),
        tuple(entry["up"]) if "up" in entry else None,
    )


def _with_mirror(bone: BodyBone) -> list[BodyBone]:
    if not bone.name.endswith(".L"):
        return [bone]
    flip = lambda point: (-point[0], point[1], point[2])  # noqa: E731
    x, *turning = bone.limits_deg
    right = BodyBone(
        _other(bone.name),
        _other(bone.parent) if bone.parent else None,
        flip(bone.head),
        flip(bone.tail),
        bone.radii,
        (x, *((-high, -low) for low, high in turning)),
        flip(bone.up) if bone.up else None,
    )
    return [bone, right]


def _other(name: str) -> str:
    return f"{name[:-2]}.R" if name.endswith(".L") else name
