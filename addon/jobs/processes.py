# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Start a process that leads a tree of its own, and end such a tree, children's children included."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

POSIX = os.name == "posix"
_LOOK_S = 0.05
_NOT_FOR_CHILDREN = ("PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONUSERBASE")
"""Blender's own Python is not the toolkit's."""


def environment() -> dict[str, str]:
    """This process's environment for a child: without what would bend its Python."""
    return {name: value for name, value in os.environ.items() if name not in _NOT_FOR_CHILDREN}


def own_tree() -> dict:
    """What Popen needs to make the child lead a tree of its own, without a window on Windows."""
    if POSIX:
        return {"start_new_session": True}
    return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}


def start(command: list[str], folder: Path) -> subprocess.Popen:
    """A process that neither shares our terminal nor dies with us. What it prints is not read: it keeps a log."""
    silent = subprocess.DEVNULL
    return subprocess.Popen(
        command, cwd=folder, env=environment(), stdin=silent, stdout=silent, stderr=silent, **own_tree()
    )


def end_tree(pid: int, grace_s: float = 3.0) -> None:
    """End the tree that ``pid`` leads: first by asking, after ``grace_s`` by force. Returns when it is gone."""
    if pid <= 0:
        # Not started yet; and to the system, 0 means the asking process's own tree.
        return
    if not POSIX:
        subprocess.run(
            ["taskkill", "/PID", str(pid), "/T", "/F"],
            capture_output=True,
            check=False,
            creationflags=subprocess.CREATE_NO_WINDOW,
        )
        return
    for word, patience in ((signal.SIGTERM, grace_s), (signal.SIGKILL, 2.0)):
        try:
            os.killpg(pid, word)
        except (ProcessLookupError, PermissionError):
            return
        if _gone_within(pid, patience):
            return


def _gone_within(pid: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        _reap(pid)
        try:
            os.killpg(pid, 0)
        except (ProcessLookupError, PermissionError):
            return True
        time.sleep(_LOOK_S)
    return False


def _reap(pid: int) -> None:
    """A child of ours that has ended stays in its group until somebody asks how it ended."""
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return
