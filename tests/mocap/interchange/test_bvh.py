# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""BVH read by nothing of ours: a plain reader of the format, as its definition has it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from mocap import layout, poses
from mocap.errors import BadInput
from mocap.interchange import bvh, leaves
from mocap.rig_info import RigInfo
from mocap.skeleton import Skeleton
from tests.mocap import rigs


@pytest.fixture(scope="module")
def info():
    return _info(rigs.quadruped())


def _info(skeleton: Skeleton) -> RigInfo:
    return RigInfo(skeleton, layout.fit(skeleton.joint_points[None], skeleton.height), 100 * skeleton.height)


def play(path) -> tuple[float, dict[str, np.ndarray]]:
    """Seconds a frame, and each joint's places (T, 3); an End Site is its parent's name and "_end"."""
    lines = path.read_text().split("\n")
    joints, stack, name = [], [], ""
    start = lines.index("MOTION")
    for line in lines[1:start]:
        words = line.split()
        if words[0] in ("ROOT", "JOINT"):
            name = words[1]
        elif words[0] == "End":
            name = stack[-1] + "_end"
        elif words[0] == "{":
            stack.append(name)
        elif words[0] == "}":
            stack.pop()
        elif words[0] == "OFFSET":
            joints.append([name, stack[-2] if len(stack) > 1 else "", np.array(words[1:], float), []])
        elif words[0] == "CHANNELS":
            assert int(words[1]) == len(words) - 2
            joints[-1][3] = words[2:]
    step = float(lines[start + 2].split()[-1])
    table = np.array([line.split() for line in lines[start + 3 :] if line], float)
    assert len(table) == int(lines[start + 1].split()[-1])
    places, turns, at = {}, {}, 0
    for name, parent, offset, channels in joints:
        own = dict(zip(channels, table[:, at : at + len(channels)].T))
        at += len(channels)
        above = turns.get(parent, Rotation.identity(len(table)))
        if parent:
            places[name] = places[parent] + above.apply(offset)
        else:
            places[name] = np.stack([own[f"{axis}position"] for axis in "XYZ"], 1)
        kinds = [c for c in channels if c.endswith("rotation")]
        if kinds:
            order = "".join(c[0] for c in kinds)
            turns[name] = above * Rotation.from_euler(
                order, np.stack([own[c] for c in kinds], 1), degrees=True
            )
    return step, places


def test_plain_reader_finds_heads_and_ends(info, tmp_path):
    skeleton = info.skeleton
    motion = poses.random_motion(skeleton, 3, 20, 24000 / 1001, info.digest)
    bvh.write(tmp_path / "take.bvh", info, motion)
    step, places = play(tmp_path / "take.bvh")
    assert 1 / step == pytest.approx(24000 / 1001, rel=1e-8)
    posed = motion.pose(skeleton)
    scale = 100 * skeleton.height
    for index, name in enumerate(skeleton.bone_names):
        wanted = 100 * posed.heads[:, index] @ bvh.Y_UP.T
        assert np.abs(places[name] - wanted).max() < 1e-4 * scale
    for leaf, end in leaves.ends(skeleton).items():
        tip = posed.heads[:, leaf] + posed.turns[:, leaf] @ (end - skeleton.heads[leaf])
        found = places[skeleton.bone_names[leaf] + "_end"]
        assert np.abs(found - 100 * tip @ bvh.Y_UP.T).max() < 1e-4 * scale
    assert len(places) == len(skeleton.bones) + len(leaves.ends(skeleton))


def test_the_creature_stands_upright_and_looks_along_z(info, tmp_path):
    up, front = bvh.Y_UP @ [0, 0, 1], bvh.Y_UP @ [0, -1, 0]
    assert up.tolist() == [0, 1, 0]
    assert front.tolist() == [0, 0, 1]
    assert np.linalg.det(bvh.Y_UP) == pytest.approx(1)


def test_names_that_become_one_are_refused(info, tmp_path):
    skeleton = info.skeleton
    bones = list(skeleton.bones)
    bones[-1], bones[-2] = replace(bones[-1], name="a b"), replace(bones[-2], name="a_b")
    other = _info(replace(skeleton, bones=tuple(bones)))
    motion = poses.random_motion(other.skeleton, 3, 2, 24, other.digest)
    with pytest.raises(BadInput, match="BVH has no spaces in names"):
        bvh.write(tmp_path / "take.bvh", other, motion)
