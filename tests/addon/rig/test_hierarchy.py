# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pure stages: hierarchy, symmetry, joints, limbs."""

from __future__ import annotations

import numpy as np
import pytest
from anymove.addon.rig import hierarchy, joints, limbs, symmetry
from anymove.mocap.errors import BadInput


def rig(names, parents, heads, weights, touching=None, clips=()):
    count = len(names)
    return hierarchy.RigArrays(
        names,
        np.array(parents),
        np.array(heads, float),
        np.array(weights, float),
        np.zeros((count, count)) if touching is None else np.array(touching, float),
        [c[0] for c in clips],
        [c[1] for c in clips],
    )


def leg_with_foot_on_a_goal():
    """hips > shin, and a goal bone on the floor that holds the weighted foot; the goal moves as the foot."""
    names = ["root", "hips", "shin", "pole", "goal", "foot"]
    parents = [-1, 0, 1, 0, 0, 4]
    heads = [[0, 0, 0], [0, 0, 0.8], [0, 0, 0.4], [0, -2, 0.5], [0, 0, 0.1], [0, 0, 0.1]]
    frames = 20
    swing = 0.4 * np.sin(np.linspace(0, 6, frames))
    track = np.tile(np.array(heads, float), (frames, 1, 1))
    turns = np.tile(np.eye(3), (frames, 6, 1, 1))
    from anymove.mocap.rotations import exp_so3

    turns[:, 2] = exp_so3(np.stack([swing, 0 * swing, 0 * swing], 1))
    ankle = track[:, 2] + np.einsum("tij,j->ti", turns[:, 2], np.array([0, 0, -0.3]))
    track[:, 4] = track[:, 5] = ankle
    return rig(names, parents, heads, [0, 50, 40, 0, 0, 20], clips=[(track, turns)])


def test_foot_outside_the_leg_is_hung_on_the_shin():
    built = hierarchy.build(leg_with_foot_on_a_goal(), 0.5)
    assert [leg_with_foot_on_a_goal().names[i] for i in built.order] == ["hips", "shin", "foot"]
    assert built.parents == [-1, 0, 1]
    assert built.reparented == {"foot": "shin"}
    assert set(built.dropped) == {"root", "pole", "goal"}


def test_no_weights_is_refused():
    with pytest.raises(BadInput, match="no bone deforms"):
        hierarchy.build(rig(["a"], [-1], [[0, 0, 0]], [0]), 0.5)


def test_stray_part_finds_its_side_without_clips():
    names = ["hips", "leg.L", "leg.R", "goal", "foot"]
    heads = [[0, 0, 1], [0.2, 0, 0.8], [-0.2, 0, 0.8], [-0.3, 0, 0], [-0.25, 0, 0.2]]
    built = hierarchy.build(rig(names, [-1, 0, 0, -1, 3], heads, [9, 9, 9, 0, 9]), 0.5)
    assert built.reparented == {"foot": "leg.R"}


def test_mirror_follows_geometry_not_names():
    parents = [-1, 0, 0, 1, 2, 0]
    heads = np.array(
        [[0, 0, 1], [0.2, 0, 0.9], [-0.2, 0, 0.9], [0.25, 0, 0.5], [-0.25, 0, 0.5], [0, -0.4, 1.1]]
    )
    tips = np.full_like(heads, np.nan)
    tips[3], tips[4], tips[5] = [0.25, 0, 0.1], [-0.25, 0, 0.1], [0, -0.6, 1.2]
    partner = symmetry.mirror_bones(parents, heads, tips)
    assert partner == [0, 2, 1, 4, 3, 5]
    middles = symmetry.subtree_middles(parents, heads, tips)
    assert symmetry.sides(partner, parents, middles) == ["", "L", "R", "L", "R", ""]


def test_bone_without_partner_has_none():
    parents = [-1, 0, 0]
    heads = np.array([[0, 0, 1], [0.3, 0, 1], [-0.1, 0.5, 0.2]])
    assert symmetry.mirror_bones(parents, heads, np.full_like(heads, np.nan)) == [0, -1, -1]


def test_joints_too_close_are_left_out_on_both_sides():
    names = ["root", "a.L", "b.L", "a.R", "b.R"]
    parents = [-1, 0, 1, 0, 3]
    near = joints.SPACING
    heads = np.array(
        [[0, 0, 1], [0.3, 0, 1], [0.3, 0, 1 - 1.1 * near], [-0.3, 0, 1], [-0.3, 0, 1 - 0.9 * near]]
    )
    tips = np.full_like(heads, np.nan)
    tips[2], tips[4] = [0.3, 0, 0.5], [-0.3, 0, 0.5]
    chosen = joints.choose(names, parents, heads, tips, np.ones(5), [0, 3, 4, 1, 2])
    assert [c.name for c in chosen] == ["root", "a.L", "b.L", "b.L_tip", "a.R", "b.R", "b.R_tip"]
    assert joints.mirrors(chosen, [0, 3, 4, 1, 2]) == [-1, 4, 5, 6, 1, 2, 3]
    tight = heads.copy()
    tight[2, 2] = 1 - 0.5 * near
    chosen = joints.choose(names, parents, tight, tips, np.ones(5), [0, 3, 4, 1, 2])
    assert [c.name for c in chosen if c.kind == "head"] == ["root", "a.L", "a.R"]


def test_limb_colours_oppose_left_and_right():
    import colorsys

    parents = [-1, 0, 0, 0, 0]
    heads = np.array([[0, 0, 1], [0.2, -0.5, 1], [-0.2, -0.5, 1], [0.2, 0.5, 1], [-0.2, 0.5, 1]])
    tips = heads * [1, 1, 0]
    tips[0] = np.nan
    found = limbs.find(parents, ["", "L", "R", "L", "R"], [0, 2, 1, 4, 3], heads, tips)
    assert [limb.name for limb in found] == ["body", "leg1.L", "leg1.R", "leg2.L", "leg2.R"]
    hue = {limb.name: colorsys.rgb_to_hsv(*limb.colour)[0] for limb in found}
    for pair in ("leg1", "leg2"):
        assert abs(hue[f"{pair}.L"] - hue[f"{pair}.R"]) == pytest.approx(0.5, abs=0.01)
    assert found[1].mirror == 2
    hues = sorted(hue[name] for name in hue if name != "body")
    assert min(np.diff(hues)) == pytest.approx(0.25, abs=0.01)
