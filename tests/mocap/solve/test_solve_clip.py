# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The solver from readings to motion: accuracy, refusals, long clips, the command."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest

from mocap import cli, poses
from mocap import rotations as rot
from mocap.errors import BadInput
from mocap.exam.readings import Trouble, made_up_readings, turned_away
from mocap.motion import Motion
from mocap.solve import Settings, Solved, limits, solve
from mocap.solve.__main__ import main
from mocap.solve.initialise import initialise
from mocap.solve.kinematics import State
from mocap.solve.observations import observe
from mocap.solve.windows import join_states, spans
from tests.mocap import rigs


@pytest.fixture(scope="module")
def info():
    """Panels in which the creature is some 400 px high."""
    return rigs.rig_info(size=780)


@pytest.fixture(scope="module")
def joints(info):
    return truth(info, 3, 72)


def truth(info, seed, frames):
    return poses.random_motion(info.skeleton, seed, frames, 24.0, info.digest).joints(info.skeleton)


def errors(info, solved, joints) -> np.ndarray:
    """Distances in percent of the creature's height."""
    distance = np.linalg.norm(solved.motion.joints(info.skeleton) - joints, axis=-1)
    return 100 * distance / info.skeleton.height


def test_clean_readings_are_recovered(info, joints):
    solved = solve(rigs.detections(info, joints), info)
    assert errors(info, solved, joints).mean() < 0.1
    assert solved.converged
    assert solved.swaps == []
    assert max(solved.residual_px.values()) < 0.5


def test_noise_is_filtered(info, joints):
    """4 px of noise are 1% of the height: the solved joints are well under that."""
    solved = solve(rigs.detections(info, joints, noise=4.0), info)
    assert errors(info, solved, joints).mean() < 0.75
    lively = [
        np.linalg.norm(np.diff(p, 2, axis=0), axis=-1).mean()
        for p in (joints, solved.motion.joints(info.skeleton))
    ]
    assert 0.7 < lively[1] / lively[0] < 1.4, "neither jittery nor numbed"


def test_a_nearly_still_creature_is_not_made_to_tremble(info, joints):
    """Learned smoothness must go far below where it started: the noise averages out over the clip."""
    still = joints[:1] + 0.002 * np.sin(np.arange(72) / 12)[:, None, None]
    solved = solve(rigs.detections(info, still, noise=4.0), info)
    assert errors(info, solved, still).mean() < 0.3
    tremble = np.linalg.norm(np.diff(solved.motion.joints(info.skeleton), 2, axis=0), axis=-1).mean()
    assert tremble < 0.0005


def test_missing_and_stray_readings_hardly_matter(info, joints):
    solved = solve(rigs.detections(info, joints, noise=4.0, missing=0.15, gross=0.05), info)
    assert errors(info, solved, joints).mean() < 0.85


def test_learned_smoothness_beats_the_fixed_one(info, joints):
    detections = rigs.detections(info, joints, noise=4.0)
    learned = errors(info, solve(detections, info), joints).mean()
    fixed = errors(info, solve(detections, info, Settings(learn_smoothness=False)), joints).mean()
    assert learned < 0.9 * fixed


def test_a_reader_that_overrates_itself_is_seen_through(info, joints):
    honest = errors(info, solve(rigs.detections(info, joints, noise=4.0, sigma=4.0), info), joints).mean()
    boastful = errors(info, solve(rigs.detections(info, joints, noise=4.0, sigma=1.5), info), joints).mean()
    assert boastful < 1.15 * honest


def test_exchanged_legs_are_put_right(info, joints):
    detections = rigs.detections(info, joints, noise=2.0)
    positions = detections.positions.copy()
    names = info.skeleton.joint_names
    for name in ("shin", "hock", "foot"):
        pair = [names.index(f"{name}.{side}") for side in "LR"]
        positions[20:40, 1, pair] = detections.positions[20:40, 1, pair[::-1]]
    wrong = replace(detections, positions=positions)
    corrected = errors(info, solve(wrong, info), joints)[20:40].mean()
    trusting = errors(info, solve(wrong, info, Settings(correct_swaps=False)), joints)[20:40].mean()
    assert corrected < trusting


def test_a_whole_unread_stretch_is_bridged_and_reported(info, joints):
    detections = rigs.detections(info, joints, noise=2.0)
    confidence = detections.confidence.copy()
    confidence[30:34] = 0
    solved = solve(replace(detections, confidence=confidence), info)
    assert solved.motion.provenance["unread_frames"] == [30, 31, 32, 33]
    assert errors(info, solved, joints)[30:34].mean() < 4.0


def test_every_solved_bone_is_inside_its_limits(info, joints):
    """Also where the readings ask for more than the rig can do."""
    tight = tuple(
        replace(bone, limits=tuple((low / 3, high / 3) for low, high in bone.limits))
        for bone in info.skeleton.bones
    )
    stiff = replace(info, skeleton=replace(info.skeleton, bones=tight))
    solved = solve(rigs.detections(stiff, joints, noise=1.0), stiff)
    angles = limits.eulers(stiff.skeleton, solved.motion.quats)
    assert np.abs(limits.breach(stiff.skeleton, angles)).max() < 1e-9
    assert ((solved.motion.quats[1:] * solved.motion.quats[:-1]).sum(-1) > 0).all()


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_the_shortest_clips_are_solved(info, joints, frames):
    solved = solve(rigs.detections(info, joints[:frames]), info)
    assert solved.motion.frames == frames
    assert errors(info, solved, joints[:frames]).mean() < 0.3


def test_solving_is_repeatable(info, joints):
    detections = rigs.detections(info, joints[:20], noise=3.0)
    first, again = (solve(detections, info).motion for _ in range(2))
    np.testing.assert_allclose(first.quats, again.quats, atol=1e-9)


def test_windows_cover_every_frame_and_overlap():
    for frames in (1, 359, 360, 361, 700, 2500):
        covered = np.zeros(frames, int)
        windows = spans(frames, 360, 48)
        for start, stop in windows:
            assert stop - start <= 360
            covered[start:stop] += 1
        assert covered.min() == 1
        assert covered.max() <= 2
        assert all(b[0] <= a[1] - 48 for a, b in itertools.pairwise(windows))


def test_joined_windows_are_continuous(info):
    """Two windows that disagree by a constant fade into each other without a jump."""
    frames, shared = 60, 20
    quats = np.tile([1.0, 0, 0, 0], (40, 2, 1))
    first = State(np.zeros((40, 3)), quats)
    second = State(np.ones((40, 3)), quats * -1)
    joined = join_states([first, second], [(0, 40), (40 - shared, frames)])
    assert len(joined.root) == frames
    assert np.diff(joined.root, axis=0).max() < 2 / shared
    assert joined.root[0, 0] == 0
    assert joined.root[-1, 0] == 1


def test_a_long_clip_in_windows_is_as_good_as_whole(info):
    joints = truth(info, 6, 110)
    detections = rigs.detections(info, joints, noise=3.0)
    whole = errors(info, solve(detections, info), joints)
    settings = Settings(window_frames=60, overlap_frames=24)
    parts = solve(detections, info, settings)
    assert parts.motion.frames == 110
    assert errors(info, parts, joints).mean() < 1.1 * whole.mean()


def refuse(detections, info, told):
    with pytest.raises(BadInput) as caught:
        solve(detections, info, name="det.npz")
    assert told in str(caught.value)
    assert str(caught.value).startswith("det.npz: ")
    assert "\n" not in str(caught.value)


def test_detections_of_another_rig_are_refused(info, joints):
    refuse(replace(rigs.detections(info, joints), rig_digest="0" * 32), info, "another rig")


def test_unread_detections_are_refused(info, joints):
    refuse(rigs.detections(info, joints, missing=0.7), info, "only 9%")
    refuse(rigs.detections(info, joints, missing=1.0), info, "only 0%")


def test_confident_nonsense_is_refused(info, joints):
    detections = rigs.detections(info, joints, sigma=3.0)
    noise = np.random.default_rng(0).uniform(0, 780, detections.positions.shape)
    refuse(replace(detections, positions=noise), info, "no pose of quadruped explains")


def test_command_writes_motion_and_figures(info, joints, tmp_path, capsys):
    info.save(tmp_path / "rig_info.json")
    rigs.detections(info, joints[:12], noise=2.0).save(tmp_path / "det.npz")
    paths = [str(tmp_path / name) for name in ("det.npz", "rig_info.json", "solved.json")]
    assert cli.run(main, [*paths, "--json", str(tmp_path / "figures.json")]) == 0
    motion = Motion.load(paths[2])
    motion.check_rig(info.digest, paths[2])
    assert {"made_by", "detections_digest", "settings", "unread_frames"} <= set(motion.provenance)
    solved = Solved.load(tmp_path / "solved.result.npz")
    np.testing.assert_allclose(solved.motion.quats, motion.quats, atol=1e-8)
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert figures == solved.summary()
    assert figures["frames"] == 12
    assert set(figures["residual_px"]) == {"front", "side"}
    told = capsys.readouterr().out
    assert "wrote" in told
    assert "estimated error" in told


def test_command_refuses_in_one_line_and_writes_nothing(info, joints, tmp_path, capsys):
    info.save(tmp_path / "rig_info.json")
    rigs.detections(info, joints[:12], missing=1.0).save(tmp_path / "det.npz")
    paths = [str(tmp_path / name) for name in ("det.npz", "rig_info.json", "solved.json")]
    assert cli.run(main, paths) == 2
    told = capsys.readouterr().err.strip().splitlines()
    assert len(told) == 1
    assert "det.npz" in told[0]
    assert not (tmp_path / "solved.json").exists()


@pytest.fixture(scope="module")
def marked():
    """A rig with markers, its motion, and which markers each view has on the far side of their bone."""
    info = rigs.rig_info(size=780, markers=True)
    motion = poses.random_motion(info.skeleton, 3, 60, 24.0, info.digest)
    return info, motion, turned_away(info, motion)


def rotation_error(truth, found) -> float:
    pair = (rot.quat_to_matrix(motion.quats) for motion in (truth, found))
    return float(np.degrees(rot.angle_between(*pair)).mean())


def test_markers_show_the_twist_that_joints_do_not(marked):
    info, motion, hidden = marked
    read = made_up_readings(info, motion.joints(info.skeleton), Trouble(1.0), hidden=hidden)
    joints = ~info.skeleton.is_marker
    bare = replace(info, skeleton=info.skeleton.bare)
    with_markers = solve(read, info)
    without = solve(replace(read.joints(joints), rig_digest=bare.digest), bare)
    assert rotation_error(motion, with_markers.motion) < 0.75 * rotation_error(motion, without.motion)
    truth = motion.joints(bare.skeleton)
    apart = [
        np.linalg.norm(solved.motion.joints(bare.skeleton) - truth, axis=-1).mean()
        for solved in (with_markers, without)
    ]
    assert apart[0] < 0.95 * apart[1]


def test_markers_alone_are_not_readable(marked):
    info, motion, _ = marked
    read = made_up_readings(info, motion.joints(info.skeleton), Trouble(1.0), hidden=None)
    blind = replace(read, confidence=np.where(info.skeleton.is_marker, read.confidence, 0.0))
    with pytest.raises(BadInput, match="only 0% of the joints are read"):
        solve(blind, info)


def test_wild_markers_do_not_spoil_the_start(marked):
    """The first pose comes from joints alone."""
    info, motion, _ = marked
    read = made_up_readings(info, motion.joints(info.skeleton), Trouble(1.0))
    wild = np.random.default_rng(0).uniform(0, 700, read.positions.shape)
    positions = np.where(info.skeleton.is_marker[:, None], wild, read.positions)
    one, other = (
        initialise(info.skeleton, observe(replace(read, positions=p), Settings(), info.skeleton), Settings())
        for p in (read.positions, positions)
    )
    np.testing.assert_array_equal(one.quats, other.quats)


def test_a_marker_weighs_less_than_a_joint_of_the_same_sigma(marked):
    info, motion, _ = marked
    read = made_up_readings(info, motion.joints(info.skeleton), Trouble(1.0))
    marker = info.skeleton.is_marker
    weights = observe(read, Settings(marker_worth=0.3), info.skeleton).weights
    np.testing.assert_allclose(weights[..., marker], 0.3 * weights[..., ~marker].max())
    np.testing.assert_allclose(weights[..., ~marker], 1.0)


def test_markers_turn_away_and_joints_do_not(marked):
    info, _, hidden = marked
    assert not hidden[..., ~info.skeleton.is_marker].any()
    share = hidden[..., info.skeleton.is_marker].mean()
    assert 0.3 < share < 0.7
