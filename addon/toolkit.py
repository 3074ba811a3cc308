# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the toolkit is, which Python runs it, and the command lines that do. Plain Python.

The toolkit's own Python is a virtual environment with torch and its kin, which Blender's Python never sees.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from ..mocap.errors import BadInput
from ..tools.kit import environment
from .jobs.job import Order

ROOT = environment.ROOT
PLAYED_BLENDER = (sys.executable, str(ROOT / "tools" / "kit" / "play_blender.py"))
"""The bpy module in the part of Blender."""
SET_UP_HINT = "set up the toolkit first (Preferences > Add-ons > Anymove > Set Up Toolkit)"


def is_ready(folder: Path) -> bool:
    """Whether the toolkit's Python in ``folder`` has what this version needs."""
    return environment.ready(folder) and _python_of(folder).exists()


def require(folder: Path) -> None:
    """Raises BadInput where the toolkit is not set up."""
    if not is_ready(folder):
        raise BadInput(f"{folder}: the toolkit's Python is not ready; {SET_UP_HINT}")


def order(
    title: str,
    step: str,
    arguments: list[object],
    folder: Path,
    blender: str = "",
    creature: str = "",
) -> Order:
    """The order that runs ``tools/anymove.py`` with ``arguments`` in the toolkit in ``folder``.

    ``blender``: the program that renders; empty: what the toolkit finds, else its own bpy module.
    """
    surroundings = {"ANYMOVE_VENV": str(folder), "ANYMOVE_PROGRESS": "json", "PYTHONUNBUFFERED": "1"}
    if blender:
        surroundings["BLENDER"] = blender
    # Set-up may have to make the environment anew: a Python cannot do that to itself.
    python = base_python() if arguments[0] == "setup" else str(_python_of(folder))
    command = [python, str(ROOT / "tools" / "anymove.py")]
    return Order(title, step, [*command, *map(str, arguments)], str(ROOT), creature, surroundings)


def script_order(
    title: str, step: str, blender: list[str], script: str, arguments: list[object], creature: str
) -> Order:
    """The order that runs blender_scripts/<script>.py in ``blender``, which needs no toolkit."""
    path = ROOT / "blender_scripts" / f"{script}.py"
    start = [*blender, "-b", "--python-exit-code", "1", "-P", str(path), "--"]
    surroundings = {"ANYMOVE_PROGRESS": "json", "PYTHONUNBUFFERED": "1"}
    return Order(title, step, [*start, *map(str, arguments)], str(ROOT), creature, surroundings)


def base_python() -> str:
    """A Python that can make the toolkit's. Raises BadInput where there is none.

    Blender's own where bpy has builds for its version, else one on the PATH.
    """
    if sys.version_info[:2] in environment.VERSIONS:
        return sys.executable
    for major, minor in reversed(environment.VERSIONS):
        found = shutil.which(f"python{major}.{minor}")
        if found:
            return found
    raise BadInput(
        "the toolkit needs Python 3.11 or 3.13, and neither this Blender nor the PATH has one; "
        "install one from python.org and start Blender again"
    )


def _python_of(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
