# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Left and right mistaken for each other."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from mocap import poses
from mocap.skeleton import Limb
from mocap.solve.observations import observe
from mocap.solve.settings import Settings
from mocap.solve.swaps import cheapest_path, correct_swaps, joint_limbs, limb_pairs
from tests.mocap import rigs


@pytest.fixture(scope="module")
def info():
    return rigs.rig_info()


@pytest.fixture(scope="module")
def joints(info):
    return poses.random_motion(info.skeleton, 5, 60, 24.0, info.digest).joints(info.skeleton)


def exchanged(info, detections, limb: str, view: int, frames: slice):
    """The detections with a limb and its mirror exchanged in one view."""
    pair = next(p for p in limb_pairs(info.skeleton) if p.limb == limb)
    positions, confidence = detections.positions.copy(), detections.confidence.copy()
    for a, b in zip(pair.joints, pair.partners):
        positions[frames, view, [a, b]] = detections.positions[frames, view, [b, a]]
        confidence[frames, view, [a, b]] = detections.confidence[frames, view, [b, a]]
    return replace(detections, positions=positions, confidence=confidence)


def test_joints_at_a_limbs_root_belong_to_the_limb(info):
    skeleton = info.skeleton
    limb_of = joint_limbs(skeleton)
    assert skeleton.limbs[limb_of[skeleton.joint_names.index("thigh.L")]].name == "hind_leg.L"
    assert skeleton.limbs[limb_of[skeleton.joint_names.index("neck")]].name == "neck"
    moved = list(skeleton.joints)
    index = skeleton.joint_names.index("thigh.L")
    moved[index] = replace(moved[index], bone=skeleton.bone_index("pelvis"))
    assert joint_limbs(replace(skeleton, joints=tuple(moved)))[index] == limb_of[index]


def test_every_mirrored_joint_is_in_one_pair(info):
    pairs = limb_pairs(info.skeleton)
    assert [p.limb for p in pairs] == ["fore_leg.L", "hind_leg.L"]
    members = np.concatenate([np.concatenate([p.joints, p.partners]) for p in pairs])
    np.testing.assert_array_equal(np.sort(members), np.flatnonzero(info.skeleton.joint_mirror >= 0))


def test_toes_go_with_their_leg(info):
    """The last bone of each hind leg made a toe of its own: it is still exchanged with the leg."""
    skeleton = info.skeleton
    limbs = list(skeleton.limbs)
    for side, other in (("L", "R"), ("R", "L")):
        index = next(i for i, limb in enumerate(limbs) if limb.name == f"hind_leg.{side}")
        toe = limbs[index].bones[-1:]
        limbs[index] = replace(limbs[index], bones=limbs[index].bones[:-1])
        mirror = len(skeleton.limbs) + (1 if other == "R" else 0)
        limbs.append(Limb(f"toe.{side}", side, toe, limbs[index].colour, mirror))
    toed = replace(skeleton, limbs=tuple(limbs))
    before = {p.limb: sorted(p.joints) for p in limb_pairs(skeleton)}
    assert {p.limb: sorted(p.joints) for p in limb_pairs(toed)} == before


def test_markers_go_with_their_limb_but_do_not_decide():
    info = rigs.rig_info(size=780, markers=True)
    pairs = limb_pairs(info.skeleton)
    assert [p.limb for p in pairs] == ["fore_leg.L", "hind_leg.L"]
    for pair in pairs:
        assert not info.skeleton.is_marker[pair.joints].any()
        assert len(pair.markers) == 8
        both, other = pair.exchange
        np.testing.assert_array_equal(info.skeleton.joint_mirror[both], other)
    motion = poses.random_motion(info.skeleton, 3, 40, 24.0, info.digest)
    clean = rigs.detections(info, motion.joints(info.skeleton), noise=1.0)
    both, other = pairs[1].exchange
    positions = clean.positions.copy()
    at = np.ix_(range(10, 24), [0], both)
    positions[at] = clean.positions[np.ix_(range(10, 24), [0], other)]
    seen = observe(replace(clean, positions=positions), Settings(), info.skeleton)
    corrected, swaps = correct_swaps(info.skeleton, seen)
    assert [swap.limb for swap in swaps] == ["hind_leg.L"]
    inner = np.ix_(range(12, 22), [0], both)
    np.testing.assert_array_equal(corrected.positions[inner], clean.positions[inner])


def test_clean_readings_are_left_alone(info, joints):
    for noise in (0.0, 2.0):
        observations = observe(rigs.detections(info, joints, noise=noise), Settings(), info.skeleton)
        corrected, swaps = correct_swaps(info.skeleton, observations)
        assert swaps == []
        np.testing.assert_array_equal(corrected.positions, observations.positions)


@pytest.mark.parametrize(("limb", "view"), itertools.product(["fore_leg.L", "hind_leg.L"], [0, 1]))
def test_a_run_of_exchanged_frames_is_found_and_put_right(info, joints, limb, view):
    clean = rigs.detections(info, joints, noise=1.0, missing=0.05)
    wrong = exchanged(info, clean, limb, view, slice(20, 32))
    corrected, swaps = correct_swaps(info.skeleton, observe(wrong, Settings(), info.skeleton))
    assert [(s.limb, s.view) for s in swaps] == [(limb, info.layout.names[view])]
    found = set(swaps[0].frames)
    assert len(found ^ set(range(20, 32))) <= 2, "at most the edges may be missed"
    back = np.linalg.norm(corrected.positions - clean.positions, axis=-1)
    assert (back > 1).sum() < 0.15 * (np.linalg.norm(wrong.positions - clean.positions, axis=-1) > 1).sum()


def test_cheapest_path_is_the_best_of_all_paths():
    rng = np.random.default_rng(0)
    costs, steps = rng.random((6, 3)), rng.random((5, 3, 3))

    def total(path):
        return sum(costs[t, s] for t, s in enumerate(path)) + sum(
            steps[t, a, b] for t, (a, b) in enumerate(itertools.pairwise(path))
        )

    best = min(itertools.product(range(3), repeat=6), key=total)
    np.testing.assert_array_equal(cheapest_path(costs, steps), best)
