# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts: which joints stand on the ground, and what holding them does."""

from dataclasses import replace

import numpy as np
import pytest

from mocap import rotations as rot
from mocap.exam.readings import Trouble, made_up_readings
from mocap.motion import Motion
from mocap.solve import Settings, limits, solve
from mocap.solve.contacts import Anchors, candidates, contacts, find, hold, runs, slide
from tests.mocap import rigs

FPS = 24.0


@pytest.fixture(scope="module")
def info():
    return rigs.rig_info(size=780)


@pytest.fixture(scope="module")
def standing(info):
    """A body that bends while all four feet stand: the trunk bends and sways above legs solved to stand still."""
    skeleton = info.skeleton
    frames = 48
    quats = np.tile([1.0, 0, 0, 0], (frames, len(skeleton.bones), 1))
    wave = np.sin(np.arange(frames) / 48 * 2 * np.pi)
    for name, size in (("neck", 0.3), ("head", 0.2), ("tail1", 0.4), ("tail2", 0.3)):
        turn = np.zeros((frames, 3))
        turn[:, 0] = size * wave
        quats[:, skeleton.bone_index(name)] = rot.rotvec_to_quat(turn)
    root = np.tile(skeleton.heads[0], (frames, 1))
    return Motion(FPS, skeleton.bone_names, root, quats, info.digest, {})


def test_feet_and_tail_tips_may_stand_and_knees_may_not(info):
    names = np.array(info.skeleton.joint_names)[candidates(info.skeleton)]
    assert {"foot.L.tip", "foot.R.tip", "paw.L.tip", "paw.R.tip"} <= set(names)
    assert not {"shin.L", "head", "chest"} & set(names)


def test_any_part_of_a_snake_may_touch(info):
    bare = tuple(limb for limb in info.skeleton.limbs if not limb.side)
    renamed = replace(
        info.skeleton, limbs=tuple(replace(limb, name=f"spine{i}") for i, limb in enumerate(bare))
    )
    able = candidates(renamed)
    carried = renamed.bone_limb[renamed.joint_bones] >= 0
    np.testing.assert_array_equal(able, carried & ~renamed.is_marker)


def test_standing_feet_are_in_contact_all_the_time(info, standing):
    joints = standing.joints(info.skeleton)
    touching = find(info.skeleton, joints, FPS, Settings())
    feet = [n.endswith(".tip") and n.split(".")[0] in ("foot", "paw") for n in info.skeleton.joint_names]
    assert touching[:, feet].all()
    assert len(contacts(info.skeleton, touching[:, :])) == 4
    assert slide(joints, touching, FPS) == pytest.approx(0, abs=1e-9)


def test_a_lifted_or_gliding_foot_is_not(info, standing):
    skeleton = info.skeleton
    foot = skeleton.joint_names.index("foot.L.tip")
    joints = standing.joints(skeleton).copy()
    joints[10:25, foot, 2] += 0.15 * skeleton.height
    touching = find(skeleton, joints, FPS, Settings())[:, foot]
    assert not touching[10:25].any()
    assert touching[:8].all()
    assert touching[28:].all()
    glides = standing.joints(skeleton).copy()
    glides[:, foot, 1] += np.arange(48) / FPS * 0.3 * skeleton.height
    assert not find(skeleton, glides, FPS, Settings())[:, foot].any()


def test_holding_keeps_feet_where_they_stand_inside_the_limits(info, standing):
    """With noise that lasts, feet slide; held, they slide less than half as fast, and nothing else is spoilt."""
    skeleton = info.skeleton
    joints = standing.joints(skeleton)
    read = made_up_readings(info, joints, Trouble(4.0, correlation=0.8))
    held, free = (solve(read, info, Settings(find_contacts=on)) for on in (True, False))
    before, after = held.slide_m_s
    assert after < 0.5 * before
    assert {c.joint for c in held.contacts} & {
        f"{end}.{side}.tip" for end in ("foot", "paw") for side in "LR"
    }
    assert free.contacts == []
    assert free.slide_m_s is None
    angles = limits.eulers(skeleton, held.motion.quats)
    assert np.abs(limits.breach(skeleton, angles)).max() < 1e-9
    off = [np.linalg.norm(s.motion.joints(skeleton) - joints, axis=-1).mean() for s in (held, free)]
    assert off[0] < 1.02 * off[1]


def test_a_flying_creature_has_no_contacts(info, standing):
    skeleton = info.skeleton
    joints = standing.joints(skeleton).copy()
    joints += np.array([0, 1.5, 0.8])[None, None] * (np.arange(48) / FPS)[:, None, None]
    assert not find(skeleton, joints, FPS, Settings()).any()


def test_anchors_pull_to_the_middle_of_a_run(info):
    joints = np.zeros((6, len(info.skeleton.joints), 3))
    joints[:, 0, 0] = np.arange(6)
    touching = np.zeros(joints.shape[:2], bool)
    touching[1:4, 0] = True
    anchors = hold(info.skeleton, joints, touching, Settings())
    np.testing.assert_allclose(anchors.targets[1:4, 0, 0], 2.0)
    weight, gradient = anchors.pulls(joints)
    assert not weight[:, 1:].any()
    assert gradient[1, 0, 0] < 0 < gradient[3, 0, 0]
    moved = joints.copy()
    moved[3, 0, 0] += 1e-6
    slope = (anchors.cost(moved) - anchors.cost(joints)) / 2e-6
    assert slope == pytest.approx(gradient[3, 0, 0], rel=1e-4)
    assert Anchors.none(6, 3).cost(np.ones((6, 3, 3))) == 0


def test_runs_of_flags():
    assert runs(np.array([True, True, False, True])) == [(0, 2), (3, 4)]
    assert runs(np.zeros(3, bool)) == []
