# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The solved motion's skeleton at a frame; its file is read aside, for it may be long."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np

from ...mocap.errors import AnymoveError
from ...mocap.motion import Motion
from ...mocap.skeleton import Skeleton
from ..state.step import changed


class Ghost:
    """One motion as joints and bone heads of every frame."""

    def __init__(self) -> None:
        self._key: tuple | None = None
        self._read: tuple[tuple, np.ndarray, float] | None = None
        self._thread: threading.Thread | None = None

    def lines(self, path: Path, skeleton: Skeleton, digest: str, seconds: float) -> np.ndarray | None:
        """(M, 2, 3) bones at ``seconds`` of the motion, in the creature's world; None while it is being read, and
        for a motion of another rig."""
        key = (path, changed(path), digest)
        if key != self._key:
            self._key = key
            self._thread = threading.Thread(
                target=self._load, args=(key, path, skeleton, digest), daemon=True
            )
            self._thread.start()
        if self._read is None or self._read[0] != key:
            return None
        _, lines, fps = self._read
        return lines[int(np.clip(round(seconds * fps), 0, len(lines) - 1))]

    def wait(self) -> None:
        if self._thread is not None:
            self._thread.join()

    def _load(self, key: tuple, path: Path, skeleton: Skeleton, digest: str) -> None:
        try:
            motion = Motion.load(path)
            motion.check_rig(digest, path)
        except AnymoveError:
            # Its step's panel tells what is wrong with it; there is nothing to draw.
            return
        posed = motion.pose(skeleton)
        bones = np.arange(1, len(skeleton.bones))
        bodies = np.stack([posed.heads[:, skeleton.parents[bones]], posed.heads[:, bones]], 2)
        tips = [index for index, joint in enumerate(skeleton.joints) if joint.kind == "tip"]
        ends = np.stack([posed.heads[:, skeleton.joint_bones[tips]], posed.joints[:, tips]], 2)
        self._read = (key, np.concatenate([bodies, ends], 1), motion.fps)
