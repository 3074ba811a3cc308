# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The steps of the road, each a child process: Blender for what needs it, the toolkit's Python else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

from . import blender
from .environment import ROOT, python


class StepFailed(Exception):
    """A step ended badly; it has said why. Carries its exit code."""

    def __init__(self, code: int):
        super().__init__(f"ended with {code}")
        self.code = code


def creature_home(name: str) -> Path:
    """assets/<name>, or the folder itself where a path was given."""
    return Path(name).absolute() if "/" in name or os.sep in name else ROOT / "assets" / name


def run(command: list[str], **environment: str) -> None:
    """Run one child to its end. Raises StepFailed with its code; Ctrl-C reaches the child, too."""
    child = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "ANYMOVE_CHILD": "1", **environment})
    try:
        code = child.wait()
    except KeyboardInterrupt:
        _end([child])
        raise
    if code:
        raise StepFailed(_exit_code(code))


def mocap(module: str, *arguments: str, creature: Path | None = None) -> None:
    """python -m mocap.<module> in the toolkit's Python."""
    extra = {"MOCAP_CREATURE": str(creature)} if creature else {}
    run([str(python()), "-m", f"mocap.{module}", *map(str, arguments)], **extra)


def blender_script(name: str, *arguments: str) -> None:
    run(blender.script(name, *arguments))


def dataset(home: Path, count: int, processes: int, extra: list[str]) -> None:
    """Render with N processes, each taking every N-th index, with one progress line for all of them; then
    the reference sheet that clips are calibrated against, and the contact sheet."""
    limit = os.cpu_count() or 1
    if processes > limit:
        print(f"{processes} processes on {limit} cores would only wait for each other: using {limit}")
        processes = limit
    processes = min(processes, count)
    commands = [
        blender.script(
            "render_dataset", str(home), "--first", str(k), "--step", str(processes),
            "--count", str(len(range(k, count, processes))), *extra,
        )
        for k in range(processes)
    ]  # fmt: skip
    _together(commands)
    blender_script("render_sheet", home)
    mocap("dataset.sheet", creature=home)


def _together(commands: list[list[str]]) -> None:
    """Run children side by side, reading their JSON progress; the first failure ends the others."""
    environment = {**os.environ, "ANYMOVE_CHILD": "1", "ANYMOVE_PROGRESS": "json"}
    children = [
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
    board = _Board(len(children))
    readers = [
        threading.Thread(target=board.read, args=(place, child), daemon=True)
        for place, child in enumerate(children)
    ]
    for reader in readers:
        reader.start()
    try:
        codes = [child.wait() for child in children]
        for reader in readers:
            reader.join()
    except KeyboardInterrupt:
        _end(children)
        raise
    board.finish()
    bad = [code for code in codes if code]
    if bad:
        raise StepFailed(max(_exit_code(code) for code in bad))


class _Board:
    """Progress of several children as one line."""

    def __init__(self, count: int):
        self.shares = [0.0] * count
        self.shown = -1
        self.lock = threading.Lock()

    def read(self, place: int, child: subprocess.Popen) -> None:
        for line in child.stdout:
            if line.startswith("JOB "):
                self.update(place, json.loads(line[4:]))
            elif line.strip():
                print(line.rstrip(), flush=True)

    def update(self, place: int, event: dict) -> None:
        with self.lock:
            self.shares[place] = event.get("progress", self.shares[place])
            percent = int(100 * sum(self.shares) / len(self.shares))
            if sys.stderr.isatty():
                print(f"\rrendering {percent:3d}%", end="", file=sys.stderr, flush=True)
            elif percent // 10 != self.shown // 10 or self.shown < 0:
                print(f"rendering {percent}%", file=sys.stderr, flush=True)
            self.shown = percent

    def finish(self) -> None:
        if sys.stderr.isatty():
            print(file=sys.stderr)


def _end(children: list[subprocess.Popen]) -> None:
    """Let children that got the same Ctrl-C finish their writing; then make sure that they are gone."""
    for child in children:
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGTERM)
            try:
                child.wait(5)
            except subprocess.TimeoutExpired:
                child.kill()


def _exit_code(code: int) -> int:
    """House rules: 2 for bad input, 1 for every other failure (also death by a signal)."""
    return 2 if code == 2 else 1


def exam(home: Path, seed: int, frames: int, action: str | None, extra: list[str]) -> Path:
    """make, apply, video, detect, solve, apply, score; returns the folder with the result."""
    name = action or f"random{seed}"
    runs = home.parent.parent / "runs" / home.name
    folder = runs / "exam" / name
    folder.mkdir(parents=True, exist_ok=True)
    rig_info, rigged = home / "rigged" / "rig_info.json", home / "rigged" / "rigged.blend"
    truth, solved = folder / "truth", folder / "solved"
    reader, clip, det = runs / "reader.pt", folder / "clip.mp4", folder / "det.npz"
    if not reader.is_file():
        print(
            f"anymove: {reader}: no such file; train the reader with tools/train.sh {home.name}",
            file=sys.stderr,
        )
        raise StepFailed(2)
    chosen = ["--action", action] if action else []
    mocap("exam", "make", rig_info, folder / "truth.json", seed, frames, *chosen)
    blender_script(
        "apply_motion",
        rigged,
        rig_info,
        folder / "truth.json",
        truth,
        "--views",
        "front,side",
        "--paint",
        "--blur",
    )
    fps = json.loads((truth / "joints.json").read_text())["fps"]
    mocap("exam", "video", truth, clip, f"{fps:g}", *extra)
    mocap("detect", clip, reader, runs / "ref" / "ref.png", det, "--no-calib")
    mocap("solve", det, rig_info, folder / "solved.json")
    blender_script("apply_motion", rigged, rig_info, folder / "solved.json", solved)
    mocap(
        "exam", "score", truth / "joints.json", solved / "joints.json",
        "--rig", rig_info, "--detections", det, "--video", clip, "--out", folder,
    )  # fmt: skip
    return folder
