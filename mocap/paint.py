# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The paint: a colour for every bone, from its limb's colour."""

from __future__ import annotations

import numpy as np

from . import files
from .skeleton import Skeleton
from .skin import Skin

UNLIMBED = (0.5, 0.5, 0.5)


def bone_colours(skeleton: Skeleton) -> np.ndarray:
    """(B, 3) sRGB in [0, 1]: light and dark take turns along each limb, so that the joints between
    its bones can be seen."""
    colours = np.tile(np.array(UNLIMBED), (len(skeleton.bones), 1))
    for limb in skeleton.limbs:
        for bone in limb.bones:
            dark = _depth_in_limb(skeleton, bone, limb.bones) % 2 == 1
            colours[bone] = np.array(limb.colour) * (0.6 if dark else 1.0)
    return colours


def _depth_in_limb(skeleton: Skeleton, bone: int, limb: tuple[int, ...]) -> int:
    depth = 0
    while (bone := skeleton.bones[bone].parent) in limb:
        depth += 1
    return depth


def digest(skin: Skin, skeleton: Skeleton) -> str:
    """Of a skin and its paint: two samples with different ones were rendered from different creatures, though the
    skeleton may be the same."""
    return files.digest_json([skin.digest, np.rint(bone_colours(skeleton) * 255).astype(int).tolist()])
