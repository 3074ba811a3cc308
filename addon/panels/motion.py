# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion: what was solved, on a rig of the scene, on another creature, or in a file."""

from __future__ import annotations

from pathlib import Path

import bpy

from .. import session
from .base import StepPanel, big_button


class ANYMOVE_PT_motion(StepPanel, bpy.types.Panel):
    bl_label = "Motion"
    key = "motion"

    def settings(self, context: bpy.types.Context, settings) -> None:
        for name in ("motion_file", "start_frame", "in_place", "nla", "controls"):
            self.layout.prop(settings, name)

    def button(self, context: bpy.types.Context, settings) -> None:
        home, solved = session.home(context), _solved(context, settings)
        self.layout.operator("anymove.bring_in", icon="APPEND_BLEND").creature = str(home or "")
        made = big_button(self.layout, "anymove.apply_to_rig", "Apply to Selected Rig", "ACTION")
        made.rig_info, made.motion, made.start = _rig_info(home), solved, settings.start_frame
        made.in_place, made.nla, made.controls = settings.in_place, settings.nla, settings.controls
        made.scene_range = True
        self.layout.operator("anymove.remove_motion", icon="X")
        self._copy(home, solved, settings)
        self._export(home, solved, settings)

    def _copy(self, home: Path | None, solved: str, settings) -> None:
        box = self.layout.box()
        box.prop(settings, "copy_to")
        copied = box.operator("anymove.retarget_motion", icon="COPYDOWN")
        copied.source, copied.motion = _rig_info(home), solved
        if home is not None and settings.copy_to:
            other = home.parent / settings.copy_to
            copied.target = _rig_info(other)
            runs = home.parent.parent / "runs" / settings.copy_to
            copied.output = str(runs / f"{Path(solved).parent.name}_from_{home.name}.json")

    def _export(self, home: Path | None, solved: str, settings) -> None:
        box = self.layout.box()
        box.prop(settings, "export_file")
        out = box.operator("anymove.export_motion", icon="EXPORT")
        out.rigged = str(home / "rigged" / "rigged.blend") if home else ""
        out.rig_info, out.motion, out.filepath = _rig_info(home), solved, settings.export_file
        out.in_place = settings.in_place


def _rig_info(home: Path | None) -> str:
    return str(home / "rigged" / "rig_info.json") if home else ""


def _solved(context: bpy.types.Context, settings) -> str:
    """The motion that is meant: the file chosen, else the newest."""
    road = session.road(context)
    newest = road.motion.newest if road else None
    return bpy.path.abspath(settings.motion_file) if settings.motion_file else str(newest or "")
