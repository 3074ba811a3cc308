# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Render a set of samples with several processes, on one machine or on several without coordination."""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path
from typing import Any, NamedTuple

from mocap import machine

from . import blender, children

COUNTS = {"main": 2200, "shifted": 48}
GPU_PROCESSES = 2
"""More renders on one GPU only wait for each other, and take the memory that a training beside them needs."""
PROCESS_MB = {"workbench": 700, "cycles": 900}
"""What a process may take, with reserve: measured 470 and 320 MB (docs/dataset.md), heavy meshes take more."""


class Share(NamedTuple):
    """Machine ``number`` of ``of``: it renders every of-th index."""

    number: int = 1
    of: int = 1


class Order(NamedTuple):
    """What is asked for on the command line."""

    home: Path
    count: int | None
    processes: int
    share: Share = Share()
    kind: str = "main"
    extra: tuple[str, ...] = ()


def share(text: str) -> Share:
    """``2/4``: machine 2 of 4."""
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a machine's share; write 2/4 for the second of four"
        )
    return Share(int(found[1]), int(found[2]))


def render(order: Order) -> bool:
    """Render this machine's share; prints how fast, with what memory, and what it takes on disk. False where
    there is no share for it."""
    count = order.count or COUNTS[order.kind]
    extra = ["--set", order.kind, *order.extra]
    wanted = len(range(order.share.number - 1, count, order.share.of))
    if not wanted:
        print(f"machine {order.share.number}/{order.share.of} has no share of {count} samples")
        return False
    plan = _planned(order.home, extra)
    processes, why = fitting(min(order.processes, wanted), plan["engine"], plan["gpu"])
    if why:
        print(why)
    # The last of each option counts: the children are told what was found out once for all of them.
    settled = ["--engine", plan["engine"]]
    settled += ["--device", plan["device"]] if plan["engine"] == "cycles" else []
    commands = [
        blender.script(
            "render_dataset", str(order.home), *extra, *settled,
            "--first", str(first), "--step", str(step), "--count", str(len(range(first, count, step))),
        )
        for first, step in starts(order.share, processes)
        if first < count
    ]  # fmt: skip
    started = time.monotonic()
    events = children.together(commands)
    print(summary([e["figures"] for e in events if "figures" in e], time.monotonic() - started))
    return True


def _planned(home: Path, extra: list[str]) -> dict[str, Any]:
    """Which engine and device will render, found out once by Blender, which also prints it."""
    events = children.together([blender.script("render_dataset", str(home), *extra, "--plan")])
    return next(event["plan"] for event in events if "plan" in event)


def starts(part: Share, processes: int) -> list[tuple[int, int]]:
    """First index and step of each process: machines share the indices, processes share a machine's."""
    return [(part.number - 1 + part.of * k, part.of * processes) for k in range(processes)]


def fitting(asked: int, engine: str, gpu: bool) -> tuple[int, str]:
    """How many of the ``asked`` processes make sense, and the line that says why fewer."""
    free = machine.free_memory_mb()
    limits = {f"{machine.cores()} cores": machine.cores()}
    if free is not None:
        limits[f"{free / 1024:.1f} GB of free memory"] = max(1, int(free // PROCESS_MB[engine]))
    if gpu:
        limits["one GPU"] = GPU_PROCESSES
    tightest = min(limits, key=limits.get)
    if asked <= limits[tightest]:
        return asked, ""
    return limits[tightest], f"{asked} processes are too many for {tightest}: using {limits[tightest]}"


def summary(figures: list[dict[str, Any]], seconds: float) -> str:
    """One line for all processes. ``seconds`` of the clock, starting Blender included."""
    samples, views = (sum(f[name] for f in figures) for name in ("samples", "views"))
    if not samples:
        return "nothing was missing"
    peaks = [f["peak_mb"] for f in figures if f["peak_mb"] is not None]
    memory = f"{sum(peaks):.0f} MB ({len(peaks)} processes)" if peaks else "unknown"
    return (
        f"{samples} samples, {views} views in {seconds:.0f} s: {samples / seconds:.1f} samples/s, "
        f"{1000 * seconds * len(figures) / views:.0f} ms a view and process "
        f"({1000 * sum(f['cpu_seconds'] for f in figures) / views:.0f} ms of a core), peak memory {memory}, "
        f"{sum(f['disk_mb'] for f in figures):.0f} MB on disk"
    )
