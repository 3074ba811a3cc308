# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Which Blender runs the scripts: $BLENDER, else blender on the PATH, else the bpy module playing it."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from .environment import ROOT, python

OLDEST = (4, 5)


def command() -> list[str]:
    """The start of a command line that takes Blender's arguments."""
    named = os.environ.get("BLENDER")
    if named:
        return [named]
    found = shutil.which("blender")
    if found:
        return [found]
    inside = python() if python().exists() else Path(sys.executable)
    return [str(inside), str(ROOT / "tools" / "kit" / "play_blender.py")]


def script(name: str, *arguments: str, blend: str | None = None) -> list[str]:
    """The command line that runs blender_scripts/<name>.py in the background."""
    start = [*command(), "-b"] + ([blend] if blend else [])
    path = str(ROOT / "blender_scripts" / f"{name}.py")
    return [*start, "--python-exit-code", "1", "-P", path, "--", *map(str, arguments)]
