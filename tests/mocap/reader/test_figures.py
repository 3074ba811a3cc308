# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
from dataclasses import replace

import numpy as np
import pytest

from mocap.reader import figures
from tests.mocap import synthetic

HEIGHT = np.array([100.0, 200.0])


@pytest.fixture(scope="module")
def stick():
    """With limbs that know their mirrors."""
    bare = synthetic.skeleton()
    names = [limb.name for limb in bare.limbs]
    swap = str.maketrans("LR", "RL")
    limbs = [
        replace(limb, mirror=names.index(limb.name.translate(swap)) if limb.side else -1)
        for limb in bare.limbs
    ]
    return replace(bare, limbs=tuple(limbs))


def truth(count: int, joints: int) -> np.ndarray:
    return np.random.default_rng(0).uniform(0, 200, (count, 2, joints, 2))


def test_pck_counts_what_is_near_enough():
    share = np.zeros((4, 2, 5))
    share[0, 0] = 0.03
    share[:, 1, 0] = 0.2
    assert figures.pck(share, (0.02, 0.05)).tolist() == [[75, 80], [100, 80]]


def test_the_table_names_the_worst_joint_first():
    share, visible = np.full((10, 2, 3), 0.01), np.ones((10, 2, 3), bool)
    share[:, 1, 2] = np.linspace(0, 0.18, 10)
    visible[:4, 1, 2] = False
    rows = figures.joint_table(share, visible, ("a", "b", "paw"), ("front", "side"))
    assert len(rows) == 6
    assert rows[0]["joint"] == "paw"
    assert rows[0]["view"] == "side"
    assert rows[0]["mean_pct"] == pytest.approx(9)
    assert rows[0]["median_pct"] == pytest.approx(9)
    assert rows[0]["p95_pct"] == pytest.approx(17.1)
    assert rows[0]["within_5_pct"] == pytest.approx(30)
    assert rows[0]["seen_pct"] == pytest.approx(60)


def test_left_limbs_are_left(stick):
    limbs = figures.left_limbs(stick)
    assert list(limbs) == ["hind", "fore"]
    for name, joints in limbs.items():
        assert [stick.joint_names[j] for j in joints] == [f"{name}.L0", f"{name}.L1", f"{name}.L_tip"]


def test_left_limbs_do_not_depend_on_which_side_comes_first(stick):
    order = [j for j in range(len(stick.joints)) if ".R" in stick.joint_names[j]]
    order += [j for j in range(len(stick.joints)) if j not in order]
    place = {old: new for new, old in enumerate(order)}
    joints = tuple(replace(stick.joints[j], mirror=place.get(stick.joints[j].mirror, -1)) for j in order)
    turned = replace(stick, joints=joints)
    for name, members in figures.left_limbs(turned).items():
        assert {turned.joint_names[j] for j in members} == {f"{name}.L0", f"{name}.L1", f"{name}.L_tip"}


def test_joints_of_no_limb_pair_go_by_their_side():
    loose = synthetic.skeleton()
    left = np.concatenate(list(figures.left_limbs(loose).values()))
    assert sorted(loose.joint_names[j] for j in left) == sorted(
        name
        for name, joint in zip(loose.joint_names, loose.joints)
        if ".L" in name and joint.kind != "marker"
    )


def test_a_perfect_reader_confuses_nothing(stick):
    true = truth(6, len(stick.joints))
    found = figures.confusion(true, true, figures.left_limbs(stick), stick.joint_mirror, HEIGHT)
    assert found == {name: [[[100, 0], [0, 100]]] * 2 for name in ("hind", "fore")}


def test_confusion_tells_side_limb_and_view(stick):
    """In half of the samples the side view reads the left hind leg at the right one's place."""
    true, mirror = truth(8, len(stick.joints)), stick.joint_mirror
    limbs = figures.left_limbs(stick)
    # Far apart, so that every exchange is beyond the tolerance.
    true[:, :, mirror[limbs["hind"]]] = true[:, :, limbs["hind"]] + 60
    read = true.copy()
    read[:4, 1][:, limbs["hind"]] = true[:4, 1][:, mirror[limbs["hind"]]]
    found = figures.confusion(read, true, limbs, mirror, HEIGHT)
    assert found["hind"] == [[[100, 0], [0, 100]], [[50, 50], [0, 100]]]
    assert found["fore"] == [[[100, 0], [0, 100]]] * 2
    share = figures.swapped(read, true, mirror, HEIGHT)
    assert share[0] == 0
    # The swapped share is the mean over all pairs' cells off the diagonal, markers included.
    paired = (mirror >= 0).sum()
    assert share[1] == pytest.approx(100 * 3 / paired / 2)


def test_pose_distance_ignores_where_the_creature_stands():
    train = truth(5, 4)
    shifted = np.broadcast_to(train.mean(0), (3, 2, 4, 2)) + np.array([30.0, -12])
    assert figures.pose_distance(train, shifted, HEIGHT) == pytest.approx(np.zeros((3, 2)))
    bent = shifted.copy()
    bent[1, :, 0] += 40
    found = figures.pose_distance(train, bent, HEIGHT)
    assert found[0] == pytest.approx([0, 0])
    # One of four joints is off by 40 sqrt(2), the middle moves a quarter of that.
    assert found[1] == pytest.approx(np.sqrt(2 * (30**2 + 3 * 10**2) / 4) / HEIGHT * 100)
