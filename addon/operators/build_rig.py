# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make a rig for a mesh that has none, from a file or from the open scene."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty

from ...mocap import files
from ...mocap.fitting import facing, landmarks, templates
from .. import session
from ..jobs.job import Order
from ..rig import adopt, importing, rig_files
from ..rig.autorig import frame, kept, make
from ..rig.autorig.summary import describe
from .hand_over import meshes_copy, selected_meshes
from .job_operator import JobOperator, chosen, flags
from .rig_options import creature_folder, stated_height

TEMPLATES = [
    ("auto", "auto", "As the extremities show, where that is clear"),
    *((name, name, templates.get(name).about) for name in templates.NAMES),
]


class ANYMOVE_OT_build_rig(JobOperator):
    """Fit a skeleton to a mesh without armature, find its weights, and make the rig Anymove works with"""

    bl_idname = "anymove.build_rig"
    bl_label = "Build Rig"
    road_step = "creature"

    filepath: StringProperty(
        name="Mesh",
        description="glb, gltf, fbx or blend; empty: the selected meshes",
        subtype="FILE_PATH",
    )
    creature: StringProperty(
        name="Creature", description="The creature's folder, assets/<name>", subtype="DIR_PATH"
    )
    template: EnumProperty(
        name="Template",
        description="What kind of body it is; auto: as its extremities show, where that is clear",
        items=TEMPLATES,
        default="auto",
    )
    leg_pairs: IntProperty(
        name="Leg Pairs", description="Of an insect or spider; 0: three or four", min=0, max=50
    )
    landmarks: StringProperty(
        name="Landmarks", description="Joints you know: NAME=x,y,z, several with a blank between"
    )
    facing: EnumProperty(
        name="Facing",
        description="Which way the creature looks in its file",
        items=[(f, f, "") for f in ("auto", *facing.TURNS)],
        default="auto",
    )
    height_cm: FloatProperty(name="Height", description="Real height in cm; 0: as the file has it", min=0)
    replace: BoolProperty(name="Replace", description="Put aside a different rig that is already there")

    def order(self, context: bpy.types.Context) -> Order:
        home = creature_folder(self.creature)
        path = self.filepath or meshes_copy(home.name, selected_meshes(context))
        more = flags(
            template=chosen(self.template),
            leg_pairs=self.leg_pairs,
            facing=chosen(self.facing),
            height_cm=self.height_cm,
            replace=self.replace,
        )
        known = [word for landmark in self.landmarks.split() for word in ("--landmark", landmark)]
        path = files.existing_file(bpy.path.abspath(str(path)), "mesh")
        return session.blender_order(
            "Build rig", self.road_step, "rig_creature", [home, path, *more, *known], str(home)
        )

    def act(self, context: bpy.types.Context) -> str:
        home = creature_folder(self.creature)
        path = Path(self.filepath) if self.filepath else None
        digest = files.digest_file(files.existing_file(path, "mesh")) if path else ""
        given = landmarks.parse(self.landmarks.split())
        moved = kept.read(home / "rigged", digest, self.template, given) if path else kept.NOTHING
        wish = make.Wish(self.template, self.leg_pairs, {**given, **moved.joints}, self.facing)
        height = self.height_cm or stated_height(home)
        key = files.digest_json(
            [digest, home.name, self.template, self.leg_pairs, self.landmarks.split(), self.facing, height]
        )
        if not moved.new:
            made = not rig_files.check_free(home / "rigged", key, self.replace)
            if path and made:
                return f"{home / 'rigged'}: up to date with {path.name}"
        if path is None:
            return _build(
                selected_meshes(context),
                bpy.data.filepath or "the open scene",
                home,
                wish,
                height,
                key,
                digest,
            )
        with importing.opened(path) as imported:
            meshes = frame.body_meshes(imported.scene, path.name)
            return _build(meshes, path.name, home, wish, height, key, digest)


def _build(
    meshes: list, where: str, home: Path, wish: make.Wish, height: float | None, key: str, digest: str
) -> str:
    with rig_files.workbench("Anymove Fit") as bench, rig_files.workbench(rig_files.SCENE) as clean:
        made = make.make(bench, meshes, wish)
        options = adopt.Options(
            creature=home.name, facing=made.body.facing, height_cm=height, limbs=made.limbs
        )
        adopted = adopt.adopt(clean, made.source, options)
        to_clean = np.array(adopted.info.source["to_clean"])
        record = kept.record(digest, made.fit, made.body, adopted.rig, to_clean, wish.landmarks)
        origin = {"file": where, "digest": key, "autorig": record, "weights": made.bound.way}
        older = rig_files.save(home / "rigged", clean, adopted, origin)
    return describe(made, adopted.info, home, older)
