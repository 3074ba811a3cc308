# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import cv2
import numpy as np
import pytest

from mocap.dataset import samples, training
from mocap.dataset.backdrops import Backdrops
from mocap.errors import BadInput
from mocap.rig_info import RigInfo
from tests.mocap import synthetic


@pytest.fixture
def loaded(samples_once):
    rig = RigInfo.load(samples_once.rig_info)
    return training.load(samples_once.dataset, rig), rig


def batches(data, seed=0, draws=1, whole=0.5):
    return training.Batches(data, Backdrops(0, 4), 64, 5, seed, draws, whole)


def test_held_out_samples_are_fixed_by_their_index(loaded):
    data, _ = loaded
    assert data.indices[data.held_out].tolist() == [0, 25]
    assert len(data.training) == 25
    assert not set(data.training) & set(data.held_out)


def test_an_epoch_shows_every_training_sample(loaded):
    data, _ = loaded
    shown = []
    source = batches(data)
    source._make = lambda epoch, step, rows: shown.extend(rows)
    list(source.epoch(0))
    assert sorted(shown) == data.training.tolist()
    shown.clear()
    source.draws = 2
    list(source.epoch(0))
    assert sorted(shown) == sorted([*data.training.tolist()] * 2)
    assert shown[:25] != shown[25:]


def test_batches_are_decided_by_seed_epoch_and_step(loaded):
    data, _ = loaded
    first, again = list(batches(data).epoch(3, workers=1)), list(batches(data).epoch(3, workers=3))
    assert len(first) == 5
    for a, b in zip(first, again):
        assert (a.pictures == b.pictures).all()
        assert (a.points == b.points).all()
    other = next(iter(batches(data, seed=1).epoch(3)))
    later = next(iter(batches(data).epoch(4)))
    assert (other.pictures != first[0].pictures).any()
    assert (later.pictures != first[0].pictures).any()


def test_labels_lie_on_the_creature(loaded):
    """On a black backdrop, what lies under a joint inside the picture is the creature's paint."""
    data, _ = loaded
    source = batches(data)
    source.bank.drawn = [np.zeros((320, 320, 3), np.uint8)]
    hits = []
    for batch in source.epoch(0):
        for picture, points, inside in zip(*batch):
            cells = np.floor(points[inside]).astype(int).clip(0, 63)
            hits += (picture.max(-1)[cells[:, 1], cells[:, 0]] > 40).tolist()
    assert np.mean(hits) > 0.9


def test_a_torn_sample_is_left_out_and_said(stick, capsys):
    samples.picture_path(stick.dataset, 7, "side").write_bytes(b"half a picture")
    data = training.load(stick.dataset, RigInfo.load(stick.rig_info))
    assert 7 not in data.indices
    assert len(data.indices) == 26
    assert "1 torn samples are left out" in capsys.readouterr().out


def test_stale_and_too_few_samples_are_refused(stick):
    with pytest.raises(BadInput, match="rendered from another rig or layout"):
        training.load(stick.dataset, synthetic.rig_info(96))
    for index in range(1, 27):
        samples.meta_path(stick.dataset, index).unlink()
    with pytest.raises(BadInput, match="samples are too few; render at least 26"):
        training.load(stick.dataset, RigInfo.load(stick.rig_info))


def test_a_picture_of_the_wrong_kind_is_refused(stick):
    rig = RigInfo.load(stick.rig_info)
    meta = samples.read_meta(samples.meta_path(stick.dataset, 3))
    path = samples.picture_path(stick.dataset, 3, "front")
    cv2.imwrite(str(path), np.zeros((128, 128, 3), np.uint8))
    with pytest.raises(BadInput, match=r"00003_front\.png: an 8-bit picture with alpha"):
        training.gather(stick.dataset, rig, [meta])
    cv2.imwrite(str(path), np.zeros((64, 64, 4), np.uint8))
    with pytest.raises(BadInput, match="is 64x64, the layout has 128x128"):
        training.gather(stick.dataset, rig, [meta])


def test_ahead_keeps_the_order_and_passes_errors_on():
    assert list(training.ahead(lambda x: x * 2, range(20), workers=3)) == list(range(0, 40, 2))
    with pytest.raises(ZeroDivisionError):
        list(training.ahead(lambda x: 1 // x, [1, 0, 1], workers=2))
