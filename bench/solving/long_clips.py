# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Time and memory of long clips, each solved in a process of its own: ``python -m bench.solving.long_clips``."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mocap import cli
from mocap.errors import AnymoveError
from mocap.rig_info import RigInfo
from mocap.solve import solve

from . import troubles
from .figures import accuracy, clocked
from .rigs import ROOT, random_motion
from .troubles import readings

LENGTHS = (120, 1200, 10000)
CASE = troubles.MIXED_4
_MARK = "MEASURED "


def in_child(rig_info: Path, frames: int) -> dict[str, Any]:
    """Figures of a random motion of so many frames. AnymoveError with the child's last line where it fails."""
    command = [sys.executable, "-m", "bench.solving.long_clips", str(rig_info.absolute()), str(frames)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    told = [line for line in done.stdout.splitlines() if line.startswith(_MARK)]
    if done.returncode or not told:
        said = done.stderr.strip().splitlines()
        raise AnymoveError(f"{frames} frames: {said[-1] if said else f'exit code {done.returncode}'}")
    return json.loads(told[-1].removeprefix(_MARK))


def measured(info: RigInfo, frames: int) -> dict[str, Any]:
    """``start_mb`` is the peak memory of this process before solving, ``peak_mb`` after it."""
    motion = random_motion(info, frames)
    read = readings(info, motion, CASE)
    start = peak_mb()
    solved, seconds = clocked(lambda: solve(read, info))
    peak = peak_mb()
    return {
        "frames": frames,
        "seconds": seconds,
        "seconds_per_120_frames": seconds * 120 / frames,
        "start_mb": start,
        "peak_mb": peak,
        **accuracy(info, motion, solved.motion),
    }


def peak_mb() -> float:
    """The most memory that this process ever held. Linux tells kilobytes, macOS bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def main(argv: Sequence[str]) -> None:
    parser = cli.Parser("python -m bench.solving.long_clips", description=__doc__)
    parser.add_argument("rig", metavar="RIG_INFO", type=Path)
    parser.add_argument("frames", type=cli.positive_int)
    options = parser.parse_args(argv)
    cli.say(_MARK + json.dumps(measured(RigInfo.load(options.rig), options.frames)))


if __name__ == "__main__":
    sys.exit(cli.run(main))
