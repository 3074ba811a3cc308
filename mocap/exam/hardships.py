# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in clips that others make, done on purpose and by known amounts, so that the truth stays known.

A seed decides everything. What was done is written beside the clip (``clip.hardships.json``): from it the score
knows which true frame each frame of the clip shows, and where each view really stood.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import files
from .. import rotations as rot
from ..errors import BadInput
from ..motion import JointTrack, Motion
from ..rig_info import RigInfo
from ..skeleton import Skeleton
from ..solve.cameras import OFFSET, SCALE, YAW
from ..solve.observations import height_px, pivot

SCHEMA = 1
SCALE_RANGE, SCALE_DRIFT = (0.02, 0.06), (0.01, 0.03)
"""How much too large or too small a view is, and by how much that changes over the clip; shares."""
OFFSET_RANGE, OFFSET_DRIFT = (0.01, 0.04), (0.005, 0.02)
"""How much too low or too high; shares of the creature's height."""
YAW_RANGE, YAW_DRIFT = (1.0, 4.0), (0.5, 2.0)
"""By how many degrees a view is turned about the vertical."""
CRF_RANGE = (32.0, 38.0)
"""H.264's constant rate factor: from visible blocks to mush."""
SMEAR_RANGE = (0.3, 0.6)
"""Share of the neighbouring frames in each frame: what stands still stays sharp, fast limbs smear."""
UNSTEADY = 0.03
"""Share of the frames that are left out, and of those shown twice."""
CUT_BETWEEN = (0.35, 0.65)
"""Where in the clip the backdrop becomes another."""
SAME = 1e-4
"""Share of the height within which the film's turned motion must be the one that the record speaks of."""


@dataclass(frozen=True)
class Hardships:
    """V views in the layout's order; pairs are (constant, drift over the clip).

    ``shown[t]`` is the true frame that frame t of the clip shows. ``offset`` is a share of the height, downwards.
    The first view has no offset and no yaw, for both views' common ones are the root's own place and turn.
    """

    seed: int
    crf: float
    scale: tuple[tuple[float, float], ...]
    offset: tuple[tuple[float, float], ...]
    yaw_deg: tuple[tuple[float, float], ...]
    smear: float
    cut: int | None
    """The clip's first frame with another backdrop; None where it stays the same."""
    shown: tuple[int, ...]
    true_frames: int

    @property
    def steady(self) -> np.ndarray:
        """(T - 1,) bool: frame t + 1 of the clip shows the true frame after that of t."""
        return np.diff(self.shown) == 1

    def faults(self, info: RigInfo) -> np.ndarray:
        """(true frames, V, 3) what each view gets wrong in each true frame, as ``solve.cameras`` counts it."""
        course = _course(self.true_frames)[:, None]
        out = np.zeros((self.true_frames, len(self.scale), 3))
        scale, offset, yaw = (np.array(pairs) for pairs in (self.scale, self.offset, self.yaw_deg))
        out[..., SCALE] = np.log1p(scale[:, 0] + course * scale[:, 1])
        out[..., OFFSET] = (offset[:, 0] + course * offset[:, 1]) * height_px(info.skeleton, info.layout)
        out[..., YAW] = np.radians(yaw[:, 0] + course * yaw[:, 1])
        return out

    def at_shown(self, track: JointTrack, path: str | os.PathLike) -> JointTrack:
        """The true track as the clip shows it, frame by frame."""
        if len(track.positions) != self.true_frames:
            raise BadInput(
                f"{path}: {len(track.positions)} frames, the clip was made from {self.true_frames}; film it again"
            )
        order = np.array(self.shown)
        quats = None if track.quats is None else track.quats[order]
        return JointTrack(track.fps, track.joint_names, track.positions[order], track.rig_digest, quats)

    def names(self) -> list[str]:
        """What was done, in words."""
        parts = [f"H.264 at CRF {self.crf:g}", "scale, height and turn of the views wrong and drifting"]
        if not np.any(self.yaw_deg):
            parts[1] = "scale and height of the views wrong and drifting"
        left_out = self.true_frames - len(set(self.shown))
        twice = len(self.shown) - len(set(self.shown))
        parts += [f"{left_out} frames left out", f"{twice} shown twice", f"{self.smear:.0%} smear"]
        return parts + ([] if self.cut is None else [f"another backdrop from frame {self.cut}"])

    def to_json(self) -> dict[str, Any]:
        listed = {
            name: np.array(getattr(self, name)).tolist() for name in ("scale", "offset", "yaw_deg", "shown")
        }
        return asdict(self) | listed

    def save(self, path: str | os.PathLike, clip: Path) -> None:
        header = {"schema": SCHEMA, "kind": "anymove.hardships", "clip_digest": files.digest_file(clip)}
        files.write_json(path, header | self.to_json(), indent=1)

    @classmethod
    def load(cls, path: str | os.PathLike, clip: Path | None) -> Hardships:
        """BadInput where the file is none of ours, or not about ``clip``."""
        data = files.read_json(path, "hardships")
        files.check_schema(data, SCHEMA, "hardships", path)
        if clip is not None and data.get("clip_digest") != files.digest_file(clip):
            raise BadInput(f"{path}: not about {clip}; film the clip again")
        return files.parse(path, "hardships", lambda: _built(data))


def _built(data: dict[str, Any]) -> Hardships:
    pairs = {
        name: tuple((float(a), float(b)) for a, b in data[name]) for name in ("scale", "offset", "yaw_deg")
    }
    found = Hardships(
        seed=int(data["seed"]),
        crf=float(data["crf"]),
        smear=float(data["smear"]),
        cut=data["cut"],
        shown=tuple(int(frame) for frame in data["shown"]),
        true_frames=int(data["true_frames"]),
        **pairs,
    )
    if len({len(values) for values in pairs.values()}) != 1:
        raise ValueError("scale, offset and yaw_deg speak of different numbers of views")
    if not found.shown or not all(0 <= frame < found.true_frames for frame in found.shown):
        raise ValueError(f"shown frames lie outside the {found.true_frames} true ones")
    return found


def drawn(seed: int, frames: int, views: int) -> Hardships:
    """The hardships that ``seed`` decides, for ``frames`` true frames of ``views`` views."""
    rng = np.random.default_rng([seed, 0x6864])
    rest = views - 1
    scale = [_pair(rng, SCALE_RANGE, SCALE_DRIFT) for _ in range(views)]
    offset = [(0.0, 0.0)] + [_pair(rng, OFFSET_RANGE, OFFSET_DRIFT) for _ in range(rest)]
    yaw = [(0.0, 0.0)] + [_pair(rng, YAW_RANGE, YAW_DRIFT) for _ in range(rest)]
    crf, smear = round(float(rng.uniform(*CRF_RANGE)), 1), round(float(rng.uniform(*SMEAR_RANGE)), 3)
    at = float(rng.uniform(*CUT_BETWEEN))
    shown = _shown(rng, frames)
    cut = round(at * len(shown))
    return Hardships(
        seed=seed,
        crf=crf,
        scale=tuple(scale),
        offset=tuple(offset),
        yaw_deg=tuple(yaw),
        smear=smear,
        cut=cut if 0 < cut < len(shown) else None,
        shown=shown,
        true_frames=frames,
    )


def beside(clip: str | os.PathLike) -> Path:
    """Where the hardships of ``clip.mp4`` are recorded: ``clip.hardships.json``."""
    return Path(clip).with_suffix(".hardships.json")


def turned(motion: Motion, skeleton: Skeleton, yaw: np.ndarray) -> Motion:
    """The motion as a camera that is turned by ``yaw`` (T,) radians about the vertical through the creature's
    middle sees it: turned the other way. A picture cannot be turned about the vertical; the rig can."""
    spin = np.zeros((motion.frames, 3))
    spin[:, 2] = -yaw
    spin = rot.exp_so3(spin)
    middle = pivot(skeleton)
    root = np.einsum("tij,tj->ti", spin, motion.root - middle) + middle
    rest = skeleton.rest[0]
    local = rest.T @ spin @ rest
    quats = motion.quats.copy()
    quats[:, 0] = rot.quat_multiply(rot.matrix_to_quat(local), quats[:, 0])
    return Motion(motion.fps, motion.bone_names, root, rot.quat_continuous(quats), motion.rig_digest)


def check_turned(info: RigInfo, truth: JointTrack, seen: JointTrack, yaw: np.ndarray, path: str) -> None:
    """Raise BadInput where ``seen`` is not ``truth`` turned by ``yaw`` (T,) radians: pictures of another motion."""
    if seen.rig_digest != truth.rig_digest or seen.positions.shape != truth.positions.shape:
        raise BadInput(f"{path}: joints of another rig or length than the truth's; turn and render again")
    spin = np.zeros((len(yaw), 3))
    spin[:, 2] = -yaw
    middle = pivot(info.skeleton)
    expected = np.einsum("tij,tkj->tki", rot.exp_so3(spin), truth.positions - middle) + middle
    apart = float(np.linalg.norm(seen.positions - expected, axis=-1).max())
    if apart > SAME * info.skeleton.height:
        raise BadInput(f"{path}: not the true motion turned as the seed decides; turn and render again")


def _course(frames: int) -> np.ndarray:
    """(T,) from -1/2 to 1/2, slowly in and out: no polynomial, which a solver would find too easily."""
    return np.sin(np.pi * np.linspace(-0.5, 0.5, frames)) / 2 if frames > 1 else np.zeros(1)


def _pair(rng: np.random.Generator, constant: tuple[float, float], drift: tuple[float, float]):
    """(constant, drift), each of either sign."""
    sizes = [rng.uniform(*bounds) * rng.choice((-1, 1)) for bounds in (constant, drift)]
    return tuple(round(float(size), 5) for size in sizes)


def _shown(rng: np.random.Generator, frames: int) -> tuple[int, ...]:
    """The true frame behind each frame of the clip: some are left out, as many others shown twice."""
    inner = np.arange(1, frames - 1)
    count = min(max(1, round(UNSTEADY * frames)), len(inner) // 4)
    chosen = rng.permutation(inner)[: 2 * count]
    left_out, twice = set(chosen[:count].tolist()), set(chosen[count:].tolist())
    return tuple(
        f for frame in range(frames) for f in [frame] * (frame not in left_out) + [frame] * (frame in twice)
    )
