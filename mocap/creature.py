# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""creature.json: our own definition of a creature (bones, radii, limits, limbs, real height).

Units are centimetres, the creature faces -Y and stands on z = 0. A bone whose name ends in ``.L`` is
given once; its ``.R`` twin is its mirror image (X limits kept, Y and Z limits mirrored), and so are limbs
called ``.L``, and shapes and membranes with ``both_sides``. A creature.json that only states ``height_cm``
describes a creature whose rig comes from a file.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import files

SCHEMA = 1


@dataclass(frozen=True)
class BodyBone:
    """A bone with flesh: a capsule from head to tail, tapering between two radii (cm)."""

    name: str
    parent: str | None
    head: tuple[float, float, float]
    tail: tuple[float, float, float]
    radii: tuple[float, float]
    limits_deg: tuple[tuple[float, float], ...] | None
    """XYZ Euler ranges; None: by the type of its limb."""
    up: tuple[float, float, float] | None
    """Where the bone's Z axis points; None: X lies across the body, so that X bends fore and aft."""


@dataclass(frozen=True)
class Shape:
    """An ellipsoid of flesh around ``centre`` (cm), turned by XYZ Euler angles (degrees)."""

    centre: tuple[float, float, float]
    radii: tuple[float, float, float]
    turn_deg: tuple[float, float, float]


@dataclass(frozen=True)
class Membrane:
    """A sheet of skin: a fan of triangles from the outline's first point, ``thickness`` thick (cm)."""

    outline: tuple[tuple[float, float, float], ...]
    thickness: float


@dataclass(frozen=True)
class Creature:
    name: str
    height_cm: float
    bones: tuple[BodyBone, ...]
    shapes: tuple[Shape, ...]
    membranes: tuple[Membrane, ...]
    limbs: tuple[dict[str, Any], ...]
    """name, side, bones, mirror (name or None) and, where the definition states it, colour."""

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
        for index, sheet in enumerate(self.membranes):
            if len(sheet.outline) < 3 or not sheet.thickness > 0:
                raise ValueError(f"membrane {index}: it needs three points or more and a thickness")
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
        shapes = [shape for entry in data.get("shapes", []) for shape in _shapes(entry)]
        sheets = [sheet for entry in data.get("membranes", []) for sheet in _membranes(entry)]
        limbs = [limb for entry in data.get("limbs", []) for limb in _limbs(entry)]
        return cls(
            data["name"], float(data["height_cm"]), tuple(bones), tuple(shapes), tuple(sheets), tuple(limbs)
        )


def _shapes(entry: dict[str, Any]) -> list[Shape]:
    x, y, z = entry["centre"]
    pitch, yaw, roll = entry.get("turn_deg", (0, 0, 0))
    left = Shape((x, y, z), tuple(entry["radii"]), (pitch, yaw, roll))
    if not entry.get("both_sides"):
        return [left]
    return [left, Shape((-x, y, z), tuple(entry["radii"]), (pitch, -yaw, -roll))]


def _membranes(entry: dict[str, Any]) -> list[Membrane]:
    left = Membrane(tuple(tuple(point) for point in entry["outline"]), float(entry["thickness"]))
    if not entry.get("both_sides"):
        return [left]
    return [left, Membrane(tuple((-x, y, z) for x, y, z in left.outline), left.thickness)]


def _limbs(entry: dict[str, Any]) -> list[dict[str, Any]]:
    name, paint = entry["name"], {"colour": entry["colour"]} if "colour" in entry else {}
    if not name.endswith(".L"):
        return [{"name": name, "side": "", "bones": entry["bones"], "mirror": None, **paint}]
    twins = (("L", name, entry["bones"]), ("R", _other(name), [_other(bone) for bone in entry["bones"]]))
    return [
        {
            "name": own,
            "side": side,
            "bones": list(bones),
            "mirror": _other(name) if side == "L" else name,
            **paint,
        }
        for side, own, bones in twins
    ]


def _bone(entry: dict[str, Any]) -> BodyBone:
    return BodyBone(
        entry["name"],
        entry["parent"],
        tuple(entry["head"]),
        tuple(entry["tail"]),
        tuple(entry["radii"]),
        tuple(tuple(pair) for pair in entry["limits_deg"]) if "limits_deg" in entry else None,
        tuple(entry["up"]) if "up" in entry else None,
    )


def _with_mirror(bone: BodyBone) -> list[BodyBone]:
    if not bone.name.endswith(".L"):
        return [bone]
    flip = lambda point: (-point[0], point[1], point[2])  # noqa: E731
    limits = bone.limits_deg
    mirrored = limits and (limits[0], *((-high, -low) for low, high in limits[1:]))
    right = BodyBone(
        _other(bone.name),
        _other(bone.parent) if bone.parent else None,
        flip(bone.head),
        flip(bone.tail),
        bone.radii,
        mirrored,
        flip(bone.up) if bone.up else None,
    )
    return [bone, right]


def _other(name: str) -> str:
    return f"{name[:-2]}.R" if name.endswith(".L") else name
