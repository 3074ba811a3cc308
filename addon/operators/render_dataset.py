# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Render training samples of a creature."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty, IntProperty, StringProperty

from ...mocap import cli
from ...mocap.rig_info import RigInfo, creature_paths
from ..report import Operator
from ..studio import dataset, engines, stage


class ANYMOVE_OT_render_dataset(Operator):
    """Render random poses from both views, with every joint's true place; goes on where it stopped"""

    bl_idname = "anymove.render_dataset"
    bl_label = "Render Dataset"

    creature: StringProperty(
        name="Creature", description="The creature's folder, assets/<name>", subtype="DIR_PATH"
    )
    first: IntProperty(name="First", description="Index of the first sample", min=0)
    count: IntProperty(name="Count", description="How many samples", min=1, default=600)
    step: IntProperty(
        name="Step", description="Every how many-th index: N processes share the work", min=1, default=1
    )
    seed: IntProperty(name="Seed", min=0)
    engine: EnumProperty(name="Engine", items=[(e, e.title(), "") for e in engines.ENGINES], default="auto")

    def act(self, context: bpy.types.Context) -> str:
        paths = creature_paths(self.creature or None)
        info = RigInfo.load(paths.rig_info)
        engine, why = engines.choose(self.engine)
        wanted = range(self.first, self.first + self.count * self.step, self.step)
        with stage.opened(paths.rigged, info) as opened:
            studio = dataset.DatasetStudio(opened, engine, self.seed, paths.dataset)
            missing = studio.missing(wanted)
            for index in cli.track(missing, f"render ({engine}, {why})"):
                studio.sample(index)
        there = len(wanted) - len(missing)
        return f"{paths.dataset}: {len(missing)} samples rendered with {engine}, {there} were there"
