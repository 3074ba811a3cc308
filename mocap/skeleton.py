# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The rig as the toolkit sees it: bones, joints (keypoints), limits, limbs, and forward kinematics.

Frames of reference. World is Blender's (Z up, metres), the creature faces -Y, so its left is +X.
``rest[b]`` is the rest orientation of bone ``b`` in the world (columns are the bone's axes, Blender's
``Bone.matrix_local`` without translation). With local rotations ``Q`` (Blender's ``matrix_basis``):

    D[b] = D[parent] @ rest[b] @ Q[b] @ rest[b].T          world rotation away from the rest pose
    x[b] = x[parent] + D[parent] @ (head[b] - head[parent])

so a bone may hang anywhere on its parent, and its Y axis need not point at its child.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from . import rotations as rot

SIDES = ("L", "R", "")
JOINT_KINDS = ("head", "tip", "marker")
LIMB_KINDS = (
    *("body", "spine", "neck", "head", "jaw", "tail", "leg", "toe", "arm", "finger", "wing", "fin"),
    *("ear", "horn", "other"),
)


@dataclass(frozen=True)
class Bone:
    """One deform bone at rest. Positions in world metres, ``limits`` XYZ Euler ranges in radians."""

    name: str
    parent: int
    head: tuple[float, float, float]
    tail: tuple[float, float, float]
    rest: tuple[tuple[float, float, float], ...]
    limits: tuple[tuple[float, float], tuple[float, float], tuple[float, float]]
    limits_from: str
    """Where the limits come from: "constraint", "clips", "limb type" or, for the root, "free"."""
    radius: float = 0.0
    """Thickness of the bone's own skin, metres: the radius of a capsule about ``core``; 0 where it has none."""
    core: tuple[tuple[float, float, float], tuple[float, float, float]] | None = None
    """Ends of that capsule's axis at rest, world metres; None: from head to tail."""


@dataclass(frozen=True)
class Joint:
    """A keypoint: a point fixed to ``bone`` (index), given at rest in world metres.

    A "head" or "tip" is where a bone begins or ends; a "marker" is a point on the skin beside the bone, read
    like a joint but no part of the skeleton: it shows the bone's twist.
    """

    name: str
    bone: int
    point: tuple[float, float, float]
    kind: str
    mirror: int = -1
    """Index of the joint on the other side, -1 where there is none."""


@dataclass(frozen=True)
class Limb:
    """A named chain of bones with one colour family. ``side`` is L, R or empty for the middle.

    Limbs are called by what they are, numbered front to back where there are several, with the side last:
    spine, tail, leg1.L, leg2.R, wing.L. ``bones`` run from the body outwards.
    """

    name: str
    side: str
    bones: tuple[int, ...]
    colour: tuple[float, float, float]
    mirror: int = -1

    @property
    def kind(self) -> str:
        """One of LIMB_KINDS, by the last word of the name: "leg" for leg1.L and hind_leg.R."""
        plain = self.name.removesuffix(f".{self.side}") if self.side else self.name
        word = plain.rstrip("0123456789").rsplit("_", 1)[-1]
        return word if word in LIMB_KINDS else "other"


class Posed(NamedTuple):
    """Result of forward kinematics over T frames."""

    heads: np.ndarray
    """(T, B, 3) bone heads, world metres."""
    turns: np.ndarray
    """(T, B, 3, 3) world rotation of each bone away from its rest orientation."""
    joints: np.ndarray
    """(T, J, 3) joints, world metres."""


@dataclass(frozen=True)
class Skeleton:
    """Bones in an order where parents come first; bone 0 is the root."""

    name: str
    height: float
    """Height of the mesh at rest, metres."""
    bones: tuple[Bone, ...]
    joints: tuple[Joint, ...]
    limbs: tuple[Limb, ...] = field(default=())

    def __post_init__(self) -> None:
        _check(self)

    # Arrays, computed once: everything numerical reads these.
    @cached_property
    def parents(self) -> np.ndarray:
        """(B,) parent index, -1 for the root."""
        return np.array([bone.parent for bone in self.bones], int)

    @cached_property
    def heads(self) -> np.ndarray:
        """(B, 3) bone heads at rest."""
        return np.array([bone.head for bone in self.bones], float)

    @cached_property
    def rest(self) -> np.ndarray:
        """(B, 3, 3) rest orientations."""
        return np.array([bone.rest for bone in self.bones], float)

    @cached_property
    def limits(self) -> np.ndarray:
        """(B, 3, 2) XYZ Euler limits, radians; the last axis is (low, high)."""
        return np.array([bone.limits for bone in self.bones], float)

    @cached_property
    def radii(self) -> np.ndarray:
        """(B,) radius of each bone's capsule, metres; 0 where it has no skin of its own."""
        return np.array([bone.radius for bone in self.bones], float)

    @cached_property
    def cores(self) -> np.ndarray:
        """(B, 2, 3) ends of each bone's capsule at rest."""
        return np.array([bone.core or (bone.head, bone.tail) for bone in self.bones], float)

    @cached_property
    def levels(self) -> tuple[np.ndarray, ...]:
        """The bones by their depth below the root, which stands alone in the first."""
        depth = self.ancestors.sum(1) - 1
        return tuple(np.flatnonzero(depth == level) for level in range(depth.max() + 1))

    @cached_property
    def joint_bones(self) -> np.ndarray:
        """(J,) index of the bone that carries each joint."""
        return np.array([joint.bone for joint in self.joints], int)

    @cached_property
    def joint_points(self) -> np.ndarray:
        """(J, 3) joints at rest."""
        return np.array([joint.point for joint in self.joints], float)

    @cached_property
    def joint_mirror(self) -> np.ndarray:
        """(J,) index of each joint's partner on the other side, -1 where there is none."""
        return np.array([joint.mirror for joint in self.joints], int)

    @cached_property
    def is_marker(self) -> np.ndarray:
        """(J,) bool: on the skin, beside the bone."""
        return np.array([joint.kind == "marker" for joint in self.joints], bool)

    @cached_property
    def bare(self) -> Skeleton:
        """The same skeleton without its markers; the other joints keep their order."""
        if not self.is_marker.any():
            return self
        place = np.where(self.is_marker, -1, np.cumsum(~self.is_marker) - 1)
        kept = [replace(j, mirror=int(place[j.mirror]) if j.mirror >= 0 else -1) for j in self.joints]
        joints = tuple(joint for joint in kept if joint.kind != "marker")
        return Skeleton(self.name, self.height, self.bones, joints, self.limbs)

    @cached_property
    def ancestors(self) -> np.ndarray:
        """(B, B) bool: ``ancestors[b, a]`` where bone a is b or lies above it."""
        table = np.zeros((len(self.bones), len(self.bones)), bool)
        for index, bone in enumerate(self.bones):
            if bone.parent >= 0:
                table[index] = table[bone.parent]
            table[index, index] = True
        return table

    @cached_property
    def bone_limb(self) -> np.ndarray:
        """(B,) index of the limb each bone belongs to, -1 where it belongs to none."""
        table = np.full(len(self.bones), -1)
        for index, limb in enumerate(self.limbs):
            table[list(limb.bones)] = index
        return table

    @cached_property
    def axes(self) -> np.ndarray:
        """(B, 3) unit direction of each bone in its own rest frame, from geometry: towards the middle of
        the child heads and own tip joints (a bone's Y axis is not to be trusted). Where these surround
        the head, towards the farthest of them; Y where nothing hangs on the bone."""
        out = np.tile(np.array([0.0, 1.0, 0.0]), (len(self.bones), 1))
        for index, (bone, points) in enumerate(zip(self.bones, self._hanging_points())):
            if not len(points):
                continue
            offsets = points - np.array(bone.head)
            lengths = np.linalg.norm(offsets, axis=1)
            along = offsets.mean(0)
            if np.linalg.norm(along) < 0.3 * lengths.max():
                along = offsets[np.argmax(lengths)]
            if np.linalg.norm(along) > 1e-6 * self.height:
                out[index] = self.rest[index].T @ (along / np.linalg.norm(along))
        return out

    def _hanging_points(self) -> list[np.ndarray]:
        points: list[list] = [[] for _ in self.bones]
        for bone in self.bones:
            if bone.parent >= 0:
                points[bone.parent].append(bone.head)
        for joint in self.joints:
            if joint.kind != "marker":
                points[joint.bone].append(joint.point)
        return [np.array(p, float).reshape(-1, 3) for p in points]

    def bone_index(self, name: str) -> int:
        return self.bone_names.index(name)

    @cached_property
    def bone_names(self) -> tuple[str, ...]:
        return tuple(bone.name for bone in self.bones)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        return tuple(joint.name for joint in self.joints)

    def pose(self, root: np.ndarray, quats: np.ndarray) -> Posed:
        """Forward kinematics.

        root (T, 3): the root bone's head in world metres. quats (T, B, 4): ``matrix_basis`` rotations.
        """
        return self.pose_matrices(root, rot.quat_to_matrix(quats))

    def pose_matrices(self, root: np.ndarray, local: np.ndarray) -> Posed:
        """Forward kinematics from ``matrix_basis`` rotations as matrices (T, B, 3, 3)."""
        world = self.rest @ local @ np.swapaxes(self.rest, -1, -2)
        turns = np.empty(local.shape)
        heads = np.empty(local.shape[:-1])
        turns[:, 0], heads[:, 0] = world[:, 0], root
        for bones in self.levels[1:]:
            above = self.parents[bones]
            turns[:, bones] = turns[:, above] @ world[:, bones]
            arms = (self.heads[bones] - self.heads[above])[..., None]
            heads[:, bones] = heads[:, above] + (turns[:, above] @ arms)[..., 0]
        offsets = self.joint_points - self.heads[self.joint_bones]
        joints = heads[:, self.joint_bones] + np.einsum("tjik,jk->tji", turns[:, self.joint_bones], offsets)
        return Posed(heads, turns, joints)

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "height_m": self.height,
            "bones": [
                {
                    "name": bone.name,
                    "parent": self.bones[bone.parent].name if bone.parent >= 0 else None,
                    "head": list(bone.head),
                    "tail": list(bone.tail),
                    "rest": [list(row) for row in bone.rest],
                    "limits_deg": [[round(float(np.degrees(v)), 4) for v in pair] for pair in bone.limits],
                    "limits_from": bone.limits_from,
                    "radius": bone.radius,
                    "core": None if bone.core is None else [list(end) for end in bone.core],
                }
                for bone in self.bones
            ],
            "joints": [
                {
                    "name": joint.name,
                    "bone": self.bones[joint.bone].name,
                    "point": list(joint.point),
                    "kind": joint.kind,
                    "mirror": self.joints[joint.mirror].name if joint.mirror >= 0 else None,
                }
                for joint in self.joints
            ],
            "limbs": [
                {
                    "name": limb.name,
                    "side": limb.side,
                    "bones": [self.bones[b].name for b in limb.bones],
                    "colour": list(limb.colour),
                    "mirror": self.limbs[limb.mirror].name if limb.mirror >= 0 else None,
                }
                for limb in self.limbs
            ],
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Skeleton:
        bone_at = _index(data["bones"], "bone")
        joint_at, limb_at = _index(data["joints"], "joint"), _index(data["limbs"], "limb")
        bones = tuple(
            Bone(
                name=b["name"],
                parent=-1 if b["parent"] is None else bone_at[b["parent"]],
                head=tuple(b["head"]),
                tail=tuple(b["tail"]),
                rest=tuple(tuple(row) for row in b["rest"]),
                limits=tuple((np.radians(lo), np.radians(hi)) for lo, hi in b["limits_deg"]),
                limits_from=b["limits_from"],
                radius=float(b["radius"]),
                core=None if b["core"] is None else tuple(tuple(end) for end in b["core"]),
            )
            for b in data["bones"]
        )
        joints = tuple(
            Joint(
                name=j["name"],
                bone=bone_at[j["bone"]],
                point=tuple(j["point"]),
                kind=j["kind"],
                mirror=-1 if j["mirror"] is None else joint_at[j["mirror"]],
            )
            for j in data["joints"]
        )
        limbs = tuple(
            Limb(
                name=limb["name"],
                side=limb["side"],
                bones=tuple(bone_at[b] for b in limb["bones"]),
                colour=tuple(limb["colour"]),
                mirror=-1 if limb["mirror"] is None else limb_at[limb["mirror"]],
            )
            for limb in data["limbs"]
        )
        return cls(data["name"], float(data["height_m"]), bones, joints, limbs)


def _index(entries: list[dict], what: str) -> dict[str, int]:
    table = {entry["name"]: i for i, entry in enumerate(entries)}
    if len(table) != len(entries):
        raise ValueError(f"two {what}s have the same name")
    return table


def _check(skeleton: Skeleton) -> None:
    """Raise ValueError with the bone or joint at fault."""
    if not skeleton.bones or all(joint.kind == "marker" for joint in skeleton.joints):
        raise ValueError("a skeleton needs at least one bone and one joint")
    if not (np.isfinite(skeleton.height) and skeleton.height > 0):
        raise ValueError(f"height is {skeleton.height}, it must be positive")
    for index, bone in enumerate(skeleton.bones):
        if (index == 0) != (bone.parent == -1) or bone.parent >= index:
            raise ValueError(f"bone {bone.name}: parents must come first and only the first bone is a root")
        if np.array(bone.rest).shape != (3, 3) or np.array(bone.head).shape != (3,):
            raise ValueError(f"bone {bone.name}: rest must be 3x3 and head three numbers")
        if not np.allclose(np.array(bone.rest) @ np.array(bone.rest).T, np.eye(3), atol=1e-4):
            raise ValueError(f"bone {bone.name}: rest is not a rotation")
        if not (np.isfinite(bone.radius) and bone.radius >= 0):
            raise ValueError(f"bone {bone.name}: radius is {bone.radius}, it must be 0 or more")
        if bone.core is not None and np.array(bone.core).shape != (2, 3):
            raise ValueError(f"bone {bone.name}: core must be two points")
        for axis, (low, high) in zip("XYZ", bone.limits):
            if not low <= high:
                raise ValueError(f"bone {bone.name}: {axis} limit runs from {low} to {high} radians")
    for joint in skeleton.joints:
        if not 0 <= joint.bone < len(skeleton.bones):
            raise ValueError(f"joint {joint.name}: bone {joint.bone} does not exist")
        if joint.kind not in JOINT_KINDS:
            raise ValueError(f"joint {joint.name}: kind is {joint.kind!r}, one of {JOINT_KINDS} expected")
    for limb in skeleton.limbs:
        if limb.side not in SIDES:
            raise ValueError(f"limb {limb.name}: side is {limb.side!r}, one of {SIDES} expected")
