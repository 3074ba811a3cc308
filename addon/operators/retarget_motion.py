# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Copy a motion to another rig: a motion file of that rig, to be applied or exported like any other."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty

from ...mocap import files
from ...mocap.errors import BadInput
from ...mocap.retarget import lines
from ...mocap.retarget.files import Order, copy
from .. import session
from ..jobs.job import Order as JobOrder
from .job_operator import JobOperator, chosen, flags

ALIGN = [
    (
        "auto",
        "Auto",
        "Arms and wings that were modelled in another pose; or as the mapping that exists has it",
    ),
    ("always", "Always", "Every limb points where the source's points"),
    ("never", "Never", "Every limb moves away from its own rest as the source's does"),
]


class ANYMOVE_OT_retarget_motion(JobOperator):
    """Copy the motion to another adopted rig; which bone follows which is written beside that rig, to be edited"""

    bl_idname = "anymove.retarget_motion"
    bl_label = "Copy to Another Rig"
    road_step = "motion"

    source: StringProperty(
        name="Rig Info", description="rig_info.json that the motion is for", subtype="FILE_PATH"
    )
    motion: StringProperty(name="Motion", description="The motion's file", subtype="FILE_PATH")
    target: StringProperty(
        name="Target", description="rig_info.json of the rig to copy to", subtype="FILE_PATH"
    )
    output: StringProperty(name="Output", description="The new motion's file", subtype="FILE_PATH")
    mapping: StringProperty(
        name="Mapping",
        description="Which bone follows which: used where it exists, else proposed and written there; "
        "empty: beside the target's rig_info.json",
        subtype="FILE_PATH",
    )
    align: EnumProperty(
        name="Align", description="Limbs that rest in another pose", items=ALIGN, default="auto"
    )
    feet: BoolProperty(name="Set Feet", description="Set feet down where the source's are", default=True)

    def order(self, context: bpy.types.Context) -> JobOrder:
        if not self.output:
            raise BadInput("no file for the copied motion given")
        source, target = (files.existing_file(path, "rig_info") for path in (self.source, self.target))
        more = flags(mapping=self.mapping, align=chosen(self.align), no_feet=not self.feet)
        homes = [source.parents[1], target.parents[1]]
        words = ["retarget", homes[0], self.motion, homes[1], self.output, *more]
        return session.order("Copy motion", self.road_step, words, str(homes[0]))

    def act(self, context: bpy.types.Context) -> str:
        if not self.output:
            raise BadInput("no file for the copied motion given")
        mapping = Path(self.mapping) if self.mapping else None
        align = None if self.align == "auto" else self.align
        paths = [Path(p) for p in (self.source, self.motion, self.target, self.output)]
        done = copy(Order(*paths, mapping, align, self.feet))
        told = "proposed" if done.proposed else "used"
        return f"{self.output}: {'; '.join(lines(done.figures))}; mapping {told}: {done.mapping}"
