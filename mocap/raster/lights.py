# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Light for the rasteriser: up to four directional lights with wrapped diffuse and a Blinn highlight.

The model is that of Blender's Workbench; the sets below are its studio lights as
``bpy.context.preferences.studio_lights`` lists them (direction towards the light in the view's frame: x right,
y up, z towards the viewer; linear colours; ``wrap`` is what Blender calls smooth).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Lights(NamedTuple):
    """L lights in the view's frame: directions (L, 3), diffuse (L, 3), specular (L, 3), wrap (L,), ambient (3,)."""

    directions: np.ndarray
    diffuse: np.ndarray
    specular: np.ndarray
    wrap: np.ndarray
    ambient: np.ndarray


# Each row: direction, diffuse, specular, wrap.
_SETS = {
    "Default": (
        (0.0, 0.0, 0.0),
        ((-0.353, 0.171, -0.92), (0.033, 0.033, 0.033), (0.267, 0.267, 0.267), 0.527),
        ((-0.408, 0.347, 0.844), (0.521, 0.538, 0.538), (0.599, 0.599, 0.599), 0.0),
        ((0.522, 0.826, 0.213), (0.038, 0.034, 0.05), (0.106, 0.126, 0.159), 0.478),
        ((0.625, -0.562, -0.542), (0.091, 0.082, 0.072), (0.107, 0.085, 0.066), 0.2),
    ),
    "basic.sl": (
        (0.0, 0.0, 0.0),
        ((0.0, 0.639, 0.769), (0.507, 0.507, 0.507), (0.666, 0.666, 0.666), 0.1),
        ((-0.847, -0.357, 0.394), (0.022, 0.058, 0.064), (0.034, 0.06, 0.064), 0.34),
        ((0.755, -0.531, 0.385), (0.064, 0.04, 0.037), (0.069, 0.046, 0.046), 0.34),
        ((0.034, 0.914, 0.405), (0.0, 0.0, 0.0), (0.023, 0.023, 0.025), 0.724),
    ),
    "outdoor.sl": (
        (0.017, 0.022, 0.025),
        ((0.0, 0.972, 0.233), (0.199, 0.366, 0.517), (0.396, 0.595, 0.787), 0.757),
        ((0.469, 0.612, 0.636), (0.686, 0.662, 0.592), (1.0, 0.968, 0.876), 0.183),
        ((-0.023, -0.992, 0.123), (0.039, 0.052, 0.038), (0.069, 0.096, 0.067), 0.695),
    ),
    "paint.sl": (
        (0.0, 0.0, 0.0),
        ((0.034, 0.407, 0.913), (1.0, 1.0, 1.0), (0.281, 0.281, 0.281), 0.374),
        ((0.0, 0.373, 0.928), (0.342, 0.342, 0.342), (0.0, 0.0, 0.0), 0.136),
        ((0.08, -0.681, -0.728), (0.202, 0.157, 0.148), (0.067, 0.058, 0.063), 0.631),
        ((-0.081, -0.173, -0.982), (0.22, 0.038, 0.047), (0.107, 0.08, 0.064), 0.2),
    ),
    "studio.sl": (
        (0.0, 0.0, 0.0),
        ((-0.855, 0.111, 0.507), (0.723, 0.723, 0.723), (0.686, 0.686, 0.686), 0.2),
        ((0.059, -0.988, -0.143), (0.063, 0.07, 0.068), (0.146, 0.163, 0.158), 0.72),
        ((0.972, 0.076, -0.222), (0.157, 0.163, 0.214), (0.246, 0.225, 0.225), 0.281),
    ),
}
NAMES = tuple(_SETS)
_MOST_TURN = np.radians(70)
_AMBIENT = (0.02, 0.22)
_GAIN = (0.75, 1.35)


def studio(name: str = "Default", turn: float = 0.0) -> Lights:
    """A set of studio lights, turned about the view's vertical by ``turn`` radians."""
    ambient, *rows = _SETS[name]
    cos, sin = np.cos(turn), np.sin(turn)
    about_y = np.array([[cos, 0.0, sin], [0.0, 1.0, 0.0], [-sin, 0.0, cos]])
    directions = np.array([row[0] for row in rows]) @ about_y.T
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return Lights(
        directions,
        np.array([row[1] for row in rows]),
        np.array([row[2] for row in rows]),
        np.array([row[3] for row in rows]),
        np.array(ambient),
    )


def random(rng: np.random.Generator) -> Lights:
    """A random set, turned, with a little more ambient light and another strength: no look that a reader
    could rely on."""
    name, turn = NAMES[rng.integers(len(NAMES))], rng.uniform(-1, 1) * _MOST_TURN
    ambient, gain = rng.uniform(*_AMBIENT), rng.uniform(*_GAIN)
    found = studio(name, turn)
    return found._replace(
        diffuse=found.diffuse * gain,
        specular=found.specular * rng.uniform(0, 1),
        ambient=found.ambient + ambient,
    )
