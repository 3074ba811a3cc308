# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adopt a rig from a file or from the open scene."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.props import BoolProperty, StringProperty

from ...mocap import files
from .. import session
from ..jobs.job import Order
from ..motion import action
from ..rig import adopt, importing, rig_files, source
from ..rig.summary import describe
from .hand_over import active_armature, scene_copy
from .job_operator import JobOperator, chosen, flags
from .rig_options import RigOptions, creature_folder, stated_height


class ANYMOVE_OT_adopt_rig(RigOptions, JobOperator):
    """Read an existing rig and make the clean copy that Anymove works with; the original is not changed"""

    bl_idname = "anymove.adopt_rig"
    bl_label = "Adopt Rig"
    road_step = "creature"

    creature: StringProperty(
        name="Creature", description="The creature's folder, assets/<name>", subtype="DIR_PATH"
    )
    hold_out: StringProperty(
        name="Hold Out", description="Clips (comma between) that limits must not learn from"
    )
    replace: BoolProperty(name="Replace", description="Put aside a different rig that is already there")

    def order(self, context: bpy.types.Context) -> Order:
        home = creature_folder(self.creature)
        path, armature = self.filepath, self.armature
        if not path:
            armature = armature or active_armature(context).name
            path = scene_copy(home.name)
        more = flags(
            armature=armature,
            facing=chosen(self.facing),
            up=chosen(self.up),
            height_cm=self.height_cm,
            hold_out=self.hold_out,
            replace=self.replace,
        )
        path = files.existing_file(bpy.path.abspath(str(path)), "rig")
        return session.blender_order(
            "Adopt rig", self.road_step, "rig_creature", [home, path, *more], str(home)
        )

    def act(self, context: bpy.types.Context) -> str:
        home = creature_folder(self.creature)
        path = Path(self.filepath) if self.filepath else None
        digest = files.digest_file(files.existing_file(path, "rig")) if path else ""
        options = _options(self, home)
        key = files.digest_json([digest, *map(str, options), self.armature])
        if path and not rig_files.check_free(home / "rigged", key, self.replace):
            return f"{home / 'rigged'}: up to date with {path.name}"
        if path:
            with importing.opened(path) as imported:
                return self._adopt(imported.scene, path.name, home, options, key, imported.actions)
        active_armature(context)
        rig_files.check_free(home / "rigged", key, self.replace)
        where = bpy.data.filepath or "the open scene"
        return self._adopt(context.scene, where, home, options, key, list(bpy.data.actions))

    def _adopt(self, scene, where: str, home: Path, options: adopt.Options, key: str, actions: list) -> str:
        armature = source.named(scene, self.armature, where) or (
            None if self.filepath else bpy.context.object
        )
        found = source.find(scene, where, actions, armature)
        with rig_files.workbench(rig_files.SCENE) as clean:
            adopted = adopt.adopt(clean, found, options)
            _keep_clips_as_actions(clean, adopted)
            older = rig_files.save(home / "rigged", clean, adopted, {"file": where, "digest": key})
        return describe(adopted.info, home, older)


def _options(operator: ANYMOVE_OT_adopt_rig, home: Path) -> adopt.Options:
    """Height: asked for, else creature.json's, else the file's own."""
    height = operator.height_cm or stated_height(home)
    held = tuple(name.strip() for name in operator.hold_out.split(",") if name.strip())
    return adopt.Options(home.name, operator.facing, height, held, up=operator.up)


def _keep_clips_as_actions(scene: bpy.types.Scene, adopted: adopt.Adopted) -> None:
    """The rig's own clips, on the clean rig, so that rigged.blend can play them."""
    window = bpy.context.window
    shown, window.scene = window.scene, scene
    try:
        for name, motion in adopted.clips.items():
            made = action.write(adopted.rig, adopted.info, motion, name, first_frame=0)
            # An action nobody uses is not written with the scene: a muted NLA track holds each clip.
            track = adopted.rig.animation_data.nla_tracks.new()
            track.name, track.mute = name, True
            track.strips.new(name, 0, made).action_slot = made.slots[0]
        if adopted.rig.animation_data:
            adopted.rig.animation_data.action = None
    finally:
        window.scene = shown
