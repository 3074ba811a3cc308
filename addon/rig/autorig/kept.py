# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that the user moved in a rig that we made: they stay where they were put.

With a rig of ours, rig_info.json records (under ``source.autorig``) what was fitted to which file, where
the bones of rigged.blend were when it was written, and which joints were kept before.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import bpy
import numpy as np

from ....mocap.errors import BadInput
from ....mocap.fitting.fit import Fit, Placed
from ....mocap.rig_info import RigInfo
from .. import importing
from .frame import Framed

MOVED = 0.002
"""A bone's end counts as moved from this distance on (in heights)."""


class Kept(NamedTuple):
    joints: dict[str, Placed]
    """In the world of the user's file."""
    new: bool
    """Some were moved since the rig was made."""


NOTHING = Kept({}, False)


def read(folder: Path, mesh_digest: str, template: str, landmarks: dict[str, Placed]) -> Kept:
    """What must be kept when the same mesh is rigged again into ``folder``; nothing where another rig, or
    none, is there. A landmark that was not given before is newer than what was kept before."""
    if not (folder / "rig_info.json").exists() or not (folder / "rigged.blend").exists():
        return NOTHING
    info = RigInfo.load(folder / "rig_info.json")
    record = info.source.get("autorig")
    if not record or record["mesh"] != mesh_digest or template not in ("auto", record["template"]):
        return NOTHING
    before = {name: (np.array(head), np.array(tail)) for name, (head, tail) in record["bones"].items()}
    now = _bones(folder / "rigged.blend")
    missing = [name for name in before if name not in now]
    if missing:
        raise BadInput(
            f"{folder / 'rigged.blend'}: bone {missing[0]} is gone, so this is a rig of its own now: adopt that "
            "file, or move the folder away to start anew"
        )
    to_file = np.linalg.inv(np.array(info.source["to_clean"]))
    moved = _moved(before, now, record["follows"], MOVED * info.skeleton.height)
    news = {name for name, mark in landmarks.items() if _number(mark.point) != record["landmarks"].get(name)}
    joints = {name: np.array(place) for name, place in record["kept"].items() if name not in news}
    joints.update({name: to_file[:3, :3] @ place + to_file[:3, 3] for name, place in moved.items()})
    return Kept({name: Placed(place, "kept", 1.0) for name, place in joints.items()}, bool(moved))


def _bones(path: Path) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Head and tail of each bone of a clean rig, metres."""
    with importing.opened(path) as imported:
        rigs = [item for item in imported.scene.objects if item.type == "ARMATURE"]
        if len(rigs) != 1:
            raise BadInput(f"{path}: {len(rigs)} armatures in it, there should be one")
        return ends(rigs[0])


def ends(rig: bpy.types.Object) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """(head, tail) of each bone at rest, in the world."""
    world = np.array(rig.matrix_world)
    place = lambda point: world[:3, :3] @ np.array(point) + world[:3, 3]  # noqa: E731
    return {bone.name: (place(bone.head_local), place(bone.tail_local)) for bone in rig.data.bones}


def _moved(before: dict, now: dict, follows: dict[str, str], far: float) -> dict[str, np.ndarray]:
    """Joints by name. A joint is the head of its bone; where only the tail of the bone before it was
    moved, that is where the joint goes. A tail that ends nowhere in particular says nothing."""
    out = {}
    for name, joint in follows.items():
        if np.linalg.norm(now[name][1] - before[name][1]) > far:
            out[joint] = now[name][1]
    for name, (head, _) in before.items():
        if np.linalg.norm(now[name][0] - head) > far:
            out[name] = now[name][0]
    return out


def _number(place: np.ndarray) -> list[float]:
    return [round(float(v), 6) for v in place]


def record(
    mesh_digest: str,
    fit: Fit,
    body: Framed,
    clean: bpy.types.Object,
    to_clean: np.ndarray,
    known: Mapping[str, Placed],
) -> dict[str, Any]:
    """For rig_info.json's ``source.autorig``; places are in the clean world, ``known`` ones (landmarks and
    kept joints) in the file's."""
    move = to_clean @ body.to_world
    made = ends(clean)
    near = 1e-3 * np.ptp(np.array(list(made.values())).reshape(-1, 3), axis=0).max()
    joints = {name: move[:3, :3] @ placed.point + move[:3, 3] for name, placed in fit.joints.items()}
    # The clean rig's bones end at their farthest child: not always at the next bone of their chain.
    follows = {
        bone.name: bone.end
        for bone in fit.bones
        if bone.end.endswith("_tip") or np.linalg.norm(made[bone.name][1] - joints[bone.end]) < near
    }
    return {
        "mesh": mesh_digest,
        "template": fit.template,
        "bones": {name: [_number(head), _number(tail)] for name, (head, tail) in made.items()},
        "ends": {bone.name: bone.end for bone in fit.bones},
        "follows": follows,
        "kept": {name: _number(p.point) for name, p in known.items() if p.source == "kept"},
        "landmarks": {name: _number(p.point) for name, p in known.items() if p.source == "landmark"},
        "joints": {
            name: {
                "point": _number(joints[name]),
                "source": placed.source,
                "confidence": round(placed.confidence, 2),
            }
            for name, placed in fit.joints.items()
        },
    }
