# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The stages apart: read, solved, on the rig; what the solver states; what comparing pictures gains."""

from dataclasses import replace

import numpy as np
import pytest

from mocap.exam import card as words
from mocap.exam import figures, pixels, trust
from mocap.exam.hardships import drawn
from mocap.exam.score import score
from mocap.motion import Motion
from mocap.solve import Settings, solve
from mocap.solve.grades import INFERRED, READ
from mocap.solve.observations import height_px
from mocap.solve.swaps import Swap, limb_pairs
from tests.mocap import rigs
from tests.mocap.exam.sitting import FRAMES, exam_of, track


def shifted(motion, by) -> Motion:
    return replace(motion, root=motion.root + by)


@pytest.fixture(scope="module")
def solved(info, motion):
    return solve(rigs.detections(info, motion.joints(info.skeleton), noise=2.0), info, Settings())


def test_each_stage_has_its_own_error(info, motion):
    """Of an 80 cm creature whose rig is 1 m: solved 5 cm off is 4 cm, the rig 10 cm off is 8 cm, so Blender moved it
    by 4 cm; the plain solve is 6 cm off, and comparing gained 2 cm."""
    truth = track(info, motion)
    near, plain = shifted(motion, [0, 0.05, 0]), shifted(motion, [0, 0.075, 0])
    rig = replace(truth, positions=truth.positions + np.array([0, 0.1, 0]))
    card = score(exam_of(info, truth, rig, motion=near, plain=plain))
    stages = card["stages"]
    assert stages["solve"]["mean_cm"] == pytest.approx(4.0, abs=1e-3)
    assert stages["plain"]["mean_cm"] == pytest.approx(6.0, abs=1e-3)
    assert stages["rig"]["mean_cm"] == card["mean_cm"] == pytest.approx(8.0, abs=1e-3)
    assert stages["rig"]["from_solve_cm"] == pytest.approx(4.0, abs=1e-3)
    assert card["comparing"]["gain_cm"] == pytest.approx(2.0, abs=1e-3)
    assert card["comparing"]["gain_pct"] == pytest.approx(2.5, abs=1e-3)
    assert dict(words.rows(card))["gain of comparing pictures"] == "+2.00 cm"
    assert card["per_joint"]["paw.L"]["solve_mean_cm"] == pytest.approx(4.0, abs=1e-3)


def test_stages_that_were_not_given_are_none(info, motion):
    truth = track(info, motion)
    card = score(exam_of(info, truth, truth))
    assert (card["stages"]["read"], card["stages"]["solve"], card["trust"], card["comparing"]) == (None,) * 4
    assert card["swaps"] == {"read": None, "solved": None}
    assert card["contact_slide_cm_s"] is None


def test_pck_counts_unread_joints_as_misses(info, motion):
    """Of the side view's joints a quarter is unread, a quarter 3% off, the rest exact."""
    truth = track(info, motion)
    read = rigs.detections(info, truth.positions)
    positions, confidence = read.positions.copy(), read.confidence.copy()
    joints = np.arange(positions.shape[2])
    confidence[:, 1, joints % 4 == 0] = 0
    positions[:, 1, joints % 4 == 1, 0] += 0.03 * height_px(info.skeleton, info.layout)[1]
    exam = exam_of(info, truth, truth, replace(read, positions=positions, confidence=confidence))
    side = pixels.by_view(exam)["side"]
    unread, far = (joints % 4 == 0).mean(), (joints % 4 == 1).mean()
    assert side["unread"] == pytest.approx(unread, abs=1e-3)
    assert side["pck2"] == pytest.approx(1 - unread - far, abs=1e-3)
    assert side["pck5"] == pytest.approx(1 - unread, abs=1e-3)
    assert side["p95_pct"] == pytest.approx(3.0, abs=0.01)
    assert pixels.by_view(exam)["front"]["pck2"] == 1
    nothing = replace(read, confidence=np.zeros_like(read.confidence))
    assert pixels.by_view(exam_of(info, truth, truth, nothing)) == {"front": None, "side": None}


def test_limbs_that_the_reader_mistook_are_listed(info, motion):
    truth = track(info, motion)
    read = rigs.detections(info, truth.positions)
    assert pixels.exchanged(exam_of(info, truth, truth, read)) == []
    pair = next(p for p in limb_pairs(info.skeleton) if p.limb.startswith("hind_leg"))
    both, other = pair.exchange
    positions = read.positions.copy()
    positions[np.ix_([4, 5, 6], [0], both)] = read.positions[np.ix_([4, 5, 6], [0], other)]
    found = pixels.exchanged(exam_of(info, truth, truth, replace(read, positions=positions)))
    assert found == [{"limb": pair.limb, "view": "front", "frames": [4, 5, 6]}]


def test_a_gaussians_errors_hold_as_stated(info, motion, solved):
    """Errors drawn from what is stated lie within it as often as they should; halved estimates do not hold."""
    truth = track(info, motion)
    rng = np.random.default_rng(1)
    sigma = 0.01
    off = rng.normal(0, sigma, truth.positions.shape)
    rig = replace(truth, positions=truth.positions + off)
    stated = np.full(off.shape[:2], 1.87 * sigma)
    grades = np.where(np.arange(FRAMES)[:, None] < 8, READ, INFERRED) + np.zeros(off.shape[:2], int)
    honest = solved._replace(error=stated, grades=grades.astype(np.uint8))
    told = trust.by_grade(exam_of(info, truth, rig, result=honest))
    assert told["all"]["within_1_sigma"] == pytest.approx(0.6827, abs=0.04)
    assert told["all"]["within_2_sigma"] == pytest.approx(0.9545, abs=0.02)
    assert told["read"]["share"] == pytest.approx(1 / 3, abs=1e-3)
    assert told["lost"]["within_1_sigma"] is None
    assert told["all"]["stated_cm"] == pytest.approx(1.496, abs=1e-3)
    boastful = trust.by_grade(exam_of(info, truth, rig, result=honest._replace(error=stated / 2)))
    assert boastful["all"]["within_1_sigma"] < 0.3
    ratios = trust.ratios(exam_of(info, truth, rig, result=honest))
    shares = np.array([0.2, 0.5, 0.8])
    np.testing.assert_allclose(trust.curve(ratios, shares), shares, atol=0.05)


def test_what_the_solver_says_of_feet_and_swaps_is_told(info, motion, solved):
    truth = track(info, motion)
    told = solved._replace(slide_m_s=(0.5, 0.1), swaps=[Swap("hind_leg.L", "front", (2, 3, 4, 9))])
    card = score(exam_of(info, truth, truth, result=told))
    assert card["contact_slide_cm_s"] == {"before": 40.0, "after": 8.0}
    assert card["swaps"]["solved"] == [{"limb": "hind_leg.L", "view": "front", "frames": [2, 3, 4, 9]}]
    assert words.swap_rows(card) == [("solver: exchanged back", "hind_leg.L", "front", "2-4, 9")]


def test_what_the_views_got_wrong_stands_beside_what_was_found(info, motion, solved):
    truth = track(info, motion)
    found = np.zeros(solved.calibration.shape)
    found[:, 1] = np.log(0.95), 3.0, np.radians(2)
    told = solved._replace(calibration=found)
    card = score(exam_of(info, truth, truth, result=told))
    assert card["views"]["side"]["scale"] == {"true": 1.0, "found": 0.95}
    assert card["views"]["side"]["yaw_deg"] == {"true": 0.0, "found": 2.0}
    hard = replace(drawn(1, FRAMES, 2), shown=tuple(range(FRAMES)), offset=((0.0, 0.0), (0.1, 0.0)))
    card = score(exam_of(info, truth, truth, result=told, hardships=hard))
    expected = 0.1 * height_px(info.skeleton, info.layout)[1]
    assert card["views"]["side"]["offset_px"] == {"true": pytest.approx(expected, abs=1e-3), "found": 3.0}
    assert words.view_rows(card)[1][2].endswith("; +3.0 px")


def test_the_worst_frames_are_apart(info, motion):
    truth = track(info, motion)
    positions = truth.positions.copy()
    head = info.skeleton.joint_names.index("head.tip")
    for frame, off in ((10, 0.5), (11, 0.4), (20, 0.3), (2, 0.2)):
        positions[frame, head, 0] += off
    exam = exam_of(info, truth, replace(truth, positions=positions))
    found = figures.worst_frames(exam, 3, 3)
    assert [one["frame"] for one in found] == [10, 20, 2]
    assert found[0]["worst_joint"] == "head.tip"
    assert found[0]["worst_cm"] == pytest.approx(40.0)
    assert len(figures.worst_frames(exam, 99, 3)) < 10


def test_markers_are_no_part_of_any_stage(motion):
    info = rigs.rig_info(markers=True)
    made = replace(motion, rig_digest=info.digest)
    read = rigs.detections(info, made.joints(info.skeleton), noise=2.0)
    result = solve(read, info)
    exam = exam_of(
        info, track(info, made), track(info, result.motion), read, motion=result.motion, result=result
    )
    card = score(exam)
    assert set(card["per_joint"]) == set(info.skeleton.bare.joint_names)
    assert card["stages"]["solve"]["mean_cm"] == pytest.approx(card["mean_cm"], abs=1e-3)
    assert card["trust"]["all"]["share"] == 1
