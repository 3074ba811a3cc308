# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Body parts: what a pixel of the creature can belong to. A part is a bone's skin; tiny ones go with their parent."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .skeleton import Skeleton

MOST = 32
"""Parts at most: each is a channel of the reader's masks."""
_LEAST_AREA = 0.0015
"""A part's skin seen from the side, in squares of the creature's height."""


class Parts(NamedTuple):
    """names (P,): each part's topmost bone; bone_part (B,) uint8; limb (P,) index of the part's limb, -1 for none.
    Pixels of the backdrop have the number P."""

    names: tuple[str, ...]
    bone_part: np.ndarray
    limb: np.ndarray

    @property
    def backdrop(self) -> int:
        return len(self.names)


@lru_cache(maxsize=8)
def of(skeleton: Skeleton) -> Parts:
    """Bones without skin, and those whose skin is tiny, belong to their parent's part, where both are of one limb;
    other tiny ones stay parts of their own unless there would be more than MOST."""
    lengths = np.linalg.norm(skeleton.cores[:, 1] - skeleton.cores[:, 0], axis=1) + 2 * skeleton.radii
    area = 2 * skeleton.radii * lengths / skeleton.height**2
    limb, parents = skeleton.bone_limb, skeleton.parents
    join = (parents >= 0) & ((area <= 0) | ((area < _LEAST_AREA) & (limb == limb[parents])))
    smallest_first = [b for b in np.argsort(area, kind="stable") if parents[b] >= 0 and not join[b]]
    for bone in smallest_first[: max(0, int((~join).sum()) - MOST)]:
        join[bone] = True
    heads = np.flatnonzero(~join)
    number = {int(bone): index for index, bone in enumerate(heads)}
    part = np.zeros(len(skeleton.bones), np.uint8)
    for bone in range(len(skeleton.bones)):
        part[bone] = part[parents[bone]] if join[bone] else number[bone]
    return Parts(tuple(skeleton.bones[b].name for b in heads), part, limb[heads])
