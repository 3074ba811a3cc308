# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Other ways from the same detections to a rig's motion, to measure the solver against.

A peer is a function of a rig (its skeleton and its layout's cameras) and detections; it returns a State: the root
(T, 3) in world metres and every bone's local rotation (T, B, 4) wxyz. None corrects exchanged limbs, calibrates views
or knows joint limits.
"""

from __future__ import annotations

from collections.abc import Callable

from mocap.detections import Detections
from mocap.rig_info import RigInfo
from mocap.solve import solve
from mocap.solve.kinematics import State

from .closed_form import closed_form
from .fabrik import fabrik
from .lbfgs import lbfgs
from .least_squares import least_squares

Peer = Callable[[RigInfo, Detections], State]


def ours(info: RigInfo, detections: Detections) -> State:
    motion = solve(detections, info).motion
    return State(motion.root, motion.quats)


PEERS: dict[str, Peer] = {
    "closed form, filtered": closed_form,
    "FABRIK a frame": fabrik,
    "least squares a frame": least_squares,
    "LBFGS, whole clip": lbfgs,
    "ours": ours,
}

__all__ = ["PEERS", "Peer", "closed_form", "fabrik", "lbfgs", "least_squares", "ours"]
