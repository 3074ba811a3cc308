# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Figures of a reader that is known to be right, and of ones that are known to be wrong."""

import numpy as np
import pytest

from mocap import framing
from mocap.dataset import held_out as panels
from mocap.dataset import training
from mocap.dataset.backdrops import Backdrops
from mocap.dataset.training import warped
from mocap.reader import uncertainty
from mocap.reader.held_out import HeldOut, normalised
from mocap.reader.reading import Raw, Reader
from mocap.rig_info import RigInfo
from tests.mocap import synthetic

SIZE = 96


@pytest.fixture(scope="module")
def held(samples_once):
    studio = synthetic.studio(RigInfo.load(samples_once.rig_info))
    data = training.load(samples_once.dataset, studio)
    rows = np.arange(8)
    return HeldOut(data, rows, panels.easy_panels(data, rows, Backdrops(0, 4)), studio.parts, SIZE)


class Oracle(Reader):
    """Answers the truth, perhaps moved, swapped, or with masks of another sample."""

    def __init__(self, held: HeldOut, moved: float = 0.0, swapped: bool = False) -> None:
        super().__init__(None, SIZE, held.data.rig.layout, held.height_px)
        self.held, self.moved, self.swapped = held, moved, swapped

    def raw(self, frames, batch=8, masks=False) -> Raw:
        held, data = self.held, self.held.data
        truth = held.truth.copy()
        if self.swapped:
            mirror = held.skeleton.joint_mirror
            truth = truth[:, :, np.where(mirror >= 0, mirror, np.arange(len(mirror)))]
        boxes = np.array([[framing.place(*framing.tight_box(p), SIZE) for p in row] for row in held.truth])
        classes = held.parts.backdrop + 1
        read = np.stack(
            [
                [warped(m, f, SIZE // 2, held.parts.backdrop) for m, f in zip(data.masks[row], fs)]
                for row, fs in zip(held.rows, boxes)
            ]
        )
        return Raw(
            truth + np.array([self.moved, 0.0]),
            np.full(truth.shape[:3], max(self.moved, 0.5)),
            held.visible.astype(float),
            data.depth[held.rows],
            boxes,
            np.eye(classes, dtype=np.float16)[read].transpose(0, 1, 4, 2, 3),
        )


def test_the_truth_is_perfect(held):
    found = held.check(Oracle(held)).figures
    assert all(view["mean_px"] == 0 and view["within_2_pct"] == 100 for view in found["views"].values())
    assert found["part_iou_mean"] == found["limb_iou_mean"] == found["silhouette_iou"] == 100
    assert found["visible_right_pct"] == 100
    assert found["depth_pct"] == 0
    assert found["swapped_pct"] == [0, 0]


def test_what_is_off_is_told_in_pixels(held):
    judged = held.check(Oracle(held, moved=3.0))
    assert all(view["mean_px"] == pytest.approx(3) for view in judged.figures["views"].values())
    assert np.allclose(judged.error, 3 / held.height_px[:, None])


def test_swapped_legs_are_counted_and_named(held):
    found = held.check(Oracle(held, swapped=True)).figures
    assert max(found["swapped_pct"]) > 40
    assert "fore.L1" in found["confusion"]
    assert max(view[0][1] for view in found["confusion"]["fore.L1"]) > 40


def test_fewer_samples_are_some_of_them(held):
    few = held.every(3)
    assert few.rows.tolist() == [0, 3, 6]
    assert few.panels[1] is held.panels[3]
    assert few.check(Oracle(few)).figures["samples"] == 3


def test_a_calibrated_sigma_has_a_normalised_error_of_one():
    rng = np.random.default_rng(0)
    sigma = np.exp(rng.uniform(np.log(0.005), np.log(0.05), 6000))
    error = np.linalg.norm(rng.normal(size=(6000, 2)) * sigma[:, None], axis=1)
    fitted = uncertainty.fit(sigma[:3000], error[:3000])
    told = normalised(fitted, sigma[3000:], error[3000:])
    assert told["median"] == pytest.approx(1, abs=0.06)
    assert told["within_1"] == pytest.approx(68.3, abs=4)
    assert told["within_2"] == pytest.approx(95.4, abs=2)
    assert normalised(fitted, sigma[3000:], 2 * error[3000:])["median"] == pytest.approx(2, abs=0.12)
