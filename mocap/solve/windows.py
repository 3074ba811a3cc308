# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Long clips in overlapping windows: time stays linear in the frames and memory bounded."""

from __future__ import annotations

import numpy as np

from .. import rotations as rot
from .kinematics import State


def spans(frames: int, window: int, overlap: int) -> list[tuple[int, int]]:
    """(start, stop) of windows that cover all frames; neighbours share ``overlap`` frames or more."""
    if frames <= window:
        return [(0, frames)]
    count = int(np.ceil((frames - overlap) / (window - overlap)))
    length = int(np.ceil((frames + (count - 1) * overlap) / count))
    starts = np.linspace(0, frames - length, count).astype(int)
    return [(int(start), int(start) + length) for start in starts]


def join(parts: list[State], windows: list[tuple[int, int]]) -> State:
    """One state from the windows' states. Across an overlap one fades into the next, smoothly, so that
    neither a jump nor a kink is left; near its own edge a window counts for nothing."""
    root, quats = parts[0]
    for part, (start, _) in zip(parts[1:], windows[1:]):
        shared = len(root) - start
        ramp = (np.arange(shared) + 0.5) / shared
        fade = ramp * ramp * (3 - 2 * ramp)
        mixed = root[start:] + fade[:, None] * (part.root[:shared] - root[start:])
        turned = rot.quat_slerp(quats[start:], part.quats[:shared], fade[:, None])
        root = np.concatenate([root[:start], mixed, part.root[shared:]])
        quats = np.concatenate([quats[:start], turned, part.quats[shared:]])
    return State(root, rot.quat_normalize(quats))
