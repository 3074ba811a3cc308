# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What stands on the ground stands still: contacts found in a solve and held to one place in the next.

A contact is a run of frames in which a foot, hand or tail tip (of a creature without limbs: the body) is as low as it
ever comes, slow, and stays where it is. While solving, each run is drawn to its own middle; limits, readings and
smoothness stay what they are, so nothing breaks to keep a foot still.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.ndimage import binary_closing, binary_opening, uniform_filter1d

from ..skeleton import Skeleton
from .settings import Settings

_ENDS = ("leg", "toe", "arm", "finger", "tail")
_LIMBS = ("leg", "arm", "wing")
_BODY = ("body", "spine", "neck", "head", "tail")
_LOWEST = 5
"""Percentile of a joint's height over the clip that counts as the lowest it comes."""


class Contact(NamedTuple):
    """A joint that stands still on the ground from frame ``start`` up to ``stop``, not included."""

    joint: str
    start: int
    stop: int


class Anchors(NamedTuple):
    """Where joints are held, over T frames: targets (T, J, 3) world metres; precision (T, J) per square metre, 0 where
    nothing holds a joint."""

    targets: np.ndarray
    precision: np.ndarray

    @classmethod
    def none(cls, frames: int, joints: int) -> Anchors:
        return cls(np.zeros((frames, joints, 3)), np.zeros((frames, joints)))

    def cost(self, joints: np.ndarray) -> float:
        return float((self.precision * ((joints - self.targets) ** 2).sum(-1)).sum())

    def pulls(self, joints: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights (T, J, 3, 3) and gradients (T, J, 3) on the joints."""
        weight = self.precision[..., None, None] * np.eye(3)
        return weight, self.precision[..., None] * (joints - self.targets)


def candidates(skeleton: Skeleton) -> np.ndarray:
    """(J,) bool: the joints at the ends of limbs and tail; of a creature without legs, arms and wings every joint of
    its body."""
    kinds = [limb.kind for limb in skeleton.limbs]
    of_joint = skeleton.bone_limb[skeleton.joint_bones]
    kind = np.array([kinds[limb] if limb >= 0 else "" for limb in of_joint])
    if not set(kinds) & set(_LIMBS):
        return np.isin(kind, _BODY) & ~skeleton.is_marker
    tips = np.array([joint.kind == "tip" for joint in skeleton.joints])
    return tips & np.isin(kind, _ENDS)


def find(
    skeleton: Skeleton, joints: np.ndarray, fps: float, settings: Settings, floor: float | None = None
) -> np.ndarray:
    """(T, J) bool: which joints (T, J, 3) are in contact with the ground. ``floor`` in world metres, or None: found as
    the lowest that any candidate comes."""
    frames, height = len(joints), skeleton.height
    able = candidates(skeleton)
    out = np.zeros(joints.shape[:2], bool)
    least = max(3, round(settings.contact_seconds * fps))
    if frames < least or not able.any():
        return out
    smooth = uniform_filter1d(joints, 3, axis=0, mode="nearest")
    speed = np.linalg.norm(np.gradient(smooth, axis=0), axis=-1) * fps
    lowest = np.percentile(smooth[..., 2], _LOWEST, axis=0)
    ground = lowest[able].min() if floor is None else floor
    low = smooth[..., 2] < lowest + settings.contact_lift * height
    reaches = able & (lowest < ground + settings.contact_reach * height)
    still = low & (speed < settings.contact_speed * height) & reaches
    for joint in np.flatnonzero(still.any(0)):
        for start, stop in runs(_without_flicker(still[:, joint], least)):
            apart = np.linalg.norm(smooth[start:stop, joint] - smooth[start:stop, joint].mean(0), axis=-1)
            out[start:stop, joint] = apart.max() < settings.contact_drift * height
    return out


def _without_flicker(flags: np.ndarray, least: int) -> np.ndarray:
    """(T,) bool with single gaps closed and runs shorter than ``least`` left out; the clip's ends go on."""
    padded = np.pad(flags, least, mode="edge")
    return binary_opening(binary_closing(padded, np.ones(3)), np.ones(least))[least:-least]


def hold(skeleton: Skeleton, joints: np.ndarray, touching: np.ndarray, settings: Settings) -> Anchors:
    """Every run of contact drawn to the middle of where it is now."""
    targets = np.zeros(joints.shape)
    precision = touching / (settings.contact_hold * skeleton.height) ** 2
    for joint in np.flatnonzero(touching.any(0)):
        for start, stop in runs(touching[:, joint]):
            targets[start:stop, joint] = joints[start:stop, joint].mean(0)
    return Anchors(targets, precision)


def runs(flags: np.ndarray) -> list[tuple[int, int]]:
    """(T,) bool -> (start, stop) of every run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(int)))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2])]


def contacts(skeleton: Skeleton, touching: np.ndarray) -> list[Contact]:
    """The runs by name, in the order of their beginning."""
    names = skeleton.joint_names
    found = [
        Contact(names[joint], start, stop)
        for joint in np.flatnonzero(touching.any(0))
        for start, stop in runs(touching[:, joint])
    ]
    return sorted(found, key=lambda contact: (contact.start, contact.joint))


def slide(joints: np.ndarray, touching: np.ndarray, fps: float) -> float | None:
    """Mean speed along the ground of joints (T, J, 3) while they touch it, metres a second; None where none does."""
    both = touching[1:] & touching[:-1]
    speed = np.linalg.norm(np.diff(joints[..., :2], axis=0), axis=-1) * fps
    return float(speed[both].mean()) if both.any() else None
