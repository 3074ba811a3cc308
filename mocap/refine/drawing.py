# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A pose drawn into the squares that the reader looked at: which limb each pixel shows, and each limb by itself."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import parts
from ..raster import draw
from ..skeleton import Posed, Skeleton
from ..skin import Skin
from ..solve.cameras import Cameras
from .limbs import Limbs


class Buffer(NamedTuple):
    """depth (S, S) metres, inf where nothing is; triangle (S, S), -1 where none; place (S, S, 2) barycentric."""

    depth: np.ndarray
    triangle: np.ndarray
    place: np.ndarray


class Drawing(NamedTuple):
    """One frame through one view."""

    whole: Buffer
    shown: np.ndarray
    """(S, S) uint8: the limb, G for the backdrop."""
    alone: list[Buffer]
    """Each limb as if nothing stood before it; its triangles are numbered like the whole skin's."""
    height: float
    """The creature's height in panel pixels."""
    metres: float
    """The same in metres."""
    framing: np.ndarray
    """(2, 3) from panel pixels to the square's."""

    @property
    def height_in_square(self) -> float:
        """The creature's height in pixels of the square, the geometric mean of both directions."""
        return self.height * float(np.sqrt(abs(np.linalg.det(self.framing[:, :2]))))


class Artist:
    """Prepared once for a creature; its methods only read, so threads may share it."""

    def __init__(self, skeleton: Skeleton, skin: Skin) -> None:
        found = parts.of(skeleton)
        self.skeleton, self.skin = skeleton, skin
        self.limbs = Limbs.of(found.limb)
        vertex_limb = self.limbs.of_part[found.bone_part[skin.owner]]
        corners = vertex_limb[skin.triangles]
        # Of three corners the limb that two agree on, else the first's.
        agree = corners[:, 1] == corners[:, 2]
        self.triangle_limb = np.append(np.where(agree, corners[:, 1], corners[:, 0]), self.limbs.backdrop)
        self.members = [
            np.flatnonzero((corners == limb).any(1)).astype(np.int32) for limb in range(self.limbs.backdrop)
        ]
        self.member_triangles = [np.ascontiguousarray(skin.triangles[which]) for which in self.members]

    def points(self, posed: Posed, frame: int) -> np.ndarray:
        """(V, 3) the skin in world metres."""
        turns = posed.turns[frame]
        moves = posed.heads[frame] - np.einsum("bij,bj->bi", turns, self.skeleton.heads)
        return draw.blended(self.skin.points, self.skin.bones, self.skin.weights, turns, moves)

    def draw(
        self, points: np.ndarray, cameras: Cameras, frame: int, view: int, framing: np.ndarray, side: int
    ) -> Drawing:
        """``points`` as the camera of ``view`` sees them in ``frame``, in a square of ``side`` pixels."""
        seen = (points - cameras.places[frame, view]) @ cameras.rotations[frame, view].T
        depth = np.ascontiguousarray(seen[:, 2])
        focal = cameras.focals[frame, view]
        pixels = seen[:, :2] * (focal / depth)[:, None] + cameras.centres[frame, view]
        fine = pixels @ framing[:, :2].T + framing[:, 2]
        whole = Buffer(*draw.depth_buffer(fine, depth, self.skin.triangles, side, side))
        alone = []
        for which, triangles in zip(self.members, self.member_triangles):
            found = Buffer(*draw.depth_buffer(fine, depth, triangles, side, side))
            numbered = np.append(which, np.int32(-1))[found.triangle]
            alone.append(found._replace(triangle=numbered))
        height = self.skeleton.height * float(focal / np.median(depth))
        return Drawing(
            whole, self.triangle_limb[whole.triangle], alone, height, self.skeleton.height, framing
        )
