# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read a clip and solve the motion in it, in the toolkit's Python."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.props import BoolProperty, StringProperty

from ...mocap.errors import BadInput
from ...mocap.rig_info import creature_paths
from .. import session
from ..jobs.job import Order
from .job_operator import JobOperator


class ANYMOVE_OT_capture_clip(JobOperator):
    """Read the creature's joints from a clip, solve the rig's motion, and put it on the clean rig"""

    bl_idname = "anymove.capture_clip"
    bl_label = "Capture Clip"
    road_step = "capture"

    creature: StringProperty(
        name="Creature", description="The creature's folder, assets/<name>", subtype="DIR_PATH"
    )
    clip: StringProperty(
        name="Clip",
        description="A film, or a folder of pictures, framed like the sheet",
        subtype="FILE_PATH",
    )
    calibrate: BoolProperty(
        name="Calibrate",
        description="Find out how far its framing is off the reference sheet's",
        default=True,
    )
    pictures: BoolProperty(
        name="Compare Pictures", description="Compare the solve with the pictures", default=True
    )

    def order(self, context: bpy.types.Context) -> Order:
        paths = creature_paths(self.creature or None)
        if not self.clip:
            raise BadInput("no clip given: choose a film, or a folder of pictures, in the Capture panel")
        clip = Path(bpy.path.abspath(self.clip)).absolute()
        if not clip.exists():
            raise BadInput(f"{clip}: no such clip")
        plain = [] if self.calibrate else ["--no-calib"]
        quick = [] if self.pictures else ["--no-pictures"]
        return session.order(
            "Capture clip", self.road_step, ["capture", paths.home, clip, *plain, *quick], str(paths.home)
        )
