# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One command of the toolkit: its folder on disk, its state, and the thread that reads its log."""

from __future__ import annotations

import collections
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ...mocap import files
from . import keeper, processes
from .progress import Progress

QUEUED, RUNNING, DONE, FAILED, CANCELLED = "queued", "running", "done", "failed", "cancelled"
ENDED = (DONE, FAILED, CANCELLED)
SCHEMA = 1
_LOOK_S = 0.15
_DEAD_AFTER_S = 15.0
"""A keeper that gave no sign of life for so long is gone; a machine that slept or is very busy gets some time."""
_TAIL = 200


@dataclass(frozen=True)
class Order:
    """What is to be run. It goes on where it stopped when it is run again: every step of the toolkit does."""

    title: str
    step: str
    """Which step of the road it is for: "dataset", "reader", ..."""
    command: list[str]
    folder: str
    """Where it runs."""
    creature: str = ""
    environment: dict[str, str] = field(default_factory=dict)


class Job:
    """An order on its way. Its attributes are set by its reading thread and may be read at any time."""

    def __init__(self, folder: Path, order: Order):
        self.folder, self.order = folder, order
        self.state = QUEUED
        self.code: int | None = None
        self.progress = Progress()
        self.lines: collections.deque[str] = collections.deque(maxlen=_TAIL)
        self.began = self.ended = 0.0
        self._pid = 0
        self._child: subprocess.Popen | None = None
        self._reader: threading.Thread | None = None
        self._cancelling = threading.Event()
        self._tree_gone = threading.Event()

    @property
    def log(self) -> Path:
        return self.folder / keeper.LOG

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def message(self) -> str:
        """One line: what it is at, or how it ended."""
        if self.state == FAILED:
            return self.progress.error or self.progress.message or f"ended with {self.code}"
        return self.progress.message

    @property
    def seconds(self) -> float:
        """How long it ran, or runs."""
        return (self.ended or time.time()) - self.began if self.began else 0.0

    @property
    def seconds_left(self) -> float | None:
        return self.progress.seconds_left(time.monotonic()) if self.state == RUNNING else None

    @property
    def cancelling(self) -> bool:
        return self.state == RUNNING and self._cancelling.is_set()

    def save(self) -> None:
        files.write_json(
            self.folder / keeper.ORDER,
            {
                "schema": SCHEMA,
                "kind": "anymove.job",
                **asdict(self.order),
                "state": self.state,
                "code": self.code,
                "pid": self._pid,
                "began": self.began,
                "ended": self.ended,
                "message": self.message,
            },
            indent=1,
        )

    @classmethod
    def load(cls, folder: Path) -> Job:
        """As it was when its file was written. Raises BadInput."""
        path = folder / keeper.ORDER
        data = files.read_json(path, "job")
        files.check_schema(data, SCHEMA, "job", path)

        def build() -> Job:
            names = ("title", "step", "command", "folder", "creature", "environment")
            job = cls(folder, Order(**{name: data[name] for name in names}))
            job.state, job.code, job._pid = data["state"], data["code"], int(data["pid"])
            job.began, job.ended = float(data["began"]), float(data["ended"])
            job.progress.message = data["message"]
            return job

        return files.parse(path, "job", build)

    def start(self) -> None:
        self.state, self.began = RUNNING, time.time()
        self.save()
        (self.folder / keeper.ALIVE).touch()
        self._child = processes.start([_python(), str(Path(keeper.__file__)), str(self.folder)], self.folder)
        self._pid = self._child.pid
        self.save()
        self._read()

    def attach(self) -> None:
        """Go on watching a job that an earlier Blender left running, or settle how it ended."""
        self._read()

    def _read(self) -> None:
        self._reader = threading.Thread(target=self._watch, name=f"anymove {self.name}", daemon=True)
        self._reader.start()

    def _watch(self) -> None:
        """Read what the log gains until the command has ended."""
        tail = _Tail(self.log)
        while True:
            # In this order: what was written before the end is read after it was seen.
            code, gone = self._end(), self._keeper_is_gone()
            for line in tail.lines():
                self.lines.append(line)
                self.progress.take(line, time.monotonic())
            if code is None and gone:
                code = self._end()
                if code is None:
                    self._settle(CANCELLED if self._cancelling.is_set() else FAILED, None)
                    return
            if code is not None:
                self._settle(CANCELLED if self._cancelling.is_set() else DONE if code == 0 else FAILED, code)
                return
            time.sleep(_LOOK_S)

    def _end(self) -> int | None:
        path = self.folder / keeper.END
        return int(files.read_json(path, "end of a job")["code"]) if path.exists() else None

    def _keeper_is_gone(self) -> bool:
        if self._child is not None:
            return self._child.poll() is not None
        return self._tree_gone.is_set() or not beats(self.folder)

    def _settle(self, state: str, code: int | None) -> None:
        if state == FAILED and code is None:
            self.progress.error = "it was interrupted; Resume goes on where it stopped"
        self.code, self.ended = code, time.time()
        self.state = state
        if self.folder.is_dir():
            self.save()

    def cancel(self) -> None:
        """At once for a queued job. A running one is ended by a thread: the caller does not wait."""
        if self.state == QUEUED:
            self._cancelling.set()
            self._settle(CANCELLED, None)
        elif self.state == RUNNING and not self._cancelling.is_set():
            self._cancelling.set()
            threading.Thread(target=self._end_tree, daemon=True).start()

    def end_now(self) -> None:
        """For a Blender that quits: end the tree before returning."""
        if self.state == RUNNING:
            self._cancelling.set()
            self._end_tree()
            self.wait(5)

    def _end_tree(self) -> None:
        processes.end_tree(self._pid)
        self._tree_gone.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Until the end was seen; False where that took longer."""
        if self._reader is not None:
            self._reader.join(seconds)
        return self.state in ENDED


def beats(folder: Path) -> bool:
    """Whether the job's keeper gave a sign of life lately."""
    try:
        return time.time() - (folder / keeper.ALIVE).stat().st_mtime < _DEAD_AFTER_S
    except OSError:
        return False


def _python() -> str:
    """Blender's own Python, or the one that plays Blender."""
    return sys.executable


class _Tail:
    """Whole lines that a growing file gains."""

    def __init__(self, path: Path):
        self._path, self._at, self._rest = path, 0, b""

    def lines(self) -> list[str]:
        try:
            with self._path.open("rb") as log:
                log.seek(self._at)
                found = log.read()
        except FileNotFoundError:
            return []
        self._at += len(found)
        *whole, self._rest = (self._rest + found).split(b"\n")
        return [line.decode("utf-8", "replace").rstrip("\r") for line in whole]
