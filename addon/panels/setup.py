# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The preferences page: the toolkit's Python, what it can do, and where things are."""

from __future__ import annotations

import bpy

from .. import preferences, session
from ..operators.set_up_toolkit import STEP, checked
from .base import draw_job, wrapped


def draw_preferences(shown: bpy.types.AddonPreferences, context: bpy.types.Context) -> None:
    layout = shown.layout
    layout.use_property_split = True
    folder, ready = preferences.toolkit_folder(), session.toolkit_ready()
    box = layout.box()
    box.label(
        text="The toolkit is ready" if ready else "The toolkit is not set up yet",
        icon="CHECKMARK" if ready else "RADIOBUT_OFF",
    )
    box.label(text=str(folder), icon="FILE_FOLDER")
    row = box.row()
    row.operator("anymove.set_up_toolkit", icon="IMPORT", text="Set Up Again" if ready else "Set Up Toolkit")
    row.operator("anymove.check_toolkit", icon="VIEWZOOM")
    job = session.newest_job(STEP, "")
    if job is not None:
        draw_job(box, context, job)
    _draw_check(box, context)
    layout.prop(shown, "toolkit")
    layout.prop(shown, "project")
    layout.prop(shown, "on_quit")
    if not bpy.app.online_access:
        wrapped(
            layout,
            context,
            "Blender may not go online, so the toolkit cannot be set up from here. Allow it in System > Network; "
            "nothing else of Anymove needs it.",
            "INTERNET_OFFLINE",
        )


def _draw_check(box: bpy.types.UILayout, context: bpy.types.Context) -> None:
    found = checked()
    if not found:
        return
    used = next(device for device in found["devices"] if device["kind"] == found["used"])
    for name, value in (
        ("Computes on", f"{used['kind']}: {used['name']}"),
        ("Proof", used["detail"]),
        ("Free disk", f"{found['free_disk_gb']:.0f} GiB"),
        ("Versions", ", ".join(f"{key} {value}" for key, value in found["versions"].items())),
    ):
        wrapped(box, context, f"{name}: {value}")
