# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a motion as a file for other programs."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.props import BoolProperty, FloatProperty, StringProperty

from ...mocap.errors import BadInput
from ...mocap.motion import Motion
from ...mocap.rig_info import RigInfo
from .. import session
from ..jobs.job import Order
from ..motion import export
from ..studio import stage
from .job_operator import JobOperator, flags


class ANYMOVE_OT_export_motion(JobOperator):
    """Write the motion as GLB, FBX, USD (with the mesh), BVH or NPZ; the suffix says which"""

    bl_idname = "anymove.export_motion"
    bl_label = "Export Motion"
    road_step = "motion"

    rigged: StringProperty(name="Rig", description="rigged.blend", subtype="FILE_PATH")
    rig_info: StringProperty(name="Rig Info", description="rig_info.json", subtype="FILE_PATH")
    motion: StringProperty(name="Motion", description="The motion's file", subtype="FILE_PATH")
    filepath: StringProperty(
        name="File",
        description="Where to: .glb, .fbx, .usd, .usda, .usdc, .usdz, .bvh or .npz",
        subtype="FILE_PATH",
    )
    name: StringProperty(name="Name", description="The clip's name in the file; empty: its own")
    fps: FloatProperty(name="Rate", description="Convert to this many frames a second; 0: as it is", min=0)
    in_place: BoolProperty(
        name="In Place", description="Without travel: the root stays where it stands at rest"
    )
    mesh: BoolProperty(
        name="Mesh", description="With the creature's mesh, where the format can", default=True
    )
    leaves: BoolProperty(
        name="End Bones", description="Keep where the last bones end, as <bone>_end or End Site", default=True
    )

    def order(self, context: bpy.types.Context) -> Order:
        path = self._path()
        export.check_path(path)
        paths = [self.rigged, self.rig_info, self.motion, path]
        more = flags(
            name=self.name,
            fps=self.fps,
            in_place=self.in_place,
            no_mesh=not self.mesh,
            no_leaves=not self.leaves,
        )
        home = str(Path(self.rig_info).parents[1])
        return session.blender_order("Export motion", self.road_step, "export_motion", [*paths, *more], home)

    def _path(self) -> Path:
        if not self.filepath:
            raise BadInput("no file to export to given")
        return Path(bpy.path.abspath(self.filepath))

    def act(self, context: bpy.types.Context) -> str:
        path = self._path()
        suffix = export.check_path(path)
        info = RigInfo.load(self.rig_info)
        motion = Motion.load(self.motion)
        motion.check_rig(info.digest, self.motion)
        if self.fps:
            motion = motion.resample(self.fps)
        if self.in_place:
            motion = motion.in_place(info.skeleton)
        name = self.name or motion.provenance.get("clip") or Path(self.motion).stem
        options = export.Options(name, self.mesh, self.leaves)
        if suffix in export.PLAIN:
            export.plain(path, info, motion, options)
        else:
            with stage.opened(Path(self.rigged), info) as opened:
                export.scene(path, opened, motion, options)
        return f"{path}: {len(motion.bone_names)} bones, {motion.frames} frames at {motion.fps:g} fps"
