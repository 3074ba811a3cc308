# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Look at the scene as the layout's cameras do."""

from __future__ import annotations

import bpy
from bpy.props import StringProperty

from ...mocap.errors import BadInput
from ...mocap.rig_info import RigInfo, creature_paths
from .. import session
from ..report import Operator
from ..studio import cameras


class ANYMOVE_OT_look_through(Operator):
    """Look through a camera of the layout; it is added to the scene where it is not there yet"""

    bl_idname = "anymove.look_through"
    bl_label = "Look Through"
    bl_options = {"REGISTER", "UNDO"}

    creature: StringProperty(
        name="Creature", description="The creature's folder, assets/<name>", subtype="DIR_PATH"
    )
    view: StringProperty(name="View", description="front or side", default="front")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if bpy.app.background:
            return True
        road = session.road(context)
        if road is None or road.info is None:
            cls.poll_message_set("Adopt a rig first (Creature panel)")
            return False
        return True

    def act(self, context: bpy.types.Context) -> str:
        info = RigInfo.load(creature_paths(self.creature or None).rig_info)
        view = next((one for one in info.layout.views if one.name == self.view), None)
        if view is None:
            raise BadInput(f"no view {self.view!r}; the layout has {', '.join(info.layout.names)}")
        camera = cameras.of_view(context.scene, info.layout, view)
        scene = context.scene
        scene.camera = camera
        # A camera's frame has the render's proportions: the panel's are square.
        scene.render.resolution_x, scene.render.resolution_y = view.size
        for area in context.screen.areas if context.screen else ():
            if area.type == "VIEW_3D":
                area.spaces.active.region_3d.view_perspective = "CAMERA"
        return f"{camera.name}: {view.size[0]}x{view.size[1]}"
