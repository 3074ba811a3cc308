# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Runs of bones in a line are found and bend as one."""

from dataclasses import replace

import numpy as np
import pytest

from mocap import rotations as rot
from mocap.poses import chains
from mocap.skeleton import Bone, Joint, Limb, Skeleton
from tests.mocap import rigs

EYE = tuple(map(tuple, np.eye(3)))


def names(skeleton, found):
    return [[skeleton.bone_names[b] for b in found.bones[run]] for run in found.spans]


def snake(bones: int = 12, degrees: float = 40.0) -> Skeleton:
    """A line of bones, each rolled at random about itself."""
    rng = np.random.default_rng(0)
    limit = (-np.radians(degrees), np.radians(degrees))
    line = []
    for n in range(bones):
        rest = np.stack([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]) @ rot.exp_so3(
            np.array([0, rng.uniform(-3, 3), 0])
        )
        line.append(
            Bone(
                f"b{n}",
                n - 1,
                (0, 0.1 * n, 0.1),
                (0, 0.1 * n + 0.1, 0.1),
                tuple(map(tuple, rest)),
                (limit,) * 3,
                "",
            )
        )
    joints = [Joint(f"j{n}", n, (0, 0.1 * n, 0.1), "head") for n in range(bones)]
    joints.append(Joint("tip", bones - 1, (0, 0.1 * bones, 0.1), "tip"))
    return Skeleton(
        "snake", 0.3, tuple(line), tuple(joints), (Limb("tail", "", tuple(range(bones)), (1, 1, 1)),)
    )


def test_runs_are_found_and_knees_are_not():
    skeleton = rigs.quadruped()
    found = names(skeleton, chains.find(skeleton))
    assert ["tail1", "tail2", "tail3"] in found
    assert any(run[0] == "spine" for run in found)
    assert not any({"thigh.L", "arm.R", "shin.L"} & set(run) for run in found)
    assert len({bone for run in found for bone in run}) == sum(map(len, found)), "no bone is in two runs"


def test_fingers_are_runs_and_the_arm_is_not():
    bones, joints = [Bone("root", -1, (0, 0, 1), (0, 0, 1.1), EYE, ((-1, 1),) * 3, "")], []
    for n, name in enumerate(("collar", "upper", "fore", "hand")):
        bones.append(Bone(name, n, (0.2 * n + 0.1, 0, 1), (0.2 * n + 0.3, 0, 1), EYE, ((-1, 1),) * 3, ""))
    for finger, y in (("index", 0.02), ("ring", -0.02)):
        for n in range(3):
            parent = 4 if n == 0 else len(bones) - 1
            x = 0.9 + 0.05 * n
            bones.append(Bone(f"{finger}{n}", parent, (x, y, 1), (x + 0.05, y, 1), EYE, ((-1, 1),) * 3, ""))
        joints.append(Joint(f"{finger}_tip", len(bones) - 1, (1.05, y, 1), "tip"))
    limb = Limb("arm1.L", "L", tuple(range(1, len(bones))), (1, 0, 0))
    skeleton = Skeleton("arm", 1.0, tuple(bones), tuple(joints), (limb,))
    found = names(skeleton, chains.find(skeleton))
    assert found == [["index0", "index1", "index2"], ["ring0", "ring1", "ring2"]]


def test_bends_are_smooth_whatever_the_roll_and_inside_the_limits():
    skeleton = snake()
    found = chains.find(skeleton)
    eulers = chains.random_bends(skeleton, found, np.random.default_rng(1), 200, near_rest=False)
    limits = skeleton.limits[found.bones]
    assert (eulers >= limits[..., 0]).all()
    assert (eulers <= limits[..., 1]).all()
    turns = np.einsum("nij,knj->kni", skeleton.rest[found.bones], rot.log_so3(rot.euler_to_matrix(eulers)))
    across = turns[..., [0, 2]]
    jump = np.linalg.norm(np.diff(across, axis=1), axis=-1).mean()
    unrelated = np.linalg.norm(across - np.roll(across, 1, axis=0), axis=-1).mean()
    assert jump < 0.5 * unrelated
    assert np.degrees(np.abs(across).max()) > 20


def test_no_run_is_bent_into_a_knot():
    skeleton = snake(30)
    found = chains.find(skeleton)
    eulers = chains.random_bends(skeleton, found, np.random.default_rng(1), 100, near_rest=False)
    local = np.tile(np.eye(3), (100, 30, 1, 1))
    local[:, found.bones] = rot.euler_to_matrix(eulers)
    posed = skeleton.pose_matrices(np.tile(skeleton.heads[0], (100, 1)), local)
    heading = posed.turns @ np.array([0, 1.0, 0])
    angle = np.degrees(np.arccos(np.clip(heading[:, :, None] @ np.swapaxes(heading, 1, 2)[:, None], -1, 1)))
    assert np.percentile(angle.max((1, 2, 3)), 90) < 175


@pytest.mark.parametrize("degrees", [0.0, 5.0])
def test_stiff_runs_hardly_bend(degrees):
    skeleton = snake(4, degrees)
    found = chains.find(skeleton)
    eulers = chains.random_bends(skeleton, found, np.random.default_rng(1), 20, near_rest=False)
    waves = chains.random_waves(skeleton, found, np.random.default_rng(1), np.arange(20) / 24)
    assert np.degrees(np.abs(eulers).max()) <= degrees + 1e-6
    assert np.degrees(np.abs(waves).max()) <= degrees + 1e-6


def test_a_rig_without_runs_has_none():
    skeleton = rigs.quadruped()
    lone = replace(skeleton, bones=skeleton.bones[:1], joints=skeleton.joints[:1], limbs=())
    lone = replace(lone, joints=(replace(lone.joints[0], mirror=-1),))
    assert len(chains.find(lone).bones) == 0
