# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""When a joint counts as seen: what lies in front of it is its own skin, and no more of it than there is at rest.

A joint lies inside the body, so its own surface may be in front of it by as much as the body is thick; a marker
lies on the skin, so nothing may be in front of it but the skin's own bending.
"""

from __future__ import annotations

import numpy as np

from ..skeleton import Skeleton

SKIN = 0.015
"""How far in front of a marker, in heights, its own skin may lie: skin that blends between bones moves a little
against the bone that the marker is fixed to."""
_STARTS_WITHIN = 0.02
_NEAREST = 12


def owners(skeleton: Skeleton) -> np.ndarray:
    """(J, B) bool: the bone that carries the joint and, for a bone's head, the bones that start there."""
    near = _STARTS_WITHIN * skeleton.height
    starting = np.linalg.norm(skeleton.heads[None] - skeleton.joint_points[:, None], axis=-1) < near
    starting[np.arange(len(skeleton.joints)), skeleton.joint_bones] = True
    return starting


def reach(skeleton: Skeleton, points: np.ndarray, owner: np.ndarray) -> np.ndarray:
    """(J,) metres that the joint's own surface may lie in front of it: twice the rest distance to it. points (V, 3)
    at rest, owner (V,) bones. Markers: the skin's own bending."""
    own = owners(skeleton)
    out = np.empty(len(skeleton.joints))
    for index, joint in enumerate(skeleton.joints):
        skin = points[own[index][owner]]
        gaps = np.sort(np.linalg.norm((skin if len(skin) else points) - np.array(joint.point), axis=1))
        out[index] = 2 * gaps[:_NEAREST].mean() + 0.02 * skeleton.height
    return np.where(skeleton.is_marker, SKIN * skeleton.height, out)
