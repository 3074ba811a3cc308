# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Light for each engine: fixed for footage, random for training samples."""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Euler, Vector

# rim.sl is left out: it gives near-black pictures.
STUDIO_LIGHTS = ("Default", "basic.sl", "outdoor.sl", "paint.sl", "studio.sl")
TURNS = (np.radians(-75.0), np.radians(0.0))
"""How far studio lights turn about the vertical: between the two cameras. Turned further, basic.sl leaves what
the side camera sees near-black."""

SKY = 0.5


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
    # Blender's own world is nearly black: what the sun does not reach would be, too.
    background.inputs["Color"].default_value = (*(3 * [SKY]), 1.0)
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


def randomise(scene: bpy.types.Scene, lights: Lights, rng: np.random.Generator, tinted: bool = False) -> None:
    """Every number is drawn whatever the engine, so that engines share one sequence. ``tinted``: coloured
    light, as no training sample has it."""
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
    low, high = TURNS
    shading.studiolight_rotate_z = low + (high - low) * (float(turn) + np.pi) / (2 * np.pi)
    # Towards the ground, never level: a low light would lay the whole creature in its own shadow.
    scene.display.light_direction = Vector((0.6 * tilt[0], 0.6 * tilt[1], 1.0)).normalized()
    shading.shadow_intensity = 0.15 + 0.25 * ambient


def tint(scene: bpy.types.Scene, lights: Lights, rng: np.random.Generator, engine: str) -> None:
    """Coloured light, as no training sample has it: a warm sun under a cool sky, or the other way round. Studio
    lights have no colour: Workbench gets the white balance of a camera set for another light instead."""
    warm, strength = rng.random() < 0.5, rng.uniform(0.5, 1.0)
    orange, blue = (
        (1.0, 1 - 0.35 * strength, 1 - 0.65 * strength),
        (1 - 0.5 * strength, 1 - 0.2 * strength, 1.0),
    )
    lights.sun.data.color = orange if warm else blue
    lights.background.inputs["Color"].default_value = (
        *(SKY * part for part in (blue if warm else orange)),
        1.0,
    )
    if engine == "workbench":
        scene.view_settings.use_white_balance = True
        scene.view_settings.white_balance_temperature = 6500 + (3500 if warm else -2300) * strength


class Floor:
    """The ground under the creature, which shows nothing but the shadow on it (Cycles)."""

    def __init__(self, scene: bpy.types.Scene, half_width: float):
        mesh = bpy.data.meshes.new("Anymove Floor")
        corners = [(x * half_width, y * half_width, 0.0) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        mesh.from_pydata(corners, [], [(0, 1, 2, 3)])
        self.item = bpy.data.objects.new(mesh.name, mesh)
        self.item.is_shadow_catcher = True
        scene.collection.objects.link(self.item)
        self.show(False)

    def show(self, shown: bool) -> None:
        self.item.hide_render = self.item.hide_viewport = not shown
