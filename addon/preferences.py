# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on's preferences: the toolkit's Python, where creatures live, what quitting does to jobs."""

from __future__ import annotations

import os
from pathlib import Path

import bpy
from bpy.props import EnumProperty, StringProperty

from . import toolkit

PACKAGE = __package__.rpartition(".")[0]
"""The add-on's module, whatever repository it was installed from."""
ON_QUIT = [
    ("END", "End Them", "Jobs end with Blender; what they finished is kept, and they can be resumed"),
    ("LEAVE", "Leave Them Running", "Jobs go on without Blender, and are shown again when it is opened"),
]


class ANYMOVE_Preferences(bpy.types.AddonPreferences):
    bl_idname = PACKAGE

    toolkit: StringProperty(
        name="Toolkit's Python",
        description="Folder of the virtual environment with torch and what else the toolkit needs; empty: "
        "in the add-on's own folder",
        subtype="DIR_PATH",
    )
    project: StringProperty(
        name="Creatures",
        description="Folder that holds assets/ and runs/ of your creatures; empty: Anymove in your home folder",
        subtype="DIR_PATH",
    )
    on_quit: EnumProperty(
        name="Jobs When Blender Quits",
        description="What becomes of the job that runs when Blender is closed or the add-on disabled",
        items=ON_QUIT,
        default="END",
    )

    def draw(self, context: bpy.types.Context) -> None:
        from .panels import setup

        setup.draw_preferences(self, context)


def get() -> ANYMOVE_Preferences | None:
    """None where the add-on runs from a checkout, by a script."""
    found = bpy.context.preferences.addons.get(PACKAGE)
    return found.preferences if found else None


def _chosen(name: str) -> Path | None:
    mine = get()
    given = getattr(mine, name) if mine else ""
    return Path(bpy.path.abspath(given)).absolute() if given else None


def toolkit_folder() -> Path:
    """Of the virtual environment: as chosen, else as for the commands, else beside the add-on."""
    told = os.environ.get("ANYMOVE_VENV")
    return _chosen("toolkit") or (Path(told) if told else own_folder("toolkit"))


def project_folder() -> Path:
    return _chosen("project") or Path.home() / "Anymove"


def leaves_jobs() -> bool:
    mine = get()
    return bool(mine) and mine.on_quit == "LEAVE"


def own_folder(name: str) -> Path:
    """A folder of the add-on's that outlives its upgrades."""
    if PACKAGE.startswith("bl_ext."):
        return Path(bpy.utils.extension_path_user(PACKAGE, path=name))
    if name == "toolkit":
        return toolkit.ROOT / ".venv"
    return Path(bpy.utils.user_resource("CONFIG")) / "anymove" / name
