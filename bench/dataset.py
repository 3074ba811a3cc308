# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""How fast samples are rendered: engines x sizes x processes.

``python bench/dataset.py --creature assets/wolf [--samples 40] [--quick] [--json PATH]``

Everything counts but Blender's start: drawing poses, posing, rendering, labels, writing. Other sizes than the
rig's are its own cameras with fewer or more pixels, in a temporary folder.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mocap import cli, machine
from mocap.errors import AnymoveError
from mocap.layout import Layout
from mocap.rig_info import CreaturePaths, RigInfo, creature_paths
from tools.kit import blender

ROOT = Path(__file__).resolve().parent.parent
ENGINES = ("workbench", "cycles")
SIZES = (256, 384)
PROCESSES = (1, 2)
CYCLES_SHARE = 5
"""Cycles renders this many times fewer samples: each takes that much longer."""


def resized(layout: Layout, size: int) -> Layout:
    """The same cameras with panels of ``size`` px."""
    views = tuple(
        replace(
            view,
            focal=view.focal * size / view.size[0],
            size=(size, round(size * view.size[1] / view.size[0])),
            corner=tuple(round(value * size / view.size[0]) for value in view.corner),
        )
        for view in layout.views
    )
    return Layout(views)


def measure(rig: CreaturePaths, engine: str, size: int, processes: int, count: int) -> dict[str, Any]:
    """Render ``count`` samples a process, all at once, and add up what the processes tell."""
    with tempfile.TemporaryDirectory(prefix="anymove-bench-") as folder:
        home = Path(folder) / "assets" / rig.name
        shutil.copytree(rig.home, home)
        paths = CreaturePaths(home)
        info = RigInfo.load(paths.rig_info)
        replace(info, layout=resized(info.layout, size)).save(paths.rig_info)
        commands = [
            blender.script(
                "render_dataset", str(home), "--engine", engine,
                "--first", str(k), "--step", str(processes), "--count", str(count),
            )
            for k in range(processes)
        ]  # fmt: skip
        told = _figures(commands)
    views = sum(figures["views"] for figures in told)
    slowest = max(figures["seconds"] for figures in told)
    peaks = [figures["peak_mb"] for figures in told if figures["peak_mb"] is not None]
    return {
        "engine": engine,
        "size": size,
        "processes": processes,
        "samples": sum(figures["samples"] for figures in told),
        "ms_per_view_and_process": 1000 * sum(figures["seconds"] for figures in told) / views,
        "cpu_ms_per_view": 1000 * sum(figures["cpu_seconds"] for figures in told) / views,
        "samples_per_minute": 60 * sum(figures["samples"] for figures in told) / slowest,
        "peak_mb_per_process": max(peaks, default=None),
        "kb_per_sample": 1024 * sum(f["disk_mb"] for f in told) / sum(f["samples"] for f in told),
    }


def _figures(commands: list[list[str]]) -> list[dict[str, Any]]:
    environment = {**os.environ, "ANYMOVE_CHILD": "1", "ANYMOVE_PROGRESS": "json"}
    running = [
        subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
        for command in commands
    ]
    said = [child.communicate()[0] for child in running]
    if any(child.returncode for child in running):
        raise AnymoveError(f"a render ended with {max(child.returncode for child in running)}")
    events = [json.loads(line[4:]) for text in said for line in text.splitlines() if line.startswith("JOB ")]
    return [event["figures"] for event in events if "figures" in event]


def main(argv: Sequence[str]) -> None:
    parser = cli.Parser("python bench/dataset.py", description="How fast samples are rendered.")
    parser.add_argument("--creature", metavar="DIR", help="assets/<name>; default MOCAP_CREATURE")
    parser.add_argument(
        "--samples", type=cli.positive_int, default=40, help="a process; Cycles renders a fifth of them"
    )
    parser.add_argument("--quick", action="store_true", help="10 samples, 256 px, one process")
    cli.add_json_option(parser)
    args = parser.parse_args(argv)
    rig = creature_paths(args.creature)
    RigInfo.load(rig.rig_info)
    count = min(args.samples, 10) if args.quick else args.samples
    sizes, processes = (SIZES[:1], PROCESSES[:1]) if args.quick else (SIZES, PROCESSES)
    work = [(engine, size, n) for engine in ENGINES for size in sizes for n in processes]
    rows = []
    for engine, size, n in cli.track(work, "measuring"):
        share = count if engine == "workbench" else max(2, count // CYCLES_SHARE)
        rows.append(measure(rig, engine, size, n, share))
    cli.table(
        f"Samples of {rig.name} on {machine.cores()} cores",
        (
            "engine",
            "px",
            "processes",
            "ms a view",
            "of a core",
            "samples / min",
            "peak MB a process",
            "KB a sample",
        ),
        [
            (
                row["engine"],
                row["size"],
                row["processes"],
                round(row["ms_per_view_and_process"]),
                round(row["cpu_ms_per_view"]),
                round(row["samples_per_minute"]),
                "-" if row["peak_mb_per_process"] is None else round(row["peak_mb_per_process"]),
                round(row["kb_per_sample"]),
            )
            for row in rows
        ],
    )
    cli.write_figures(args.json, {"creature": rig.name, "rows": rows})


if __name__ == "__main__":
    sys.exit(cli.run(main))
