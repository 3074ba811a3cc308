# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Put a solved motion on a rig of the open scene, and take it off again."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty, StringProperty

from ...mocap import cli
from ...mocap.motion import Motion
from ...mocap.rig_info import RigInfo
from .. import session
from ..motion import apply, drive, overrides, rate, verify
from ..report import Operator
from ..rig import save

RATES = [
    ("SCENE", "Scene's", "Convert the motion to the scene's frames a second"),
    ("MOTION", "Motion's", "Set the scene to the motion's frames a second, exactly"),
]


class ANYMOVE_OT_apply_to_rig(Operator):
    """Put the motion on the selected armature as one new Action; its own actions and constraints are kept"""

    bl_idname = "anymove.apply_to_rig"
    bl_label = "Apply to Rig"
    bl_options = {"REGISTER", "UNDO"}

    rig_info: StringProperty(
        name="Rig Info", description="rig_info.json that the motion is for", subtype="FILE_PATH"
    )
    motion: StringProperty(name="Motion", description="The motion's file", subtype="FILE_PATH")
    armature: StringProperty(name="Armature", description="Its name; empty: the active armature")
    name: StringProperty(name="Name", description="The Action's name; empty: the clip's")
    start: IntProperty(name="Start", description="Frame at which the motion begins", default=1)
    rate: EnumProperty(name="Rate", description="Frames a second", items=RATES, default="SCENE")
    in_place: BoolProperty(
        name="In Place", description="Without travel: the root stays where it stands at rest"
    )
    nla: BoolProperty(name="NLA Strip", description="Leave it as a strip on an NLA track of its own")
    controls: BoolProperty(
        name="Drive Controls",
        description="Key the rig's controls, not its deform bones; nothing is switched off",
    )
    scene_range: BoolProperty(name="Scene Range", description="Set the scene's start and end to the motion's")
    make_override: BoolProperty(
        name="Make Override", description="Make a library override where the rig is linked"
    )
    save_copy: StringProperty(
        name="Save Copy", description="Save a copy of the open file here afterwards", subtype="FILE_PATH"
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if bpy.app.background:
            return True
        why = session.hindrance(context, "motion")
        if not why and (context.object is None or context.object.type != "ARMATURE"):
            why = "Select the rig that the motion is for (Bring Creature In adds the clean one)"
        if why:
            cls.poll_message_set(why)
        return not why

    def act(self, context: bpy.types.Context) -> str:
        info = RigInfo.load(self.rig_info)
        motion = Motion.load(self.motion)
        motion.check_rig(info.digest, self.motion)
        rig = overrides.armature(context, self.armature, self.make_override)
        fps = rate.of(context.scene) if self.rate == "SCENE" else motion.fps
        converted = abs(fps / motion.fps - 1) > 1e-6
        told = f", converted from {motion.fps:g}" if converted else ""
        motion = self._as_wanted(motion, info, fps if converted else motion.fps)
        done, what = self._put(rig, info, motion)
        rate.put(context.scene, fps)
        if self.scene_range:
            context.scene.frame_start, context.scene.frame_end = self.start, self.start + motion.frames - 1
        off = verify.off(context.scene, rig, info.skeleton, motion, self.start)
        follows = off.about_controls() if self.controls else off.line()
        if self.save_copy:
            save.write_file(Path(self.save_copy))
        return (
            f"{rig.name}: action {done.action.name!r} from frame {self.start}, {motion.frames} frames at {fps:g} fps"
            f"{told}; {what}{follows}"
        )

    def _as_wanted(self, motion: Motion, info: RigInfo, fps: float) -> Motion:
        motion = motion if fps == motion.fps else motion.resample(fps)
        return motion.in_place(info.skeleton) if self.in_place else motion

    def _put(self, rig: bpy.types.Object, info: RigInfo, motion: Motion) -> tuple[apply.Applied, str]:
        """The Action, and what else was done to the rig, for the line that reports it."""
        name = self.name or motion.provenance.get("clip") or Path(self.motion).stem
        placing = apply.Placing(name, self.start, self.nla)
        if self.controls:
            driven = drive.put(rig, info.skeleton, motion, placing, cli.track)
            return driven.applied, f"{len(driven.controls)} controls keyed; "
        done = apply.put(rig, info.skeleton, motion, placing)
        what = f"{done.switched} constraints off meanwhile; " if done.switched else ""
        return done, what + (f"{done.drivers} drivers muted; " if done.drivers else "")


class ANYMOVE_OT_remove_motion(Operator):
    """Take the motion off the selected armature and put back the action, pose and constraints it had"""

    bl_idname = "anymove.remove_motion"
    bl_label = "Remove Motion"
    bl_options = {"REGISTER", "UNDO"}

    armature: StringProperty(name="Armature", description="Its name; empty: the active armature")

    def act(self, context: bpy.types.Context) -> str:
        rig = overrides.armature(context, self.armature, make_override=False)
        name = apply.remove(rig)
        return f"{rig.name}: {name!r} taken off (the action is kept); what was there before is back"
