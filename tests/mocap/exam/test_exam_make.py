# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The motions that exams ask for."""

from dataclasses import replace

import numpy as np
import pytest

from mocap import cli
from mocap import rotations as rot
from mocap.exam import make
from mocap.exam.__main__ import main
from mocap.motion import Motion, clip_path


def test_make_writes_a_random_motion_decided_by_its_seed(info, tmp_path):
    info.save(tmp_path / "rig_info.json")
    for name, seed in (("a", "5"), ("b", "5"), ("c", "6")):
        assert cli.run(main, ["make", str(tmp_path / "rig_info.json"), str(tmp_path / name), seed, "30"]) == 0
    a, b, c = (Motion.load(tmp_path / name) for name in "abc")
    assert a.frames == 30
    assert a.provenance["seed"] == 5
    assert a.rig_digest == info.digest
    np.testing.assert_array_equal(a.quats, b.quats)
    assert not np.allclose(a.quats, c.quats)


@pytest.fixture
def rig_with_clips(info, tmp_path):
    """A rig_info.json with three clips: "turn" closes, "reach" does not, "foreign" is another rig's."""
    info = replace(info, clips=("turn", "reach", "foreign"))
    path = tmp_path / "rig_info.json"
    info.save(path)
    bones = len(info.skeleton.bones)
    swing = np.zeros((17, bones, 3))
    bone = info.skeleton.bone_index("neck")
    swing[:, bone, 0] = 0.4 * np.sin(np.linspace(0, 2 * np.pi, 17))
    reach = np.zeros((17, bones, 3))
    reach[:, bone, 0] = np.linspace(0, 0.5, 17)
    root = np.tile(info.skeleton.heads[0], (17, 1))
    for name, turns, digest in (
        ("turn", swing, info.digest),
        ("reach", reach, info.digest),
        ("foreign", reach, "x"),
    ):
        clip = Motion(24.0, info.skeleton.bone_names, root, rot.rotvec_to_quat(turns), digest)
        clip.save(clip_path(path, name))
    return info, path


def test_a_closed_clip_loops_without_a_pause(rig_with_clips):
    info, path = rig_with_clips
    made = make.from_clip(info, path, "turn", 0, 48, 24.0)
    joints = made.joints(info.skeleton)
    np.testing.assert_allclose(joints[16:32], joints[:16], atol=1e-6)
    assert np.linalg.norm(np.diff(joints, axis=0), axis=-1).max(1).min() > 0, "no frame stands still"


def test_an_open_clip_runs_to_and_fro(rig_with_clips):
    info, path = rig_with_clips
    joints = make.from_clip(info, path, "reach", 0, 40, 24.0).joints(info.skeleton)
    np.testing.assert_allclose(joints[17:33], joints[15::-1][:16], atol=1e-6)
    step = np.linalg.norm(np.diff(joints, axis=0), axis=-1).max(1)
    assert step.max() < 2 * np.median(step), "the ends are not jumped over"


def test_a_long_clip_is_cut_and_resampled(rig_with_clips):
    info, path = rig_with_clips
    assert make.from_clip(info, path, "turn", 0, 9, 24.0).frames == 9
    slow = make.from_clip(info, path, "reach", 0, 9, 12.0)
    fast = Motion.load(clip_path(path, "reach"))
    np.testing.assert_allclose(slow.quats[3], fast.quats[6], atol=1e-6)


def test_an_unknown_clip_is_told_with_the_known_ones(rig_with_clips, tmp_path, capsys):
    _, path = rig_with_clips
    assert cli.run(main, ["make", str(path), str(tmp_path / "t.json"), "0", "9", "--action", "Fly"]) == 2
    told = capsys.readouterr().err
    assert "'Fly'" in told
    assert "turn, reach" in told
    assert cli.run(main, ["make", str(path), str(tmp_path / "t.json"), "0", "9", "--action", "foreign"]) == 2
    assert "another rig" in capsys.readouterr().err


@pytest.mark.parametrize("bad", [["-1", "9"], ["x", "9"], ["0", "0"], ["0", "nine"]])
def test_impossible_numbers_are_refused_by_the_parser(rig_with_clips, bad, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["make", str(rig_with_clips[1]), "out.json", *bad])
    assert stop.value.code == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
