# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Which way a mesh faces, where its symmetry says that."""

from __future__ import annotations

import numpy as np

from ..errors import BadInput
from . import symmetry, voxels

TURNS = {"-Y": 0.0, "+X": -90.0, "+Y": 180.0, "-X": 90.0}
"""Facing -> turn about Z (degrees) that brings it to -Y."""
PLAIN = 0.1
"""By this much the mirror image across Y must cover the body better than the one across X."""


def choose(points: np.ndarray, triangles: np.ndarray) -> str:
    """points (V, 3), triangles (F, 3), Z up. -Y, as importers bring creatures in: -Y and +Y cannot be told
    apart by the mirror plane. Raises BadInput where the body is plainly mirrored across Y."""
    across_x = symmetry.plane(voxels.solid(points, triangles, symmetry.COARSE))[1]
    across_y = symmetry.plane(voxels.solid(points[:, [1, 0, 2]], triangles, symmetry.COARSE))[1]
    if across_y > across_x + PLAIN:
        raise BadInput("the mesh is mirrored across Y, so it faces along X: pass --facing +X or -X")
    return "-Y"
