# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Render training samples of a creature."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty, StringProperty

from ...mocap import cli, machine
from ...mocap.dataset import samples
from ...mocap.errors import BadInput
from ...mocap.rig_info import CreaturePaths, RigInfo, creature_paths
from .. import session
from ..jobs.job import Order
from ..studio import dataset, devices, engines, looks, stage
from .job_operator import JobOperator, chosen, flags

SETS = ("main", "shifted")
SHIFTED_SEED = 1_000_003
"""Added to the seed of a shifted set, so that none of its poses is one of the training's."""


def _choices(names: tuple[str, ...]) -> list[tuple[str, str, str]]:
    return [(name, name.title(), "") for name in names]


class ANYMOVE_OT_render_dataset(JobOperator):
    """Render random poses from both views, with every joint's true place; goes on where it stopped"""

    bl_idname = "anymove.render_dataset"
    bl_label = "Render Dataset"
    road_step = "dataset"

    creature: StringProperty(
        name="Creature", description="The creature's folder, assets/<name>", subtype="DIR_PATH"
    )
    first: IntProperty(name="First", description="Index of the first sample", min=0)
    count: IntProperty(name="Count", description="How many samples", min=1, default=600)
    step: IntProperty(
        name="Step", description="Every how many-th index: N processes share the work", min=1, default=1
    )
    processes: IntProperty(
        name="Processes",
        description="How many share the work of a job; a script renders alone",
        min=1,
        default=2,
    )
    seed: IntProperty(name="Seed", description="Decides the poses and looks", min=0)
    engine: EnumProperty(name="Engine", items=_choices(engines.ENGINES), default="auto")
    device: EnumProperty(
        name="Device", description="What Cycles renders on", items=_choices(devices.CHOICES), default="auto"
    )
    paint: EnumProperty(
        name="Paint", description="Limbs in colours of their own", items=_choices(looks.PAINTS)
    )
    set: EnumProperty(
        name="Set",
        description="Shifted: other engine, lights and looks than the dataset's, to measure a reader on",
        items=_choices(SETS),
    )
    plan: BoolProperty(name="Plan", description="Only find out which engine and device would render")

    def order(self, context: bpy.types.Context) -> Order:
        paths = creature_paths(self.creature or None)
        more = flags(
            seed=self.seed,
            engine=chosen(self.engine),
            device=chosen(self.device),
            paint=self.paint,
            set=self.set,
        )
        return session.order(
            "Render samples",
            self.road_step,
            ["dataset", paths.home, self.count, self.processes, *more],
            str(paths.home),
        )

    def act(self, context: bpy.types.Context) -> str:
        paths = creature_paths(self.creature or None)
        info = RigInfo.load(paths.rig_info)
        shifted = self.set == "shifted"
        folder = paths.shifted if shifted else paths.dataset
        asked = _other_engine(paths, self.engine) if shifted else self.engine
        engine, why = engines.choose(asked, self.device)
        if self.plan:
            return _planned(engine, why)
        wanted = range(self.first, self.first + self.count * self.step, self.step)
        seed = self.seed + SHIFTED_SEED if shifted else self.seed
        with stage.opened(paths.rigged, info) as opened:
            studio = dataset.DatasetStudio(opened, engine, seed, folder, self.paint, shifted)
            missing = studio.missing(wanted)
            started, busy = time.perf_counter(), time.process_time()
            for index in cli.track(missing, f"render ({engine}, {why})"):
                studio.sample(index)
            seconds, busy = time.perf_counter() - started, time.process_time() - busy
        figures = _figures(folder, missing, len(info.layout.views), seconds, busy)
        if cli.listening():
            cli.emit({"figures": figures})
        there = len(wanted) - len(missing)
        return f"{folder}: {len(missing)} samples rendered with {engine}, {there} were there{_told(figures)}"


def _other_engine(paths: CreaturePaths, asked: str) -> str:
    """The engine that did not render the dataset."""
    there = samples.any_meta(paths.dataset)
    if there is None:
        raise BadInput(
            f"{paths.dataset}: no samples to shift from; render them first with tools/dataset.sh {paths.name}"
        )
    if asked == there.engine:
        raise BadInput(f"--engine {asked}: rendered {paths.dataset}, too; a shifted set needs the other one")
    return "workbench" if there.engine == "cycles" else "cycles"


def _planned(engine: str, why: str) -> str:
    on_gpu = engine == "cycles" and engines.on_gpu()
    if cli.listening():
        cli.emit(
            {"plan": {"engine": engine, "gpu": on_gpu, "device": devices.current() if on_gpu else "cpu"}}
        )
    return f"renders with {engine} ({why})"


def _figures(folder: Path, rendered: list[int], views: int, seconds: float, busy: float) -> dict[str, Any]:
    """What this process did: for its own line, and to be added up by who started several. ``busy``: seconds of
    a core, which other work on the machine hardly changes."""
    size = sum(path.stat().st_size for index in rendered for path in folder.glob(f"{index:05d}_*"))
    return {
        "samples": len(rendered),
        "views": views * len(rendered),
        "seconds": seconds,
        "cpu_seconds": busy,
        "peak_mb": machine.peak_memory_mb(),
        "disk_mb": size / 2**20,
    }


def _told(figures: dict[str, Any]) -> str:
    if not figures["samples"]:
        return ""
    peak = figures["peak_mb"]
    return (
        f"; {1000 * figures['seconds'] / figures['views']:.0f} ms a view "
        f"({1000 * figures['cpu_seconds'] / figures['views']:.0f} ms of a core), "
        f"peak memory {'unknown' if peak is None else f'{peak:.0f} MB'}, {figures['disk_mb']:.1f} MB on disk"
    )
