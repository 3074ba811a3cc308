# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The toolkit's own Python: make it, and see what it can do."""

from __future__ import annotations

import json
from pathlib import Path

import bpy

from ...mocap.errors import BadInput
from .. import preferences, session, toolkit
from ..jobs.job import Order
from .job_operator import JobOperator

STEP = "setup"
OFFLINE = (
    "Blender is not allowed to go online: allow it in Preferences > System > Network, "
    "or set the toolkit up with tools/setup.sh and choose its folder here"
)


def check_report() -> Path:
    """Where the last check is kept."""
    return preferences.own_folder("check") / "devices.json"


def checked() -> dict:
    """What the last check found; empty where there was none."""
    try:
        return json.loads(check_report().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


class ANYMOVE_OT_set_up_toolkit(JobOperator):
    """Make the toolkit's own Python and install torch and what else it needs: about 1 GB, some minutes"""

    bl_idname = "anymove.set_up_toolkit"
    bl_label = "Set Up Toolkit"
    road_step = STEP

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not bpy.app.online_access:
            cls.poll_message_set(OFFLINE)
            return False
        return True

    def order(self, context: bpy.types.Context) -> Order:
        if not bpy.app.online_access:
            raise BadInput(OFFLINE)
        folder = preferences.toolkit_folder()
        folder.parent.mkdir(parents=True, exist_ok=True)
        return session.order("Set up toolkit", self.road_step, ["setup"])


class ANYMOVE_OT_check_toolkit(JobOperator):
    """Run a real kernel on each device, and tell versions and free disk"""

    bl_idname = "anymove.check_toolkit"
    bl_label = "Check"
    road_step = STEP

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if bpy.app.background or session.toolkit_ready():
            return True
        cls.poll_message_set("Set up the toolkit first")
        return False

    def order(self, context: bpy.types.Context) -> Order:
        toolkit.require(preferences.toolkit_folder())
        report = check_report()
        report.parent.mkdir(parents=True, exist_ok=True)
        return session.order("Check toolkit", self.road_step, ["check", "--json", report])
