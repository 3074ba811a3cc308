# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Light for each engine: fixed for footage, random for training samples."""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Euler

# rim.sl is left out: it gives near-black pictures.
STUDIO_LIGHTS = ("Default", "basic.sl", "outdoor.sl", "paint.sl", "studio.sl")


class Lights(NamedTuple):
    sun: bpy.types.Object
    background: bpy.types.Node


def add(scene: bpy.types.Scene) -> Lights:
    """A sun and a plain world for Cycles; Workbench brings its own studio lights."""
    data = bpy.data.lights.new("Anymove Sun", "SUN")
    data.angle = 0.2
    sun = bpy.data.objects.new(data.name, data)
    scene.collection.objects.link(sun)
    world = bpy.data.worlds.new("Anymove World")
    if not world.node_tree:
        world.use_nodes = True
    scene.world = world
    background = next(n for n in world.node_tree.nodes if n.type == "BACKGROUND")
    lights = Lights(sun, background)
    steady(scene, lights)
    return lights


def steady(scene: bpy.types.Scene, lights: Lights) -> None:
    lights.sun.rotation_euler = Euler((0.7, 0.35, 0.0))
    lights.sun.data.energy = 2.5
    lights.background.inputs["Strength"].default_value = 0.6
    shading = scene.display.shading
    shading.light = "STUDIO"
    shading.studio_light = "Default"
    shading.use_world_space_lighting = False
    shading.show_shadows = False


def randomise(scene: bpy.types.Scene, lights: Lights, rng: np.random.Generator) -> None:
    """Every number is drawn whatever the engine, so that engines share one sequence."""
    tilt, turn, energy, ambient = (
        rng.uniform(-1, 1, 2),
        rng.uniform(-np.pi, np.pi),
        rng.random(),
        rng.random(),
    )
    lights.sun.rotation_euler = Euler((1.1 * tilt[0], 1.1 * tilt[1], turn))
    lights.sun.data.energy = 1.5 + 2.5 * energy
    lights.background.inputs["Strength"].default_value = 0.25 + 0.6 * ambient
    available = {light.name for light in bpy.context.preferences.studio_lights if light.type == "STUDIO"}
    choices = [name for name in STUDIO_LIGHTS if name in available]
    shading = scene.display.shading
    shading.studio_light = choices[int(rng.integers(len(choices)))]
    shading.use_world_space_lighting = True
    # Within 70 degrees: lit from behind, studio lights leave near-black pictures.
    shading.studiolight_rotate_z = 0.39 * float(turn)
