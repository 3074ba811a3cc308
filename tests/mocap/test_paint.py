# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The paint tells limbs, the bones of a limb, and where a limb's last bone ends."""

from dataclasses import replace

import numpy as np
import pytest

from mocap import paint
from mocap.skin import Skin
from tests.mocap import synthetic

RIG = synthetic.rig_info(96)
SKELETON = RIG.skeleton
LIMB = next(limb for limb in SKELETON.limbs if len(limb.bones) >= 3)


def on_bones(bones: list[int], shares: list[float]) -> Skin:
    """A vertex on each bone's axis, ``shares`` of the way from its head to what hangs on it."""
    axes = np.einsum("bij,bj->bi", SKELETON.rest, SKELETON.axes)
    points = SKELETON.heads[bones] + np.array(shares)[:, None] * 0.1 * axes[bones]
    table = np.zeros((len(bones), len(SKELETON.bones)))
    table[np.arange(len(bones)), bones] = 1
    return Skin.build(points, [[0, 1, 2]], table)


def test_bones_of_a_limb_take_turns_and_the_last_goes_over_into_the_other_shade():
    first, second, *_, last = LIMB.bones
    skin = on_bones([first, first, second, second, last, last, last], [0, 1, 0, 1, 0, 0.5, 1])
    shades = (paint.vertex_colours(skin, SKELETON) / np.array(LIMB.colour)).mean(1)
    assert shades[:4] == pytest.approx([1, 1, 0.6, 0.6])
    ends = (1, 0.6) if len(LIMB.bones) % 2 else (0.6, 1)
    assert shades[4:] == pytest.approx([ends[0], 0.8, ends[1]])


def test_a_bone_without_limb_is_grey():
    bare = replace(SKELETON, limbs=())
    skin = on_bones([0, 1, 2], [0, 0, 0])
    assert np.allclose(paint.vertex_colours(skin, bare), paint.UNLIMBED)


def test_the_digest_knows_skin_colours_and_shades():
    skin = on_bones([0, 1, 2], [0, 0.5, 1])
    own = paint.digest(skin, SKELETON)
    assert own == paint.digest(on_bones([0, 1, 2], [0, 0.5, 1]), SKELETON)
    other = replace(SKELETON.limbs[0], colour=(0.1, 0.2, 0.3))
    assert own != paint.digest(skin, replace(SKELETON, limbs=(other, *SKELETON.limbs[1:])))
    assert own != paint.digest(on_bones([0, 1, 2], [0, 0.5, 0.9]), SKELETON)
