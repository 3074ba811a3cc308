# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Rigs for the solver's benchmarks: adopted from their files in a child process, and their motions."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from mocap import cli
from mocap.errors import AnymoveError
from mocap.exam import make
from mocap.motion import Motion, clip_path
from mocap.rig_info import RigInfo

ROOT = Path(__file__).resolve().parents[2]
CREATURES = ROOT.parent / "shared" / "creatures"
USUAL = ("Wolf", "KhronosFox", "Trex", "Spider", "Wasp")
FPS = 24.0
SEED = 0


def usual_files() -> list[Path]:
    """BadInput where one of the usual rigs is not there."""
    files = [CREATURES / f"{name}.glb" for name in USUAL]
    for file in files:
        cli.need(file.is_file(), f"{file}: no such rig; name rig files behind --rigs")
    return files


def adopt(file: Path, home: Path) -> Path:
    """Adopt a rig into the creature's folder ``home``; returns its rig_info.json. AnymoveError with the child's last
    line where the rig is refused."""
    sys.path.insert(0, str(ROOT / "tools"))
    from kit import blender

    command = blender.script("rig_creature", str(home), str(file.absolute()))
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise AnymoveError(f"{file}: not adopted: {said[-1] if said else f'exit code {done.returncode}'}")
    return home / "rigged" / "rig_info.json"


def motions(info: RigInfo, rig_info: Path, frames: int, names: Sequence[str]) -> list[Motion]:
    """The rig's own clips ``names``, looped or cut to ``frames``."""
    return [make.from_clip(info, rig_info, name, SEED, frames, FPS) for name in names]


def clip(info: RigInfo, rig_info: Path, name: str) -> Motion:
    """One of the rig's own clips, as long as it is."""
    known = ", ".join(info.clips) or "none"
    cli.need(name in info.clips, f"{rig_info}: the rig has no clip {name!r}; its clips: {known}")
    frames = Motion.load(clip_path(rig_info, name)).resample(FPS).frames
    return make.from_clip(info, rig_info, name, SEED, frames, FPS)


def random_motion(info: RigInfo, frames: int) -> Motion:
    return make.made_up(info, SEED, frames, FPS)
