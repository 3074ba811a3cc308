# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Train the reader of a creature, in the toolkit's Python."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty, StringProperty

from ...mocap.rig_info import creature_paths
from .. import session
from ..jobs.job import Order
from .job_operator import JobOperator, chosen, flags

BACKBONES = ("auto", "compact", "dinov2")


class ANYMOVE_OT_train_reader(JobOperator):
    """Train the network that reads this creature's joints; goes on where an earlier training stopped"""

    bl_idname = "anymove.train_reader"
    bl_label = "Train Reader"
    road_step = "reader"

    creature: StringProperty(
        name="Creature", description="The creature's folder, assets/<name>", subtype="DIR_PATH"
    )
    epochs: IntProperty(name="Epochs", description="Passes over the samples, in total", default=16, min=1)
    batch: IntProperty(name="Batch", description="Samples in one step; 0: as suits the network", min=0)
    pairs: IntProperty(name="Pairs", description="Samples shown in an epoch; 0: all, at least 1,000", min=0)
    backbone: EnumProperty(
        name="Network", description="What reads the pictures", items=[(b, b.title(), "") for b in BACKBONES]
    )
    restart: BoolProperty(name="Begin Anew", description="Forget what was trained before")

    def order(self, context: bpy.types.Context) -> Order:
        paths = creature_paths(self.creature or None)
        more = flags(pairs=self.pairs, backbone=chosen(self.backbone), restart=self.restart)
        batch = [self.batch] if self.batch else []
        return session.order(
            "Train reader", self.road_step, ["train", paths.home, self.epochs, *batch, *more], str(paths.home)
        )
