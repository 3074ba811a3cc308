# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Made-up readings of a known motion: what a reader with given faults would have seen.

They examine the solver alone, without rendering and without a reader.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..detections import Detections
from ..motion import Motion
from ..rig_info import RigInfo
from ..solve.observations import height_px
from ..solve.swaps import limb_pairs

REFERENCE_PX = 400.0
"""Height of the creature for which pixels of trouble are stated."""
SHARPEST_PX = 0.05


class Trouble(NamedTuple):
    """What is wrong with made-up readings: pixels for a creature 400 px high (1 px is 0.25% of its
    height), and shares of all readings."""

    noise_px: float
    missing: float = 0.0
    gross: float = 0.0
    swapped: float = 0.0
    correlation: float = 0.0
    """Of the noise from one frame to the next."""
    claimed_px: float | None = None
    """The sigma that the readings state, where it is not the truth."""

    @property
    def name(self) -> str:
        parts = [f"{self.noise_px:g} px"]
        shares = (("missing", self.missing), ("gross", self.gross), ("swapped", self.swapped))
        parts += [f"{share:.0%} {what}" for what, share in shares if share]
        return ", ".join(parts + ([f"correlated {self.correlation:g}"] if self.correlation else []))


def made_up_readings(
    info: RigInfo,
    joints: np.ndarray,
    trouble: Trouble,
    fps: float = 24.0,
    seed: int = 0,
    hidden: np.ndarray | None = None,
) -> Detections:
    """Readings of true joints (T, J, 3) with the given trouble, decided by ``seed``. What is ``hidden``
    (T, V, J) bool is not read."""
    rng = np.random.default_rng([seed, 0x7264])
    truth, _ = info.layout.project(joints)
    scale = float(height_px(info.skeleton, info.layout).mean()) / REFERENCE_PX
    noise_px, claimed = trouble.noise_px * scale, trouble.claimed_px
    sigma = noise_px if claimed is None else claimed * scale
    noise = rng.normal(size=truth.shape)
    for frame in range(1, len(noise)):
        fresh = np.sqrt(1 - trouble.correlation**2) * noise[frame]
        noise[frame] = trouble.correlation * noise[frame - 1] + fresh
    positions = truth + noise_px * noise
    stray = rng.random(truth.shape[:-1]) < trouble.gross
    low, high = truth.min((0, 2), keepdims=True), truth.max((0, 2), keepdims=True)
    positions = np.where(stray[..., None], low + (high - low) * rng.random(truth.shape), positions)
    positions = exchange(info, positions, trouble.swapped, rng)
    read = rng.random(truth.shape[:-1]) >= trouble.missing
    if hidden is not None:
        read &= ~hidden
    return Detections(
        fps=fps,
        times=np.arange(len(joints)) / fps,
        joint_names=info.skeleton.joint_names,
        positions=positions,
        confidence=np.where(read, 1.0, 0.0),
        sigma=np.full(read.shape, max(sigma, SHARPEST_PX)),
        layout=info.layout,
        rig_digest=info.digest,
    )


def turned_away(info: RigInfo, motion: Motion) -> np.ndarray:
    """(T, V, J) bool: markers on the far side of their bone, as a view sees it; never a joint."""
    skeleton = info.skeleton
    posed = motion.pose(skeleton)
    bones = skeleton.joint_bones
    axes = np.einsum("jik,jk->ji", skeleton.rest[bones], skeleton.axes[bones])
    arms = skeleton.joint_points - skeleton.heads[bones]
    outward = arms - (arms * axes).sum(1, keepdims=True) * axes
    outward = np.einsum("tjik,jk->tji", posed.turns[:, bones], outward)
    sight = posed.joints[:, None] - np.array([view.position for view in info.layout.views])[:, None]
    return ((outward[:, None] * sight).sum(-1) > 0) & skeleton.is_marker


def exchange(info: RigInfo, positions: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Swap limbs with their mirrors, one view at a time, in runs of 3 to 15 frames."""
    out = positions.copy()
    done = np.zeros(positions.shape[:-1], bool)
    pairs = limb_pairs(info.skeleton)
    while pairs and done.mean() < share:
        pair, view = pairs[rng.integers(len(pairs))], int(rng.integers(positions.shape[1]))
        start = int(rng.integers(len(positions)))
        frames = np.arange(start, min(start + int(rng.integers(3, 16)), len(positions)))
        both, other = pair.exchange
        if not done[frames][:, view][:, both].any():
            out[np.ix_(frames, [view], both)] = positions[np.ix_(frames, [view], other)]
            done[np.ix_(frames, [view], both)] = True
    return out
