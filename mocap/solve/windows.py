# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Long clips in overlapping windows: time stays linear in the frames and memory bounded."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .. import rotations as rot
from .kinematics import State

Mix = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""(earlier, later, weight of the later (N,)) -> mixed."""


def spans(frames: int, window: int, overlap: int) -> list[tuple[int, int]]:
    """(start, stop) of windows that cover all frames; neighbours share ``overlap`` frames or more."""
    if frames <= window:
        return [(0, frames)]
    count = int(np.ceil((frames - overlap) / (window - overlap)))
    length = int(np.ceil((frames + (count - 1) * overlap) / count))
    starts = np.linspace(0, frames - length, count).astype(int)
    return [(int(start), int(start) + length) for start in starts]


def join_states(parts: list[State], windows: list[tuple[int, int]]) -> State:
    """One state from the windows' states."""
    quats = join([part.quats for part in parts], windows, _turned)
    return State(join([part.root for part in parts], windows), rot.quat_normalize(quats))


def _linear(earlier: np.ndarray, later: np.ndarray, weight: np.ndarray) -> np.ndarray:
    return earlier + weight.reshape(-1, *(1,) * (earlier.ndim - 1)) * (later - earlier)


def _turned(earlier: np.ndarray, later: np.ndarray, weight: np.ndarray) -> np.ndarray:
    return rot.quat_slerp(earlier, later, weight[:, None])


def nearer(earlier: np.ndarray, later: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """No mixing: what is nearer to the middle of its own window. For flags."""
    return np.where(weight.reshape(-1, *(1,) * (earlier.ndim - 1)) > 0.5, later, earlier)


def join(parts: list[np.ndarray], windows: list[tuple[int, int]], mix: Mix = _linear) -> np.ndarray:
    """One (T, ...) array from the windows'. Across an overlap one fades into the next, smoothly, so that neither a
    jump nor a kink is left; near its own edge a window counts for nothing."""
    out = parts[0]
    for part, (start, _) in zip(parts[1:], windows[1:]):
        shared = len(out) - start
        ramp = (np.arange(shared) + 0.5) / shared
        mixed = mix(out[start:], part[:shared], ramp * ramp * (3 - 2 * ramp))
        out = np.concatenate([out[:start], mixed, part[shared:]])
    return out
