# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Motion: one clip of a skeleton's movement, the hand-off between solver, exam and Blender."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from . import __version__, files
from . import rotations as rot
from .errors import BadInput
from .skeleton import Posed, Skeleton

SCHEMA = 1


@dataclass(frozen=True)
class Motion:
    """T frames of B bones.

    root (T, 3): the root bone's head, world metres. quats (T, B, 4): each bone's local rotation wxyz,
    Blender's ``matrix_basis``, continuous in sign over time. ``rig_digest`` names the rig_info it is for.
    """

    fps: float
    bone_names: tuple[str, ...]
    root: np.ndarray
    quats: np.ndarray
    rig_digest: str
    provenance: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        frames, bones = len(self.root), len(self.bone_names)
        if not self.fps > 0:
            raise ValueError(f"fps is {self.fps}, it must be positive")
        if frames == 0:
            raise ValueError("the motion has no frames")
        if self.root.shape != (frames, 3) or self.quats.shape != (frames, bones, 4):
            raise ValueError(
                f"root {self.root.shape} and rotations {self.quats.shape} do not fit {bones} bones"
            )
        bad = np.argwhere(
            ~(np.isfinite(self.quats).all(-1)) | (np.abs(np.linalg.norm(self.quats, axis=-1) - 1) > 1e-3)
        )
        if len(bad):
            frame, bone = bad[0]
            raise ValueError(f"frame {frame}, bone {self.bone_names[bone]}: not a unit quaternion")
        if not np.isfinite(self.root).all():
            raise ValueError(f"frame {np.argwhere(~np.isfinite(self.root))[0][0]}: root is not finite")

    @property
    def frames(self) -> int:
        return len(self.root)

    def pose(self, skeleton: Skeleton) -> Posed:
        return skeleton.pose(self.root, self.quats)

    def joints(self, skeleton: Skeleton) -> np.ndarray:
        """(T, J, 3) joints in world metres."""
        return self.pose(skeleton).joints

    def resample(self, fps: float) -> Motion:
        """The same motion at another rate: slerp for rotations, linear for the root."""
        count = max(1, round((self.frames - 1) * fps / self.fps) + 1)
        at = np.minimum(np.arange(count) * self.fps / fps, self.frames - 1)
        low = np.minimum(at.astype(int), max(self.frames - 2, 0))
        high = np.minimum(low + 1, self.frames - 1)
        weight = at - low
        root = self.root[low] + (self.root[high] - self.root[low]) * weight[:, None]
        quats = rot.quat_slerp(self.quats[low], self.quats[high], weight[:, None])
        quats = rot.quat_continuous(rot.quat_normalize(quats))
        return Motion(fps, self.bone_names, root, quats, self.rig_digest, dict(self.provenance))

    def in_place(self, skeleton: Skeleton) -> Motion:
        """Without travel: the root stays above where it stands at rest. Height and turns are kept."""
        root = self.root.copy()
        root[:, :2] = skeleton.heads[0, :2]
        return replace(self, root=root)

    def check_rig(self, rig_digest: str, path: str | os.PathLike) -> None:
        if self.rig_digest != rig_digest:
            raise BadInput(
                f"{path}: made for another rig ({self.rig_digest[:8]}, not {rig_digest[:8]}); make it anew"
            )

    def save(self, path: str | os.PathLike) -> None:
        files.write_json(
            path,
            {
                "schema": SCHEMA,
                "kind": "anymove.motion",
                "tool_version": __version__,
                "rig_digest": self.rig_digest,
                "fps": self.fps,
                "bones": list(self.bone_names),
                "root_m": np.round(self.root, 7).tolist(),
                "rotations_wxyz": np.round(self.quats, 8).tolist(),
                "provenance": self.provenance,
            },
        )

    @classmethod
    def load(cls, path: str | os.PathLike) -> Motion:
        data = files.read_json(path, "motion")
        files.check_schema(data, SCHEMA, "motion", path)

        def build() -> Motion:
            bones = tuple(data["bones"])
            return cls(
                float(data["fps"]),
                bones,
                np.array(data["root_m"], float).reshape(-1, 3),
                np.array(data["rotations_wxyz"], float).reshape(-1, len(bones), 4),
                data["rig_digest"],
                data.get("provenance", {}),
            )

        return files.parse(path, "motion", build)


@dataclass(frozen=True)
class JointTrack:
    """joints.json: where a rig's joints really were, frame by frame (T, J, 3) in world metres."""

    fps: float
    joint_names: tuple[str, ...]
    positions: np.ndarray
    rig_digest: str
    quats: np.ndarray | None = None
    """(T, B, 4) local rotations read back from the rig, where known."""

    def save(self, path: str | os.PathLike) -> None:
        files.write_json(
            path,
            {
                "schema": SCHEMA,
                "kind": "anymove.joints",
                "rig_digest": self.rig_digest,
                "fps": self.fps,
                "joints": list(self.joint_names),
                "positions_m": np.round(self.positions, 7).tolist(),
                "rotations_wxyz": None if self.quats is None else np.round(self.quats, 8).tolist(),
            },
        )

    @classmethod
    def load(cls, path: str | os.PathLike) -> JointTrack:
        data = files.read_json(path, "joints")
        files.check_schema(data, SCHEMA, "joints", path)

        def build() -> JointTrack:
            names = tuple(data["joints"])
            quats = data.get("rotations_wxyz")
            return cls(
                float(data["fps"]),
                names,
                np.array(data["positions_m"], float).reshape(-1, len(names), 3),
                data["rig_digest"],
                None if quats is None else np.array(quats, float),
            )

        return files.parse(path, "joints", build)


def clip_path(rig_info_path: str | os.PathLike, name: str) -> Path:
    """Where the rig's own clip ``name`` lies: ``clips/<name>.json`` beside rig_info.json."""
    return Path(rig_info_path).parent / "clips" / f"{name}.json"
