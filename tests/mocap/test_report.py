# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The report's pictures show what they claim."""

import numpy as np
import pytest

from mocap import charts, poses, report
from mocap.exam.exam import Exam
from mocap.exam.hardships import drawn
from mocap.exam.score import score
from mocap.motion import JointTrack
from tests.mocap import rigs


@pytest.fixture(scope="module")
def exam() -> Exam:
    info = rigs.rig_info(size=200)
    motion = poses.random_motion(info.skeleton, 1, 20, 24.0, info.digest)
    joints = motion.joints(info.skeleton)
    wrong = joints.copy()
    wrong[13] += [0.1, 0, 0]
    wrong[:, info.skeleton.joint_names.index("head.tip")] += [0, 0.3, 0]
    names = info.skeleton.joint_names
    truth, solved = (JointTrack(24.0, names, p, info.digest) for p in (joints, wrong))
    return Exam(info, truth, solved, rigs.detections(info, joints, missing=0.5), None, {})


def test_worst_frame_and_worst_joint_are_always_shown(exam):
    error = charts.errors_cm(exam)
    assert 13 in report.telling_frames(error.mean(1), 5)
    chosen = report.telling_joints(exam, 4)
    assert exam.info.skeleton.joint_names[chosen[0]] == "head.tip"
    assert len(set(chosen)) == 4


def test_few_frames_and_joints_are_no_trouble():
    assert report.telling_frames(np.array([1.0]), 5) == [0]
    assert report.telling_frames(np.array([1.0, 2.0]), 5) == [0, 1]


def test_bars_are_ordered_and_name_every_joint(exam):
    axes = charts.joint_bars(exam).axes[0]
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels[-1] == "head.tip", "the worst joint is on top"
    assert sorted(labels) == sorted(exam.info.skeleton.joint_names)
    widths = [bar.get_width() for bar in axes.patches]
    assert widths == sorted(widths)
    worst = exam.info.skeleton.joint_names.index("head.tip")
    assert widths[-1] == pytest.approx(charts.errors_cm(exam)[:, worst].mean())


def test_links_join_every_joint_to_one_above_it(exam):
    skeleton = exam.info.skeleton
    links = {below: above for above, below in charts.links(skeleton)}
    names = skeleton.joint_names
    assert names[links[names.index("paw.L.tip")]] == "paw.L"
    assert names[links[names.index("thigh.R")]] == "pelvis"
    assert set(range(len(names))) - set(links) == {names.index("pelvis")}


def test_overlay_lies_on_the_sheet(exam):
    """Circles at the read joints, shifted into their panel; a frame of the clip fills the sheet."""
    picture = np.zeros((200, 400, 3), np.uint8)
    axes = charts.overlay(exam, 3, picture).axes[0]
    assert axes.get_xlim() == (0, 400)
    circles = np.concatenate([c.get_offsets() for c in axes.collections])
    read = exam.detections.confidence[3] > 0
    assert len(circles) == read.sum()
    expected = exam.detections.positions[3, 1][read[1]] + [200, 0]
    np.testing.assert_allclose(circles[read[0].sum() :], expected)


def test_dots_pair_what_was_read_with_the_truth(exam):
    axes = charts.dots(exam, 3, None).axes[0]
    read = exam.detections.confidence[3] > 0
    places = [c.get_offsets() for c in axes.collections]
    assert [len(p) for p in places] == [n for view in read for n in (view.sum(),) * 2]
    true = exam.project(exam.truth.positions)[3, 1][read[1]] + [200, 0]
    np.testing.assert_allclose(places[2], true)
    assert len(axes.lines) == read.sum(), "each pair is joined"


def test_hard_clips_are_drawn_where_their_views_stood(exam):
    """The first view is scaled: its true joints are drawn elsewhere than the layout says."""
    hard = exam._replace(hardships=drawn(1, 20, 2))
    plain, moved = (charts.dots(e, 3, None).axes[0].collections[0].get_offsets() for e in (exam, hard))
    assert np.linalg.norm(plain - moved, axis=-1).max() > 1


def test_page_escapes_names(exam):
    card = score(exam) | {"creature": "<script>wolf"}
    page = report.render(exam, card, None)
    assert "<script>" not in page
    assert "&lt;script&gt;wolf" in page
