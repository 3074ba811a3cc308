# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The motion an exam asks for: made up, or one of the rig's own clips."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from .. import files, poses
from .. import rotations as rot
from ..errors import BadInput
from ..motion import Motion, clip_path
from ..rig_info import RigInfo
from ..solve.cameras import YAW
from . import hardships

CLOSES_WITHIN = 0.02
"""A clip whose first and last frames differ by less than this share of the height (every joint) loops."""


def made_up(info: RigInfo, seed: int, frames: int, fps: float) -> Motion:
    """A random smooth motion inside the joint limits."""
    motion = poses.random_motion(info.skeleton, seed, frames, fps, info.digest)
    return _recorded(motion, seed, frames, "random")


def from_clip(info: RigInfo, rig_info_path: Path, action: str, seed: int, frames: int, fps: float) -> Motion:
    """``frames`` frames of the rig's own clip ``action``, looped, run to and fro, or cut."""
    if action not in info.clips:
        known = ", ".join(info.clips) or "none"
        raise BadInput(f"{rig_info_path}: the rig has no clip {action!r}; its clips: {known}")
    path = clip_path(rig_info_path, action)
    clip = Motion.load(path)
    clip.check_rig(info.digest, path)
    clip = clip.resample(fps)
    order = playing_order(clip, info, frames)
    quats = rot.quat_continuous(clip.quats[order])
    motion = Motion(fps, clip.bone_names, clip.root[order], quats, info.digest)
    return _recorded(motion, seed, frames, action)


def turned(info: RigInfo, truth_path: str, seed: int) -> Motion:
    """The true motion as the later views of a hard clip see it: turned as ``seed`` decides."""
    truth = Motion.load(truth_path)
    truth.check_rig(info.digest, truth_path)
    yaw = hardships.drawn(seed, truth.frames, len(info.layout.views)).faults(info)[:, -1, YAW]
    origin = {
        "made_by": "mocap.exam turn",
        "of_digest": files.digest_file(truth_path),
        "seed": seed,
        "mean_deg": round(float(np.degrees(yaw.mean())), 3),
    }
    return replace(hardships.turned(truth, info.skeleton, yaw), provenance=origin)


def playing_order(clip: Motion, info: RigInfo, frames: int) -> np.ndarray:
    """(frames,) indices into the clip: cut where it is long enough, looped where its ends meet, else run
    to and fro."""
    if frames <= clip.frames:
        return np.arange(frames)
    joints = clip.joints(info.skeleton)
    gap = float(np.linalg.norm(joints[0] - joints[-1], axis=-1).max())
    forward = np.arange(clip.frames)
    closes = gap < CLOSES_WITHIN * info.skeleton.height
    once = forward[:-1] if closes else np.concatenate([forward, forward[-2:0:-1]])
    return np.resize(once if len(once) else forward, frames)


def _recorded(motion: Motion, seed: int, frames: int, source: str) -> Motion:
    origin = {"made_by": "mocap.exam make", "source": source, "seed": seed, "frames": frames}
    return Motion(motion.fps, motion.bone_names, motion.root, motion.quats, motion.rig_digest, origin)
