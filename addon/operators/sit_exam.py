# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The exam: how far is a reader to be trusted, in centimetres."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, IntProperty, StringProperty

from ...mocap.rig_info import creature_paths
from .. import session
from ..jobs.job import Order
from .job_operator import JobOperator, flags


class ANYMOVE_OT_sit_exam(JobOperator):
    """Film a known motion on the rig, read the film back, and score how far the result is off"""

    bl_idname = "anymove.sit_exam"
    bl_label = "Sit Exam"
    road_step = "exam"

    creature: StringProperty(
        name="Creature", description="The creature's folder, assets/<name>", subtype="DIR_PATH"
    )
    clip: StringProperty(name="Motion", description="One of the rig's own clips; empty: a made-up motion")
    frames: IntProperty(name="Frames", description="Length", default=72, min=4)
    seed: IntProperty(name="Seed", description="Decides the made-up motion", default=1, min=0)
    hard: BoolProperty(name="Hard", description="Spoil the film by known amounts")
    pictures: BoolProperty(
        name="Compare Pictures", description="Compare the solve with the pictures", default=True
    )

    def order(self, context: bpy.types.Context) -> Order:
        paths = creature_paths(self.creature or None)
        more = flags(action=self.clip, hard=self.hard, no_pictures=not self.pictures)
        seed = ["--seed", self.seed, "--frames", self.frames]
        return session.order("Sit exam", self.road_step, ["exam", paths.home, *seed, *more], str(paths.home))
