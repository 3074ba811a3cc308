# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The paint: every vertex has its limb's colour, in a shade that tells the limb's bones apart and where they end."""

from __future__ import annotations

import numpy as np

from . import files
from .skeleton import Skeleton
from .skin import Skin

UNLIMBED = (0.5, 0.5, 0.5)
_LIGHT, _DARK = 1.0, 0.6
_RULE = 2
"""Counts how the paint has been laid on: samples of another rule show another creature."""


def vertex_colours(skin: Skin, skeleton: Skeleton) -> np.ndarray:
    """(V, 3) sRGB in [0, 1]: the colour of the vertex's limb, in its bone's shade. The last bone of a limb goes over
    into the other shade towards its end: of a head in one shade one could not see where it looks."""
    colours, dark = _limb_colours(skeleton), _dark(skeleton)
    along = np.where(_last(skeleton)[skin.owner], _along(skin, skeleton), 0.0)
    start, end = (np.where(turn[skin.owner], _DARK, _LIGHT) for turn in (dark, ~dark))
    return colours[skin.owner] * (start + (end - start) * along)[:, None]


def _limb_colours(skeleton: Skeleton) -> np.ndarray:
    """(B, 3)"""
    colours = np.tile(np.array(UNLIMBED), (len(skeleton.bones), 1))
    for limb in skeleton.limbs:
        colours[list(limb.bones)] = limb.colour
    return colours


def _dark(skeleton: Skeleton) -> np.ndarray:
    """(B,) bool: light and dark take turns along each limb, so that the joints between its bones can be seen."""
    dark = np.zeros(len(skeleton.bones), bool)
    for bone, parent in enumerate(skeleton.parents):  # parents come first
        if parent >= 0 and skeleton.bone_limb[bone] >= 0:
            dark[bone] = skeleton.bone_limb[bone] == skeleton.bone_limb[parent] and not dark[parent]
    return dark


def _last(skeleton: Skeleton) -> np.ndarray:
    """(B,) bool: no other bone of its limb hangs on it."""
    limb, parents = skeleton.bone_limb, skeleton.parents
    last = limb >= 0
    for bone, parent in enumerate(parents):
        if parent >= 0 and limb[bone] == limb[parent]:
            last[parent] = False
    return last


def _along(skin: Skin, skeleton: Skeleton) -> np.ndarray:
    """(V,) from 0 at the head of each vertex's bone to 1 at the far end of the bone's own skin."""
    axes = np.einsum("bij,bj->bi", skeleton.rest, skeleton.axes)
    along = ((skin.points - skeleton.heads[skin.owner]) * axes[skin.owner]).sum(1)
    reach = np.zeros(len(skeleton.bones))
    np.maximum.at(reach, skin.owner, along)
    return np.clip(along / np.maximum(reach[skin.owner], 1e-9), 0, 1)


def digest(skin: Skin, skeleton: Skeleton) -> str:
    """Of a skin and its paint: two samples with different ones were rendered from different creatures, though the
    skeleton may be the same."""
    colours = _limb_colours(skeleton) * np.where(_dark(skeleton), _DARK, _LIGHT)[:, None]
    return files.digest_json([_RULE, skin.digest, np.rint(colours * 255).astype(int).tolist()])
