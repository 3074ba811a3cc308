# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Where bones end that have no child: formats that store joints only lose these ends."""

from __future__ import annotations

import numpy as np

from ..skeleton import Skeleton

SUFFIX = "_end"
LEAST = 1e-3
"""An end lies at least this far from its bone's head, in heights."""


def ends(skeleton: Skeleton) -> dict[int, np.ndarray]:
    """Leaf bone (index) -> (3,) its end at rest, world metres: its tip joint, where the flesh ends, else the bone's
    tail."""
    parents = set(skeleton.parents.tolist())
    tips = {joint.bone: joint.point for joint in skeleton.joints if joint.kind == "tip"}
    out = {}
    for index, bone in enumerate(skeleton.bones):
        if index in parents:
            continue
        end, head = np.array(tips.get(index, bone.tail), float), np.array(bone.head, float)
        if np.linalg.norm(end - head) < LEAST * skeleton.height:
            end = head + LEAST * skeleton.height * skeleton.rest[index] @ skeleton.axes[index]
        out[index] = end
    return out
