# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Render the reference sheet: both views of the rest pose in the layout."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty, StringProperty

from ...mocap.rig_info import RigInfo, creature_paths
from .. import session
from ..jobs.job import Order
from ..studio import engines, footage, render, stage
from .job_operator import JobOperator, chosen, flags

BACKDROP = (128, 128, 128)


class ANYMOVE_OT_render_sheet(JobOperator):
    """Render runs/<creature>/ref/ref.png, the picture that clips are calibrated against"""

    bl_idname = "anymove.render_sheet"
    bl_label = "Render Reference Sheet"
    road_step = "studio"

    creature: StringProperty(
        name="Creature", description="The creature's folder, assets/<name>", subtype="DIR_PATH"
    )
    engine: EnumProperty(name="Engine", items=[(e, e.title(), "") for e in engines.ENGINES], default="auto")

    def order(self, context: bpy.types.Context) -> Order:
        paths = creature_paths(self.creature or None)
        arguments = [paths.home, *flags(engine=chosen(self.engine))]
        return session.blender_order(
            "Render reference sheet", self.road_step, "render_sheet", arguments, str(paths.home)
        )

    def act(self, context: bpy.types.Context) -> str:
        paths = creature_paths(self.creature or None)
        info = RigInfo.load(paths.rig_info)
        engine, _ = engines.choose(self.engine)
        with stage.opened(paths.rigged, info) as opened:
            picture = footage.sheet(opened, engine, BACKDROP)
        render.write_png(paths.reference, picture)
        return f"{paths.reference}: {picture.shape[1]}x{picture.shape[0]}, rendered with {engine}"
