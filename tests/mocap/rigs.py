# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Made-up rigs and made-up readings for tests and benchmarks: no Blender, no network needed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mocap import layout, poses
from mocap import rotations as rot
from mocap.detections import Detections
from mocap.exam.readings import Trouble, made_up_readings
from mocap.rig_info import RigInfo
from mocap.skeleton import Bone, Joint, Limb, Skeleton

# name: (parent, head, tail, limits in degrees). Metres; the creature faces -Y and is 1 m high.
_SPINE = {
    "pelvis": (None, (0, 0.35, 0.65), (0, 0.2, 0.68), (180, 180, 180)),
    "spine": ("pelvis", (0, 0.2, 0.68), (0, 0.0, 0.7), (20, 12, 20)),
    "ribs": ("spine", (0, 0.0, 0.7), (0, -0.2, 0.7), (20, 12, 20)),
    "chest": ("ribs", (0, -0.2, 0.7), (0, -0.35, 0.78), (20, 12, 20)),
    "neck": ("chest", (0, -0.35, 0.78), (0, -0.5, 0.92), (35, 20, 35)),
    "head": ("neck", (0, -0.5, 0.92), (0, -0.75, 0.88), (35, 20, 40)),
    "tail1": ("pelvis", (0, 0.42, 0.65), (0, 0.55, 0.6), (35, 15, 35)),
    "tail2": ("tail1", (0, 0.55, 0.6), (0, 0.68, 0.5), (35, 15, 35)),
    "tail3": ("tail2", (0, 0.68, 0.5), (0, 0.85, 0.4), (35, 15, 35)),
}
_LEGS = {
    "shoulder": ("chest", (0.07, -0.28, 0.66), (0.1, -0.32, 0.52), (25, 10, 12)),
    "arm": ("shoulder", (0.1, -0.32, 0.52), (0.1, -0.24, 0.3), (40, 12, 15)),
    "forearm": ("arm", (0.1, -0.24, 0.3), (0.1, -0.28, 0.08), (45, 10, 10)),
    "paw": ("forearm", (0.1, -0.28, 0.08), (0.1, -0.37, 0.0), (35, 10, 12)),
    "thigh": ("pelvis", (0.09, 0.33, 0.6), (0.1, 0.25, 0.37), (40, 12, 15)),
    "shin": ("thigh", (0.1, 0.25, 0.37), (0.1, 0.42, 0.21), (45, 10, 10)),
    "hock": ("shin", (0.1, 0.42, 0.21), (0.1, 0.39, 0.06), (40, 10, 10)),
    "foot": ("hock", (0.1, 0.39, 0.06), (0.1, 0.29, 0.0), (35, 10, 12)),
}
_LEG_LIMBS = {
    "fore_leg": ("shoulder", "arm", "forearm", "paw"),
    "hind_leg": ("thigh", "shin", "hock", "foot"),
}
_RADII = {
    "pelvis": 0.07,
    "spine": 0.08,
    "ribs": 0.08,
    "chest": 0.08,
    "neck": 0.05,
    "head": 0.06,
    "tail1": 0.03,
}
_THIN = 0.025
"""Radius of every other bone's capsule."""
_TIPS = ("head", "tail3", "paw.L", "paw.R", "foot.L", "foot.R")


def _rest(name: str, head: np.ndarray, tail: np.ndarray) -> np.ndarray:
    """A rest orientation whose Y axis misses the bone's direction by some 25 degrees, as rigs' do."""
    rng = np.random.default_rng([ord(c) for c in name])
    y = (tail - head) / np.linalg.norm(tail - head)
    x = np.cross(y, [1.0, 0.2, 0.1])
    x /= np.linalg.norm(x)
    exact = np.stack([x, y, np.cross(x, y)], 1)
    return exact @ rot.exp_so3(rng.normal(0, np.radians(15), 3))


def _placed() -> dict[str, tuple]:
    """Every bone with its side: the left leg as given, the right one mirrored in x."""
    placed = dict(_SPINE)
    for side, sign in (("L", 1), ("R", -1)):
        for name, (parent, head, tail, limits) in _LEGS.items():
            above = f"{parent}.{side}" if parent in _LEGS else parent
            flip = np.array([sign, 1, 1])
            placed[f"{name}.{side}"] = (above, tuple(head * flip), tuple(tail * flip), limits)
    return placed


def quadruped() -> Skeleton:
    """25 bones, 31 joints: a spine, neck, head, tail and four legs of four bones."""
    placed = _placed()
    names = list(placed)
    bones = []
    for name, (parent, head, tail, limits) in placed.items():
        half = np.radians(limits)
        bones.append(
            Bone(
                name=name,
                parent=-1 if parent is None else names.index(parent),
                head=tuple(float(v) for v in head),
                tail=tuple(float(v) for v in tail),
                rest=tuple(map(tuple, _rest(name.split(".")[0], np.array(head), np.array(tail)).tolist())),
                limits=tuple((-float(h), float(h)) for h in half),
                limits_from="default",
                radius=_RADII.get(name, _THIN),
            )
        )
    keypoints = [(name, name, placed[name][1], "head") for name in names]
    keypoints += [(f"{name}.tip", name, placed[name][2], "tip") for name in _TIPS]
    labels = [label for label, *_ in keypoints]
    joints = tuple(
        Joint(label, names.index(bone), tuple(float(v) for v in point), kind, _index(labels, _other(label)))
        for label, bone, point, kind in keypoints
    )
    return Skeleton("quadruped", 1.0, tuple(bones), joints, _limbs(names))


def marked() -> Skeleton:
    """The quadruped with a marker or two beside the axis of every bone of the legs, head and trunk."""
    skeleton = quadruped()
    markers = []
    for bone, name in enumerate(skeleton.bone_names):
        side = -1.0 if name.endswith(".R") else 1.0
        middle = (np.array(skeleton.bones[bone].head) + skeleton.bones[bone].tail) / 2
        reach = skeleton.radii[bone]
        for number, offset in enumerate(((side, 0.3, 0.0), (0.5 * side, -1.0, 0.2)), 1):
            point = tuple((middle + reach * np.array(offset)).tolist())
            markers.append(Joint(f"{name}_m{number}", bone, point, "marker"))
    labels = [*skeleton.joint_names, *(marker.name for marker in markers)]
    paired = [replace(m, mirror=_index(labels, _other_side(m.name))) for m in markers]
    return replace(skeleton, joints=(*skeleton.joints, *paired))


def _other_side(marker: str) -> str:
    """The name of a marker's mirror image: thigh.L_m1 -> thigh.R_m1."""
    bone, number = marker.rsplit("_", 1)
    return f"{_other(bone)}_{number}"


def _other(name: str) -> str:
    swapped = {"L": "R", "R": "L"}
    return ".".join(swapped.get(part, part) for part in name.split("."))


def _index(labels: list[str], other: str) -> int:
    sided = {"L", "R"} & set(other.rsplit("_", 1)[0].split("."))
    return labels.index(other) if sided else -1


def _limbs(names: list[str]) -> tuple[Limb, ...]:
    limbs = [
        Limb("torso", "", tuple(map(names.index, ("pelvis", "spine", "ribs", "chest"))), (0.5, 0.5, 0.5)),
        Limb("neck", "", tuple(map(names.index, ("neck", "head"))), (0.8, 0.8, 0.2)),
        Limb("tail", "", tuple(map(names.index, ("tail1", "tail2", "tail3"))), (0.2, 0.8, 0.8)),
    ]
    for kind, members in _LEG_LIMBS.items():
        for side, colour in (("L", (0.9, 0.2, 0.2)), ("R", (0.2, 0.2, 0.9))):
            partner = len(limbs) + (1 if side == "L" else -1)
            indices = tuple(names.index(f"{m}.{side}") for m in members)
            limbs.append(Limb(f"{kind}.{side}", side, indices, colour, partner))
    return tuple(limbs)


def breach(skeleton: Skeleton, quats: np.ndarray) -> np.ndarray:
    """(..., B - 1, 3) radians by which rotations quats (..., B, 4) leave the limits; the root has none."""
    low, high = skeleton.limits[1:, :, 0], skeleton.limits[1:, :, 1]
    angles = rot.euler_near(rot.matrix_to_euler(rot.quat_to_matrix(quats[..., 1:, :])), low, high)
    return np.maximum(low - angles, 0) + np.maximum(angles - high, 0)


def rig_info(size: int = 400, markers: bool = False) -> RigInfo:
    """The quadruped with cameras fitted to its random poses; its height is 80 cm."""
    skeleton = marked() if markers else quadruped()
    drawn = [poses.random_pose(skeleton, poses.sample_rng(1, i)) for i in range(100)]
    posed = skeleton.pose(np.stack([p.root for p in drawn]), np.stack([p.quats for p in drawn]))
    return RigInfo(skeleton, layout.fit(posed.joints, skeleton.height, size), 80.0)


def detections(
    info: RigInfo,
    joints: np.ndarray,
    noise: float = 0.0,
    sigma: float | None = None,
    missing: float = 0.0,
    gross: float = 0.0,
) -> Detections:
    """Made-up readings of ``joints`` (T, J, 3); pixels are for a creature 400 px high."""
    trouble = Trouble(noise, missing, gross, claimed_px=sigma)
    return made_up_readings(info, joints, trouble)
