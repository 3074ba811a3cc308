# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""How a creature usually holds itself, learned from its own clips: for what a single view cannot show."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .. import rotations as rot
from ..motion import Motion, clip_path
from ..rig_info import RigInfo
from .residuals import Rest
from .settings import Settings

_FRAMES = 60
"""Of a clip; a long one must not outweigh the others."""


def clips(rig_info: str | os.PathLike, info: RigInfo) -> dict[str, Motion]:
    """The rig's clips that were not held out when it was adopted."""
    held_out = set(info.source.get("held_out_clips", ()))
    found = {}
    for name in info.clips:
        path = clip_path(Path(rig_info), name)
        if name not in held_out:
            found[name] = Motion.load(path)
            found[name].check_rig(info.digest, path)
    return found


def learned(motions: Sequence[Motion], rest: Rest, settings: Settings) -> Rest:
    """Each bone's mean turn (Markley et al., Averaging Quaternions, 2007) and the covariance about it, widened by what
    clips do not show. Without clips the rest pose stays what is likely."""
    if not motions:
        return rest
    quats = [motion.quats[np.linspace(0, motion.frames - 1, _FRAMES).astype(int)] for motion in motions]
    turns = np.concatenate(quats)
    spread = np.einsum("tbi,tbj->bij", turns, turns)
    middle = np.linalg.eigh(spread)[1][..., -1]
    middle = middle * np.where(middle[:, :1] < 0, -1, 1)
    away = rot.quat_to_rotvec(rot.quat_multiply(rot.quat_conjugate(middle), turns))
    covariance = np.einsum("tbi,tbj->bij", away, away) / len(away)
    covariance += np.eye(3) * np.radians(settings.habit_spread_deg) ** 2
    weights = np.linalg.inv(covariance)
    weights[0] = 0
    return Rest(middle, weights)
