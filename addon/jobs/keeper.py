# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a job's command and record its end: python keeper.py FOLDER

Stands between Blender and the command, so that a job may outlive Blender: the command's output goes to a file
instead of a pipe, a sign of life is renewed every second, and the exit code is written down. Only Python's own
library: whatever Python Blender has, or the toolkit's, can run it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ORDER, LOG, ALIVE, END = "job.json", "log.txt", "alive", "end.json"
BEAT_S = 1.0
NOT_STARTED = 127


def main(folder: Path) -> int:
    order = json.loads((folder / ORDER).read_text(encoding="utf-8"))
    (folder / ALIVE).touch()
    with (folder / LOG).open("ab", buffering=0) as log:
        code = _run(order, folder, log)
    _write_end(folder, code)
    return code


def _run(order: dict, folder: Path, log) -> int:
    hidden = {} if os.name == "posix" else {"creationflags": subprocess.CREATE_NO_WINDOW}
    try:
        child = subprocess.Popen(
            order["command"],
            cwd=order["folder"],
            env={**os.environ, **order["environment"]},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            **hidden,
        )
    except OSError as error:
        log.write(f"anymove: {order['command'][0]} cannot be started: {error.strerror or error}\n".encode())
        return NOT_STARTED
    while True:
        try:
            return child.wait(BEAT_S)
        except subprocess.TimeoutExpired:
            os.utime(folder / ALIVE)


def _write_end(folder: Path, code: int) -> None:
    """At once or not at all: who sees the file can read it."""
    unfinished = folder / f"{END}.part"
    unfinished.write_text(json.dumps({"code": code}), encoding="utf-8")
    unfinished.replace(folder / END)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
