# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every act on a rig of the user's asks for: where it is, how it stands, how tall it is."""

from __future__ import annotations

from pathlib import Path

from bpy.props import EnumProperty, FloatProperty, StringProperty

from ...mocap import files
from ...mocap.errors import BadInput
from ..rig.facing import AXES

AXIS_ITEMS = [(axis, axis, "") for axis in ("auto", *AXES)]


class RigOptions:
    """Properties, to be inherited beside Operator."""

    filepath: StringProperty(
        name="Rig", description="glb, gltf, fbx or blend; empty: the active armature", subtype="FILE_PATH"
    )
    armature: StringProperty(name="Armature", description="Which armature, where the file has several")
    facing: EnumProperty(
        name="Facing",
        description="Which way the creature looks in its file",
        items=AXIS_ITEMS,
        default="auto",
    )
    up: EnumProperty(
        name="Up",
        description="Which way its back points in its file",
        items=AXIS_ITEMS,
        default="auto",
    )
    height_cm: FloatProperty(name="Height", description="Real height in cm; 0: as the file has it", min=0)


def stated_height(home: Path) -> float | None:
    """The height that the creature's creature.json states, where there is one. Raises BadInput."""
    described = home / "creature.json"
    stated = files.read_json(described, "creature").get("height_cm") if described.exists() else None
    if stated is None:
        return None
    height = files.parse(described, "creature", lambda: float(stated))
    if not height > 0:
        raise BadInput(f"{described}: height_cm is {stated}, it must be positive")
    return height


def creature_folder(given: str) -> Path:
    """Raises BadInput where none is given."""
    if not given:
        raise BadInput("no creature folder given (assets/<name>)")
    return Path(given)
