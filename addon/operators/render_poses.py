# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Render a contact sheet of random poses: is what the samples will show plausible?"""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty, IntProperty, StringProperty

from ...mocap import cli
from ...mocap.rig_info import RigInfo, creature_paths
from .. import session
from ..jobs.job import Order
from ..studio import engines, poses, render, stage
from .job_operator import JobOperator, chosen, flags


class ANYMOVE_OT_render_poses(JobOperator):
    """Render runs/<creature>/poses.png: random poses from every view, to be looked at before the samples"""

    bl_idname = "anymove.render_poses"
    bl_label = "Render Random Poses"
    road_step = "studio"

    creature: StringProperty(
        name="Creature", description="The creature's folder, assets/<name>", subtype="DIR_PATH"
    )
    count: IntProperty(name="Count", description="How many poses", default=24, min=1)
    seed: IntProperty(name="Seed", description="Decides the poses, as for samples", default=0, min=0)
    engine: EnumProperty(name="Engine", items=[(e, e.title(), "") for e in engines.ENGINES], default="auto")

    def order(self, context: bpy.types.Context) -> Order:
        paths = creature_paths(self.creature or None)
        arguments = [paths.home, *flags(count=self.count, seed=self.seed, engine=chosen(self.engine))]
        return session.blender_order(
            "Render poses", self.road_step, "render_poses", arguments, str(paths.home)
        )

    def act(self, context: bpy.types.Context) -> str:
        paths = creature_paths(self.creature or None)
        info = RigInfo.load(paths.rig_info)
        engine, _ = engines.choose(self.engine)
        with stage.opened(paths.rigged, info) as opened:
            tiles = list(cli.track(poses.tiles(opened, engine, self.seed, self.count), "poses", self.count))
        target = paths.runs / "poses.png"
        render.write_png(target, poses.grid(tiles))
        return f"{target}: {self.count} random poses, rendered with {engine}"
