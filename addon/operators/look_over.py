# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Look a rig over without adopting it."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.props import StringProperty

from ...mocap import files
from ...mocap import findings as told
from ...mocap.findings import Finding
from .. import session
from ..jobs.job import Order
from ..report import Outcome
from ..rig import doctor, importing, source
from ..rig.understand import Options, Understanding
from .hand_over import active_armature, scene_copy
from .job_operator import JobOperator, chosen, flags
from .rig_options import RigOptions


class ANYMOVE_OT_doctor(RigOptions, JobOperator):
    """Say what would spoil a capture with this rig, which bone is at fault, and what to do; changes nothing"""

    bl_idname = "anymove.doctor"
    bl_label = "Look Rig Over"
    road_step = "doctor"

    json: StringProperty(name="JSON", description="Write the findings there, too", subtype="FILE_PATH")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        # Any rig may be looked over, whether there is a creature already or not.
        return True

    def order(self, context: bpy.types.Context) -> Order:
        armature, path = self.armature, bpy.path.abspath(self.filepath)
        if not path:
            armature = armature or active_armature(context).name
            path = scene_copy("doctor")
        more = flags(
            armature=armature,
            facing=chosen(self.facing),
            up=chosen(self.up),
            height_cm=self.height_cm,
            json=self.json,
        )
        path = files.existing_file(path, "rig")
        return session.blender_order("Look rig over", self.road_step, "doctor", [path, *more], "")

    def act(self, context: bpy.types.Context) -> Outcome:
        options = Options("doctor", self.facing, self.height_cm or None, up=self.up)
        if self.filepath:
            path = files.existing_file(Path(self.filepath), "rig")
            with importing.opened(path) as imported:
                armature = source.named(imported.scene, self.armature, path.name)
                return self._look(imported.scene, path.name, imported.actions, armature, options)
        active = active_armature(context)
        where = bpy.data.filepath or "the open scene"
        armature = source.named(context.scene, self.armature, where) or active
        return self._look(context.scene, where, list(bpy.data.actions), armature, options)

    def _look(self, scene, where: str, actions: list, armature, options: Options) -> Outcome:
        report = doctor.diagnose(source.find(scene, where, actions, armature), options)
        if self.json:
            files.write_json(self.json, _as_json(where, report), indent=1)
        errors = [finding for finding in report.findings if finding.severity == "error"]
        if errors:
            return Outcome(2, f"{where}: cannot be used: {errors[0].message}", tuple(report.findings))
        line = f"{where}: {_understood(report.known)}; {told.summary(report.findings)}"
        return Outcome(0, line, tuple(report.findings))


def _understood(known: Understanding) -> str:
    names = [limb.name for limb in known.limbs if limb.side != "R"]
    return (
        f"{len(known.names)} of {len(known.placed.names)} bones, {len(known.joints)} joints, limbs "
        f"{', '.join(names)}; facing {known.facing.forward} ({known.facing.reasons}), "
        f"{known.height_cm:.1f} cm tall (from {known.height_from})"
    )


def _as_json(where: str, report: doctor.Report) -> dict:
    known = report.known
    findings: list[Finding] = report.findings
    return {
        "file": where,
        "counts": told.count(findings),
        "findings": [finding.to_json() for finding in findings],
        "understood": None
        if known is None
        else {
            "bones": len(known.names),
            "joints": len(known.joints),
            "limbs": {limb.name: [known.names[bone] for bone in limb.bones] for limb in known.limbs},
            "facing": known.facing.forward,
            "up": known.facing.up,
            "facing_from": known.facing.reasons,
            "height_cm": known.height_cm,
            "clips": sorted(known.tracks),
        },
    }
