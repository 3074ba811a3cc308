# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The same order without a queue: run it here and wait for it, as scripts want it."""

from __future__ import annotations

import subprocess
import time

from ...mocap.errors import AnymoveError, BadInput
from . import processes
from .job import Order
from .progress import Progress

BAD_INPUT = 2


def run(order: Order) -> str:
    """Run ``order`` to its end, printing its lines for people; its last line. Raises BadInput or AnymoveError with the
    line that says why it failed."""
    progress = Progress()
    try:
        child = subprocess.Popen(
            order.command,
            cwd=order.folder,
            env=processes.environment() | order.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            **processes.own_tree(),
        )
    except OSError as error:
        raise AnymoveError(f"{order.command[0]} cannot be started: {error.strerror or error}") from error
    try:
        for line in child.stdout:
            progress.take(line, time.monotonic())
            if line.strip() and not line.startswith("JOB {"):
                print(line.rstrip(), flush=True)
        code = child.wait()
    except BaseException:
        processes.end_tree(child.pid)
        raise
    if code:
        why = progress.error or progress.message or f"ended with {code}"
        raise (BadInput if code == BAD_INPUT else AnymoveError)(f"{order.title}: {why}")
    return progress.message
