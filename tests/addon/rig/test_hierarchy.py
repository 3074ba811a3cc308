# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pure stages: hierarchy, symmetry, joints, limbs."""

from __future__ import annotations

import numpy as np
import pytest
from anymove.addon.rig import attach, hierarchy, joints, symmetry
from anymove.mocap.errors import BadInput


def rig(names, parents, heads, weights, touching=None, clips=(), **changes):
    """Bones end 0.1 below their heads; those with weight deform."""
    count = len(names)
    heads, weights = np.array(heads, float), np.array(weights, float)
    arrays = attach.RigArrays(
        names=names,
        parents=np.array(parents),
        heads=heads,
        ends=heads - [0, 0, 0.1],
        tips=np.full((count, 3), np.nan),
        deforms=weights > 0,
        declared=np.ones(count, bool),
        outside=np.zeros(count),
        share=weights / max(weights.sum(), 1),
        touching=np.zeros((count, count)) if touching is None else np.array(touching, float),
        clip_heads=[c[0] for c in clips],
        clip_turns=[c[1] for c in clips],
    )
    return arrays._replace(**changes)


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
    built = hierarchy.build(leg_with_foot_on_a_goal())
    assert [leg_with_foot_on_a_goal().names[i] for i in built.order] == ["hips", "shin", "foot"]
    assert built.parents == [-1, 0, 1]
    assert built.reparented == {"foot": "shin"}
    assert set(built.dropped) == {"root", "pole", "goal"}


def test_no_weights_is_refused():
    with pytest.raises(BadInput, match="no bone deforms"):
        hierarchy.build(rig(["a"], [-1], [[0, 0, 0]], [0]))


def test_stray_part_finds_its_side_without_clips():
    names = ["hips", "leg.L", "leg.R", "goal", "foot"]
    heads = [[0, 0, 1], [0.2, 0, 0.8], [-0.2, 0, 0.8], [-0.3, 0, 0], [-0.25, 0, 0.2]]
    built = hierarchy.build(rig(names, [-1, 0, 0, -1, 3], heads, [9, 9, 9, 0, 9]))
    assert built.reparented == {"foot": "leg.R"}


def test_mechanism_bones_give_way_to_the_deform_bones_on_them():
    """As Rigify builds: DEF bones hang on ORG and MCH bones, each ORG lies on its DEF."""
    names = ["root", "ORG-hips", "DEF-hips", "MCH-x", "ORG-leg", "DEF-leg"]
    heads = [[0, 0, 0], [0, 0, 1], [0, 0, 1], [0, 0.3, 0.7], [0.1, 0, 0.9], [0.1, 0, 0.9]]
    arrays = rig(names, [-1, 0, 1, 1, 3, 4], heads, [0, 0, 9, 0, 0, 9])
    built = hierarchy.build(arrays._replace(declared=arrays.deforms))
    assert [names[i] for i in built.order] == ["DEF-hips", "DEF-leg"]
    assert built.parents == [-1, 0]
    assert built.reparented == {}


def test_a_hub_in_the_air_gives_way_where_nothing_is_lost():
    """A control above the back that everything hangs on and that never bends against the hips."""
    names = ["hub", "hips", "chest", "leg.L", "leg.R"]
    heads = [[0, 0, 1.5], [0, 0.3, 0.8], [0, -0.3, 0.9], [0.1, 0.3, 0.7], [-0.1, 0.3, 0.7]]
    track, turns = np.tile(np.array(heads), (9, 1, 1)), np.tile(np.eye(3), (9, 5, 1, 1))
    floating = np.array([0.2, 0, 0, 0, 0])
    arrays = rig(names, [-1, 0, 0, 0, 0], heads, [0, 9, 9, 9, 9], clips=[(track, turns)], outside=floating)
    built = hierarchy.build(arrays)
    assert (names[built.order[0]], built.dropped) == ("hips", ["hub"])
    track = track.copy()
    track[4:, 2] += 0.1
    kept = hierarchy.build(arrays._replace(clip_heads=[track]))
    assert names[kept.order[0]] == "hub"


def test_parts_hang_on_what_they_touch_and_move_with():
    """A snake whose tail and head are siblings of its chest under a control."""
    names = ["root", "chest", "neck", "tail", "mouth"]
    heads = [[0, 0, 0], [0, -0.2, 0.2], [0, -0.2, 0.5], [0, -0.1, 0.1], [0, -0.3, 0.8]]
    touching = np.zeros((5, 5))
    for a, b in ((1, 2), (1, 3), (2, 4)):
        touching[a, b] = touching[b, a] = 5
    far = np.array(heads)
    track = np.tile(far, (8, 1, 1))
    track[:, 1:] += 0.3 * np.sin(np.arange(8))[:, None, None] * [1, 0, 0]
    arrays = rig(
        names, [-1, 0, 1, 0, 0], heads, [0, 5, 5, 5, 5], touching, [(track, np.tile(np.eye(3), (8, 5, 1, 1)))]
    )
    built = hierarchy.build(arrays)
    kept = [names[i] for i in built.order]
    hung = {kept[i]: kept[p] if p >= 0 else "" for i, p in enumerate(built.parents)}
    assert hung == {"chest": "", "neck": "chest", "tail": "chest", "mouth": "neck"}


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
    ends = [False, False, True, False, True]
    chosen = joints.choose(names, parents, heads, tips, np.ones(5, bool), [0, 3, 4, 1, 2], ends)
    assert [c.name for c in chosen] == ["root", "a.L", "b.L", "b.L_tip", "a.R", "b.R", "b.R_tip"]
    assert joints.mirrors(chosen, [0, 3, 4, 1, 2]) == [-1, 4, 5, 6, 1, 2, 3]
    tight = heads.copy()
    tight[2, 2] = 1 - 0.5 * near
    chosen = joints.choose(names, parents, tight, tips, np.ones(5, bool), [0, 3, 4, 1, 2], ends)
    assert [c.name for c in chosen if c.kind == "head"] == ["root", "a.L", "a.R"]
