# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The passes of a reading, with an engine that sees a bright spot and nothing else."""

import numpy as np
import pytest

from mocap.layout import Layout
from mocap.reader.reading import Outputs, Raw, Reader, fused
from mocap.reader.uncertainty import Uncertainty
from mocap.rig_info import RigInfo

SIZE = 96


class Spots:
    """Each joint is the brightest place of a colour channel; the claimed sigma is ``claims``' next."""

    def __init__(self, *claims: float) -> None:
        self.claims, self.seen = list(claims), []

    def __call__(self, pictures: np.ndarray, framings: np.ndarray, masks: bool) -> Outputs:
        flat = pictures.reshape(len(pictures), -1, 3).argmax(1)
        positions = np.stack([flat % SIZE, flat // SIZE], -1) + 0.5
        self.seen.append((np.ptp(positions, axis=1).max(), masks))
        one = np.ones(positions.shape[:2])
        made = np.zeros((len(pictures), 2, 8, 8), np.float16) if masks else None
        return Outputs(positions, one * self.claims.pop(0), one * 0.5, one * 0.1, made)


@pytest.fixture
def layout(samples_once) -> Layout:
    return RigInfo.load(samples_once.rig_info).layout


def test_each_pass_looks_closer_at_what_the_one_before_found(layout):
    places = np.array([[45.0, 50.0], [75.0, 50.0], [60.0, 85.0]])
    panels = []
    for view in layout.views:
        panel = np.zeros((view.size[1], view.size[0], 3), np.uint8)
        for channel, (x, y) in enumerate(places):
            panel[int(y) - 3 : int(y) + 3, int(x) - 3 : int(x) + 3, channel] = 100
            panel[int(y), int(x), channel] = 255
        panels.append(panel)
    engine = Spots(1.0, 1.0, 1.0)
    raw = Reader(engine, SIZE, layout, np.full(len(layout.views), 100.0)).raw([panels], masks=True)
    assert [masks for _, masks in engine.seen] == [False, False, True]
    assert raw.masks.shape == (1, len(layout.views), 2, 8, 8)
    assert np.abs(raw.positions - (places + 0.5)).max() < 2.0
    first, second, third = (extent for extent, _ in engine.seen)
    assert second > 1.5 * first
    assert third == pytest.approx(second, abs=2.0)


def test_a_missing_view_is_not_read(layout):
    panels = [np.full((view.size[1], view.size[0], 3), 50, np.uint8) for view in layout.views]
    plain = Uncertainty((0.01, 1.0), (0.01, 0.02), (0.9, 0.8))
    reader = Reader(Spots(*[1.0] * 3), SIZE, layout, np.full(len(layout.views), 100.0), plain)
    found = reader.read([[panels[0], None]])
    assert (found.confidence[0, 0] > 0.5).all()
    assert not found.confidence[0, 1].any()
    assert not found.visible[0, 1].any()
    np.testing.assert_array_equal(found.positions[0, 1], np.tile(layout.views[1].centre, (3, 1)))


def test_the_surer_of_two_readings_counts_more():
    shape = (1, 2, 3)

    def reading(place: float, sigma: float) -> Raw:
        flat = np.ones(shape)
        return Raw(
            np.full((*shape, 2), place),
            sigma * flat,
            place * flat,
            place * flat,
            np.zeros((1, 2, 2, 3)),
            None,
        )

    found = fused(reading(0.0, 2.0), reading(1.0, 1.0))
    for values in (found.positions, found.visible, found.depth):
        assert np.allclose(values, 0.8)
    assert np.allclose(found.sigma, 0.8 * 1.0 + 0.2 * 2.0)
    same = fused(reading(3.0, 1.5), reading(3.0, 1.5))
    assert np.allclose(same.positions, 3.0)
    assert np.allclose(same.sigma, 1.5)
