# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Put a motion on the rig as one Action; film it; record where the rig's joints really are."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty

from ...mocap import cli, files
from ...mocap.errors import BadInput
from ...mocap.motion import JointTrack, Motion
from ...mocap.rig_info import RigInfo
from ..motion import action, rate
from ..report import Operator
from ..rig.save import write_scene
from ..studio import engines, footage, stage


class ANYMOVE_OT_apply_motion(Operator):
    """Write a motion onto the clean rig as one slotted Action, with joints.json and pictures beside it"""

    bl_idname = "anymove.apply_motion"
    bl_label = "Apply Motion"

    rigged: StringProperty(name="Rig", description="rigged.blend", subtype="FILE_PATH")
    rig_info: StringProperty(name="Rig Info", description="rig_info.json", subtype="FILE_PATH")
    motion: StringProperty(name="Motion", description="The motion's file", subtype="FILE_PATH")
    output: StringProperty(name="Output", description="Folder for the results", subtype="DIR_PATH")
    views: StringProperty(name="Views", description="Views to film, a comma between; empty: none")
    paint: BoolProperty(name="Paint", description="Paint each limb in its colour")
    blur: BoolProperty(name="Blur", description="Motion blur")
    engine: EnumProperty(name="Engine", items=[(e, e.title(), "") for e in engines.ENGINES], default="auto")

    def act(self, context: bpy.types.Context) -> str:
        info = RigInfo.load(self.rig_info)
        motion = Motion.load(self.motion)
        motion.check_rig(info.digest, self.motion)
        if not self.output:
            raise BadInput("no output folder given")
        views = tuple(name.strip() for name in self.views.split(",") if name.strip())
        footage.named_views(info.layout, views)
        folder = Path(self.output)
        engine, why = engines.choose(self.engine)
        with stage.opened(Path(self.rigged), info) as opened:
            made, track = self._animate(opened, motion, folder)
            if views:
                film = footage.Film(views, engine, self.paint, self.blur)
                frames = footage.record(opened, film, folder, files.digest_file(self.motion), track.positions)
                for _ in cli.track(frames, f"film ({engine}, {why})", total=motion.frames):
                    pass
        filmed = f", {', '.join(views)} filmed with {engine}" if views else ""
        return f"{folder}: action {made!r} over {motion.frames} frames at {motion.fps:g} fps{filmed}"

    def _animate(self, opened: stage.Stage, motion: Motion, folder: Path) -> tuple[str, JointTrack]:
        scene = opened.scene
        rate.put(scene, motion.fps)
        scene.frame_start, scene.frame_end = 1, motion.frames
        name = motion.provenance.get("clip") or Path(self.motion).stem
        made = action.write(opened.rig, opened.info, motion, name)
        track = action.read_joints(scene, opened.rig, opened.info, motion.frames, motion.fps)
        write_scene(folder / "animated.blend", scene)
        track.save(folder / "joints.json")
        return made.name, track
