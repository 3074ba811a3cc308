# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build a shipped creature from its creature.json."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.props import BoolProperty, StringProperty

from ...mocap import files
from ...mocap.creature import Creature
from .. import session, toolkit
from ..jobs.job import Order
from ..rig import adopt, creature, rig_files
from ..rig.summary import describe
from .job_operator import JobOperator, flags
from .rig_options import creature_folder


class ANYMOVE_OT_build_creature(JobOperator):
    """Make the mesh and rig that assets/<creature>/creature.json describes, and adopt them"""

    bl_idname = "anymove.build_creature"
    bl_label = "Build Creature"
    road_step = "creature"

    creature: StringProperty(
        name="Creature", description="The creature's folder, assets/<name>", subtype="DIR_PATH"
    )
    replace: BoolProperty(name="Replace", description="Put aside a different rig that is already there")

    def order(self, context: bpy.types.Context) -> Order:
        home = creature_folder(self.creature)
        _bring(home)
        more = flags(replace=self.replace)
        return session.blender_order(
            "Build creature", self.road_step, "build_creature", [home, *more], str(home)
        )

    def act(self, context: bpy.types.Context) -> str:
        home = creature_folder(self.creature)
        _bring(home)
        described = Creature.load(home / "creature.json")
        digest = files.digest_file(home / "creature.json")
        if not rig_files.check_free(home / "rigged", digest, self.replace):
            return f"{home / 'rigged'}: up to date with creature.json"
        with rig_files.workbench("Anymove Build") as scene, rig_files.workbench(rig_files.SCENE) as clean:
            options = adopt.Options(home.name, "-Y", described.height_cm, limbs=described.limbs)
            adopted = adopt.adopt(clean, creature.build(scene, described), options)
            older = rig_files.save(
                home / "rigged", clean, adopted, {"file": "creature.json", "digest": digest}
            )
        return describe(adopted.info, home, older)


def _bring(home: Path) -> None:
    """The description of a creature that comes with Anymove, into a folder of that name that has none."""
    described, shipped = home / "creature.json", toolkit.ROOT / "assets" / home.name / "creature.json"
    if not described.exists() and shipped.is_file():
        files.write_bytes(described, shipped.read_bytes())
