# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One step's state."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

DONE, STALE, MISSING = "done", "stale", "missing"


class Picture(NamedTuple):
    """Something that came out of a step and can be looked at."""

    title: str
    path: Path


class Step(NamedTuple):
    """``why`` is one short line for people: what there is, or why it is stale or missing."""

    state: str
    why: str
    pictures: tuple[Picture, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    """Name and value of what is worth knowing about the result."""
    newest: Path | None = None
    """The file or folder that the last run of this step left."""


def pictures_of(*named: tuple[str, Path]) -> tuple[Picture, ...]:
    return tuple(Picture(title, path) for title, path in named if path.is_file())


def changed(path: Path) -> float:
    """When it was written; 0 where it does not exist."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
