# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies made of tubes whose joints are known."""

from __future__ import annotations

import numpy as np

Mesh = tuple[np.ndarray, np.ndarray]


def tube(points: list, radii: list | float, sides: int = 10) -> Mesh:
    """A closed tube along a polyline, round at the joints as far as rings allow."""
    line = np.asarray(points, float)
    wide = np.broadcast_to(np.asarray(radii, float), len(line))
    along = np.gradient(line, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    turn = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    rings = []
    for place, direction, radius in zip(line, along, wide):
        aside = np.cross(direction, [0.36, 0.48, 0.8])
        aside /= np.linalg.norm(aside)
        other = np.cross(direction, aside)
        rings.append(place + radius * (np.cos(turn)[:, None] * aside + np.sin(turn)[:, None] * other))
    vertices = np.concatenate([*rings, line[:1], line[-1:]])
    faces = []
    for ring in range(len(line) - 1):
        for k in range(sides):
            a, b = ring * sides + k, ring * sides + (k + 1) % sides
            faces += [[a, b, b + sides], [a, b + sides, a + sides]]
    first, last = len(vertices) - 2, len(vertices) - 1
    for k in range(sides):
        end = (len(line) - 1) * sides
        faces += [[first, (k + 1) % sides, k], [last, end + k, end + (k + 1) % sides]]
    return vertices, np.array(faces)


def join(*meshes: Mesh) -> Mesh:
    vertices, faces, start = [], [], 0
    for points, triangles in meshes:
        vertices.append(points)
        faces.append(triangles + start)
        start += len(points)
    return np.concatenate(vertices), np.concatenate(faces)


def both(points: list, radii: list | float) -> list[Mesh]:
    """The tube and its mirror image."""
    line = np.asarray(points, float)
    return [tube(line, radii), tube(line * [-1, 1, 1], radii)]


def box(low: list, high: list) -> Mesh:
    a, b = np.asarray(low, float), np.asarray(high, float)
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    faces = [
        [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
        [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
    ]  # fmt: skip
    return a + corners * (b - a), np.array(faces)


FRONT_LEG = {
    "upper_arm.L": (0.2, -0.7, 1.0),
    "forearm.L": (0.2, -0.6, 0.55),
    "front_paw.L": (0.2, -0.68, 0.1),
    "front_paw.L_tip": (0.2, -0.85, 0.04),
}
HIND_LEG = {
    "thigh.L": (0.2, 0.65, 1.0),
    "shin.L": (0.2, 0.5, 0.65),
    "hock.L": (0.2, 0.8, 0.35),
    "hind_paw.L": (0.2, 0.72, 0.1),
    "hind_paw.L_tip": (0.2, 0.55, 0.04),
}


def quadruped(ears: bool = False) -> Mesh:
    """About 1.6 tall and 3.4 long, facing -Y, with a tail."""
    legs = [
        part
        for leg in (FRONT_LEG, HIND_LEG)
        for part in both(list(leg.values()), [0.14, 0.1, 0.07, 0.06, 0.05][: len(leg)])
    ]
    trunk = tube([(0, 0.85, 1.05), (0, 0.6, 1.05), (0, -0.6, 1.05), (0, -0.85, 1.1)], [0.2, 0.28, 0.28, 0.2])
    neck = tube([(0, -0.75, 1.1), (0, -1.1, 1.45), (0, -1.5, 1.4)], [0.16, 0.14, 0.08])
    tail = tube([(0, 0.85, 1.05), (0, 1.3, 0.95), (0, 1.8, 0.8)], [0.08, 0.07, 0.05])
    extra = both([(0.06, -1.05, 1.5), (0.2, -1.0, 1.75)], [0.05, 0.03]) if ears else []
    return join(trunk, neck, tail, *legs, *extra)


def biped() -> Mesh:
    """1.8 tall, arms held out and down."""
    legs = both(
        [(0.1, 0, 0.95), (0.11, -0.01, 0.5), (0.11, 0.02, 0.08), (0.11, -0.16, 0.05)], [0.1, 0.07, 0.05, 0.04]
    )
    arms = both(
        [(0.1, 0, 1.4), (0.2, 0, 1.42), (0.45, 0.02, 1.3), (0.68, 0, 1.2), (0.82, 0, 1.14)],
        [0.06, 0.06, 0.05, 0.035, 0.04],
    )
    trunk = tube([(0, 0, 0.88), (0, 0, 1.0), (0, 0, 1.35), (0, 0, 1.48)], [0.13, 0.16, 0.17, 0.09])
    head = tube([(0, 0, 1.45), (0, 0, 1.56), (0, 0, 1.62), (0, 0, 1.8)], [0.06, 0.06, 0.12, 0.06])
    return join(trunk, head, *legs, *arms)


def spider(pairs: int = 4) -> Mesh:
    legs = []
    for k in range(pairs):
        y = -0.5 + k / max(pairs - 1, 1)
        legs += both(
            [(0.05, 0.3 * y, 0.4), (0.5, 0.8 * y, 0.8), (0.95, 1.2 * y, 0.4), (1.1, 1.4 * y, 0.02)], 0.05
        )
    thorax = tube([(0, 0.3, 0.4), (0, 0, 0.4), (0, -0.35, 0.4)], [0.1, 0.2, 0.12])
    abdomen = tube([(0, 0.25, 0.4), (0, 0.7, 0.45), (0, 1.1, 0.4)], [0.07, 0.3, 0.1])
    return join(thorax, abdomen, *legs)


def snake() -> Mesh:
    along = np.linspace(0, 1, 30)
    line = np.stack([0 * along, 3 * along - 1.5, 0.12 + 0.3 * np.maximum(0, 0.3 - along) ** 1.5], 1)
    return tube(line.tolist(), np.interp(along, [0, 0.05, 0.6, 1], [0.05, 0.1, 0.1, 0.02]).tolist())


def _wing(tip: list) -> list[Mesh]:
    """A thin plate from the shoulder to ``tip``, on both sides."""
    root = np.array([0.1, -0.25, 0.75])
    out = []
    for side in ([1, 1, 1], [-1, 1, 1]):
        ring = np.array([root, tip, tip, root])
        ring[2:, 1] += [0.35, 0.45]
        ring, thick = ring * side, np.array([0, 0, 0.015])
        points = np.concatenate([ring + thick, ring - thick])
        quads = [[0, 1, 2, 3], [7, 6, 5, 4], *[[i, i + 4, (i + 1) % 4 + 4, (i + 1) % 4] for i in range(4)]]
        out.append((points, np.array([t for a, b, c, d in quads for t in ([a, b, c], [a, c, d])])))
    return out


def bird() -> Mesh:
    """Two legs, spread wings, a tail."""
    trunk = tube([(0, 0.5, 0.6), (0, 0.2, 0.65), (0, -0.3, 0.75)], [0.1, 0.2, 0.15])
    neck = tube([(0, -0.3, 0.75), (0, -0.5, 1.0), (0, -0.8, 1.0)], [0.1, 0.08, 0.03])
    tail = tube([(0, 0.5, 0.6), (0, 0.8, 0.55), (0, 1.1, 0.5)], [0.08, 0.06, 0.05])
    legs = both(
        [(0.1, 0.1, 0.55), (0.12, 0.0, 0.3), (0.12, 0.1, 0.06), (0.12, -0.1, 0.03)], [0.07, 0.05, 0.04, 0.03]
    )
    return join(trunk, neck, tail, *legs, *_wing([1.6, -0.2, 0.9]))
