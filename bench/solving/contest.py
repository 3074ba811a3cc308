# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The solver against its peers: the same readings, the same figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from threadpoolctl import threadpool_limits

from bench.solver_peers import PEERS, Peer
from mocap import cli
from mocap.motion import Motion
from mocap.rig_info import RigInfo

from . import troubles
from .figures import accuracy, clocked
from .troubles import Case, readings

CASES = (troubles.NOISE_4, troubles.MIXED_4, troubles.LASTING)
QUICK = (troubles.MIXED_4,)


def rows(info: RigInfo, motions: Sequence[Motion], quick: bool = False) -> list[dict[str, Any]]:
    """One row a motion, case and peer. All run on one thread: CPU seconds then compare."""
    cases = QUICK if quick else CASES
    work = [(motion, case, name) for motion in motions for case in cases for name in PEERS]
    torch.set_num_threads(1)
    with threadpool_limits(1):
        return [
            {"peer": name, **contend(info, motion, case, PEERS[name])}
            for motion, case, name in cli.track(work, "solving")
        ]


def contend(info: RigInfo, motion: Motion, case: Case, peer: Peer) -> dict[str, Any]:
    read = readings(info, motion, case)
    state, seconds = clocked(lambda: peer(info, read))
    found = Motion(motion.fps, motion.bone_names, state.root, state.quats, info.digest)
    return {
        "motion": motion.provenance["source"],
        "case": case.name,
        **accuracy(info, motion, found),
        "seconds": seconds,
        "seconds_per_120_frames": seconds * 120 / motion.frames,
    }
