# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The exam's clip: rendered panels side by side on a backdrop, as an H.264 video; clean, or with hardships."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from .. import video
from ..errors import BadInput
from ..layout import VIEW_NAMES
from ..motion import JointTrack
from ..rig_info import RigInfo
from ..solve.cameras import YAW
from . import degrade
from .hardships import Hardships, beside, check_turned, drawn

BACKDROPS = ("plain", "procedural")
_GREY = 128
_CRF = 16
"""H.264's constant rate factor: visually near lossless, so that the exam is about reading."""


def film(folder: Path, out: Path, fps: float, backdrop: str, seed: int) -> int:
    """Write ``out`` from the pictures in ``folder`` (<view>/00000.png …); returns the number of frames."""
    frames = len(JointTrack.load(folder / "joints.json").positions)
    panels = _panels(folder, frames)
    backgrounds = _backgrounds(panels, backdrop, seed)
    with video.writer(out, fps, _CRF) as clip:
        for shown in zip(*panels.values()):
            composed = [_over(read_picture(p), behind, p) for p, behind in zip(shown, backgrounds)]
            clip.write(_sheet(composed, shown))
    beside(out).unlink(missing_ok=True)
    return frames


def film_hard(
    folder: Path, turned: Path | None, out: Path, fps: float, backdrop: str, info: RigInfo, seed: int
) -> Hardships:
    """Write ``out`` with the hardships that ``seed`` decides, and their record beside it.

    ``turned`` holds the pictures (and joints) of the true motion as the later views see it, turned about the
    vertical (``hardships.turned``); without it no view is turned.
    """
    truth = JointTrack.load(folder / "joints.json")
    names, frames = info.layout.names, len(truth.positions)
    hardships = drawn(seed, frames, len(names))
    if turned is None:
        hardships = replace(hardships, yaw_deg=((0.0, 0.0),) * len(names))
    else:
        path = turned / "joints.json"
        yaw = hardships.faults(info)[:, -1, YAW]
        check_turned(info, truth, JointTrack.load(path), yaw, str(path))
    panels = _panels(folder, frames, turned)
    if tuple(panels) != names:
        raise BadInput(f"{folder}: pictures of {', '.join(panels)}, the rig's views are {', '.join(names)}")
    backgrounds = [
        _backgrounds(panels, kind, at) for kind, at in ((backdrop, seed), ("procedural", seed + 7919))
    ]
    faults = hardships.faults(info)
    with video.writer(out, fps, hardships.crf) as clip:
        for number, frame in enumerate(hardships.shown):
            behind = backgrounds[hardships.cut is not None and number >= hardships.cut]
            shown = [paths[frame] for paths in panels.values()]
            composed = [
                _over(_suffered(paths, frame, hardships, faults[frame, v]), behind[v], paths[frame])
                for v, paths in enumerate(panels.values())
            ]
            clip.write(_sheet(composed, shown))
    hardships.save(beside(out), out)
    return hardships


def _suffered(paths: list[Path], frame: int, hardships: Hardships, fault: np.ndarray) -> np.ndarray:
    """(H, W, 4) one view's picture of a true frame, smeared and moved."""
    around = [min(max(at, 0), len(paths) - 1) for at in (frame - 1, frame, frame + 1)]
    mixed = degrade.smeared(*(read_picture(paths[at]) for at in around), hardships.smear)
    return degrade.moved(mixed, fault)


def _panels(folder: Path, frames: int, turned: Path | None = None) -> dict[str, list[Path]]:
    """The pictures of each view there is, in the layout's order; all but the first view's from ``turned``."""
    homes = {name: turned if turned is not None and slot else folder for slot, name in enumerate(VIEW_NAMES)}
    panels = {name: pictures(home / name, frames) for name, home in homes.items() if (home / name).is_dir()}
    if not panels:
        raise BadInput(
            f"{folder}: no pictures (folders {' and '.join(VIEW_NAMES)}); run apply_motion with --views"
        )
    return panels


def _backgrounds(panels: dict[str, list[Path]], kind: str, seed: int) -> list[np.ndarray]:
    sizes = [read_picture(paths[0]).shape[:2] for paths in panels.values()]
    return [background(kind, size, seed + slot) for slot, size in enumerate(sizes)]


def pictures(folder: Path, frames: int) -> list[Path]:
    """The view's pictures in order; BadInput where one of ``frames`` is missing or left over."""
    found = sorted(p for p in folder.iterdir() if re.fullmatch(r"\d{5}\.png", p.name))
    expected = [f"{index:05d}.png" for index in range(frames)]
    if [p.name for p in found] != expected:
        missing = sorted(set(expected) - {p.name for p in found})
        fault = f"{missing[0]} is missing" if missing else f"{len(found)} pictures for {frames} frames"
        raise BadInput(f"{folder}: {fault}; render the motion again")
    return found


def read_picture(path: Path) -> np.ndarray:
    """(H, W, 4) uint8 RGBA."""
    picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if picture is None or picture.ndim != 3 or picture.shape[2] != 4 or picture.dtype != np.uint8:
        raise BadInput(f"{path}: not an 8-bit RGBA picture")
    return cv2.cvtColor(picture, cv2.COLOR_BGRA2RGBA)


def background(kind: str, size: tuple[int, int], seed: int) -> np.ndarray:
    """(H, W, 3) uint8: plain grey, or a quiet scene of soft colour patches over a gradient."""
    height, width = size
    if kind == "plain":
        return np.full((height, width, 3), _GREY, np.uint8)
    rng = np.random.default_rng([seed, 0x626B])
    brightness, tint = rng.uniform(70, 190, (2, 1, 1, 1)), rng.normal(0, 12, (2, 1, 1, 3))
    top, bottom = brightness + tint
    scene = top + (bottom - top) * np.linspace(0, 1, height)[:, None, None]
    for cells, strength in ((4, 22.0), (16, 10.0), (64, 5.0)):
        patches = rng.normal(0, strength, (cells, cells, 1)) + rng.normal(0, strength / 4, (cells, cells, 3))
        scene = scene + cv2.resize(patches.astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC)
    return np.clip(scene, 0, 255).astype(np.uint8)


def _sheet(composed: list[np.ndarray], paths: Sequence[Path]) -> np.ndarray:
    """The views' pictures side by side."""
    heights = {panel.shape[0] for panel in composed}
    if len(heights) > 1:
        raise BadInput(f"{paths[0]}: the views' pictures differ in height ({sorted(heights)})")
    return np.concatenate(composed, 1)


def _over(picture: np.ndarray, behind: np.ndarray, path: Path) -> np.ndarray:
    if picture.shape[:2] != behind.shape[:2]:
        raise BadInput(f"{path}: its size differs from the first picture's")
    alpha = picture[..., 3:].astype(np.float32) / 255
    return (picture[..., :3] * alpha + behind * (1 - alpha) + 0.5).astype(np.uint8)
