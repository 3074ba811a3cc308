# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Motion and joint tracks: validation, files, resampling."""

import json

import numpy as np
import pytest

from mocap import poses
from mocap import rotations as rot
from mocap.errors import BadInput
from mocap.motion import JointTrack, Motion, clip_path
from tests.mocap import rigs


@pytest.fixture(scope="module")
def skeleton():
    return rigs.quadruped()


@pytest.fixture(scope="module")
def motion(skeleton):
    return poses.random_motion(skeleton, 1, 30, 24.0, "0123456789abcdef")


def test_file_round_trip(motion, tmp_path):
    motion.save(tmp_path / "motion.json")
    back = Motion.load(tmp_path / "motion.json")
    np.testing.assert_allclose(back.root, motion.root, atol=1e-6)
    np.testing.assert_allclose(back.quats, motion.quats, atol=1e-7)
    assert (back.fps, back.bone_names, back.rig_digest) == (24.0, motion.bone_names, motion.rig_digest)


@pytest.mark.parametrize("fps", [12.0, 30.0, 60.0])
def test_resampling_keeps_duration_and_shape(skeleton, motion, fps):
    other = motion.resample(fps)
    assert (other.frames - 1) / fps == pytest.approx((motion.frames - 1) / 24.0, abs=0.5 / fps)
    np.testing.assert_allclose(other.joints(skeleton)[0], motion.joints(skeleton)[0], atol=1e-9)
    assert ((other.quats[1:] * other.quats[:-1]).sum(-1) > 0).all()
    again = other.resample(24.0).joints(skeleton)[: motion.frames]
    gap = np.linalg.norm(again - motion.joints(skeleton)[: len(again)], axis=-1)
    assert gap.max() < 0.03


def test_resampling_to_its_own_rate_changes_nothing(motion):
    same = motion.resample(24.0)
    np.testing.assert_allclose(rot.quat_to_matrix(same.quats), rot.quat_to_matrix(motion.quats), atol=1e-9)
    np.testing.assert_allclose(same.root, motion.root, atol=1e-12)


def test_another_rigs_motion_is_refused(motion):
    motion.check_rig("0123456789abcdef", "motion.json")
    with pytest.raises(BadInput, match=r"solved\.json: made for another rig"):
        motion.check_rig("fedcba9876543210", "solved.json")


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda d: d.update(fps=0), "fps"),
        (lambda d: d.update(root_m=[]), "no frames"),
        (lambda d: d["rotations_wxyz"][4][2].__setitem__(0, 3.0), "frame 4, bone ribs"),
        (lambda d: d["rotations_wxyz"].pop(), "do not fit"),
        (lambda d: d["root_m"][7].__setitem__(1, float("nan")), "frame 7"),
        (lambda d: d.pop("bones"), "'bones'"),
        (lambda d: d.update(schema=99), "schema 99"),
    ],
)
def test_a_damaged_motion_is_named_in_one_line(motion, tmp_path, damage, told):
    path = tmp_path / "motion.json"
    motion.save(path)
    data = json.loads(path.read_text())
    damage(data)
    path.write_text(json.dumps(data))
    with pytest.raises(BadInput) as caught:
        Motion.load(path)
    assert str(path) in str(caught.value)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "\xff"])
def test_a_file_that_is_no_motion_is_named(tmp_path, text):
    path = tmp_path / "motion.json"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(BadInput, match=r"motion\.json"):
        Motion.load(path)


def test_a_missing_motion_is_named(tmp_path):
    with pytest.raises(BadInput, match="no such file"):
        Motion.load(tmp_path / "absent.json")


def test_joint_track_round_trip_with_and_without_rotations(skeleton, motion, tmp_path):
    joints = motion.joints(skeleton)
    for quats in (None, motion.quats):
        JointTrack(24.0, skeleton.joint_names, joints, "digest", quats).save(tmp_path / "joints.json")
        back = JointTrack.load(tmp_path / "joints.json")
        np.testing.assert_allclose(back.positions, joints, atol=1e-6)
        assert (back.quats is None) == (quats is None)
        assert back.joint_names == skeleton.joint_names


def test_clips_lie_beside_the_rig_info():
    assert (
        clip_path("assets/wolf/rigged/rig_info.json", "Walk").as_posix()
        == "assets/wolf/rigged/clips/Walk.json"
    )
