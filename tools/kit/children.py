# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Child processes side by side: one progress line, their figures, the worst exit code, a clean end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from typing import Any

from mocap import cli

from .environment import ROOT


class StepFailed(Exception):
    """A step ended badly; it has said why. Carries its exit code."""

    def __init__(self, code: int):
        super().__init__(f"ended with {code}")
        self.code = code


def together(commands: list[list[str]], what: str = "rendering") -> list[dict[str, Any]]:
    """Run children side by side, reading their JSON lines; the events that were no progress. Raises
    StepFailed with the worst exit code."""
    environment = {**os.environ, "ANYMOVE_CHILD": "1", "ANYMOVE_PROGRESS": "json"}
    running = [
        subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        for command in commands
    ]
    board = _Board(len(running), what)
    readers = [
        threading.Thread(target=board.read, args=(place, child), daemon=True)
        for place, child in enumerate(running)
    ]
    for reader in readers:
        reader.start()
    try:
        codes = [child.wait() for child in running]
        for reader in readers:
            reader.join()
    except KeyboardInterrupt:
        end(running)
        raise
    board.finish()
    bad = [code for code in codes if code]
    for code in bad:
        tell_crash(code)
    if bad:
        raise StepFailed(max(exit_code(code) for code in bad))
    return board.events


class _Board:
    """Progress of several children as one line, and what else they told."""

    def __init__(self, count: int, what: str):
        self.shares = [0.0] * count
        self.what = what
        self.shown = -1
        self.events: list[dict[str, Any]] = []
        self.lock = threading.Lock()

    def read(self, place: int, child: subprocess.Popen) -> None:
        for line in child.stdout:
            if line.startswith("JOB "):
                self.take(place, json.loads(line[4:]))
            elif line.strip():
                print(line.rstrip(), flush=True)

    def take(self, place: int, event: dict[str, Any]) -> None:
        with self.lock:
            if "progress" in event:
                self._show(place, event["progress"])
            else:
                self.events.append(event)

    def _show(self, place: int, share: float) -> None:
        self.shares[place] = share
        whole = sum(self.shares) / len(self.shares)
        percent = int(100 * whole)
        if cli.listening():
            if percent != self.shown:
                cli.emit({"progress": whole, "message": f"{self.what} {percent}%"})
        elif sys.stderr.isatty():
            print(f"\r{self.what} {percent:3d}%", end="", file=sys.stderr, flush=True)
        elif percent // 10 != self.shown // 10 or self.shown < 0:
            print(f"{self.what} {percent}%", file=sys.stderr, flush=True)
        self.shown = percent

    def finish(self) -> None:
        if sys.stderr.isatty() and self.shown >= 0 and not cli.listening():
            print(file=sys.stderr)


def end(running: list[subprocess.Popen]) -> None:
    """Let children that got the same Ctrl-C finish their writing; then make sure that they are gone."""
    for child in running:
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGTERM)
            try:
                child.wait(5)
            except subprocess.TimeoutExpired:
                child.kill()


def tell_crash(code: int) -> None:
    """A child that a signal ended could not say so itself."""
    if code < 0:
        name = signal.strsignal(-code) or f"signal {-code}"
        print(
            f"anymove: a process crashed ({name}); what was finished is kept, run the same command again to go on",
            file=sys.stderr,
            flush=True,
        )


def exit_code(code: int) -> int:
    """House rules: 2 for bad input, 1 for every other failure (also death by a signal)."""
    return 2 if code == 2 else 1
