# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import cv2
import numpy as np
import pytest

from mocap.dataset import samples, training
from mocap.dataset.backdrops import Backdrops
from mocap.errors import BadInput
from mocap.raster import stream
from mocap.rig_info import RigInfo
from tests.mocap import synthetic


@pytest.fixture
def loaded(samples_once):
    rig = RigInfo.load(samples_once.rig_info)
    return training.load(samples_once.dataset, synthetic.studio(rig)), rig


def batches(data, seed=0, pairs=25, whole=0.5, stream=None, share=0.4):
    mix = training.Mix(share, reuse=2, window=6)
    return training.Batches(data, stream, mix, Backdrops(0, 4), 64, 5, seed, pairs, whole)


def reload(stick):
    return training.load(stick.dataset, synthetic.studio(RigInfo.load(stick.rig_info)))


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
    list(source.epoch(1))
    assert sorted(shown[25:]) == data.training.tolist()
    assert shown[:25] != shown[25:]
    shown.clear()
    source.pairs = 40
    for epoch in range(5):
        list(source.epoch(epoch))
    # 200 samples are eight rounds of 25: an epoch goes on where the one before stopped.
    assert np.unique(shown, return_counts=True)[1].tolist() == [8] * 25


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
        for picture, points, inside in zip(batch.pictures, batch.points, batch.inside):
            cells = np.floor(points[inside]).astype(int).clip(0, 63)
            hits += (picture.max(-1)[cells[:, 1], cells[:, 0]] > 40).tolist()
    assert np.mean(hits) > 0.9


def test_framings_lead_from_the_picture_to_the_panel_nearly(loaded):
    """A little off on purpose; the labels through them are those of one of the samples, in the panel's coordinates."""
    data, _ = loaded
    sizes = np.array([view.size for view in data.rig.layout.views])[:, None]
    truth = (data.positions - sizes / 2) / (sizes.max(-1, keepdims=True) / 2)
    errors = []
    for batch in batches(data).epoch(0):
        found = (batch.points[..., None, :] * batch.framings[:, None, :, :2]).sum(-1) + batch.framings[
            :, None, :, 2
        ]
        found = found.reshape(-1, 1, *truth.shape[1:])
        errors += np.abs(found - truth).mean((2, 3, 4)).min(1).tolist()
    assert 0.001 < np.mean(errors) < 0.02


def test_masks_lie_on_the_creature(loaded):
    """On a black backdrop, masked pixels are paint, and paint is masked; parts have their limbs' hues."""
    data, _ = loaded
    source = batches(data)
    source.bank.drawn = [np.zeros((320, 320, 3), np.uint8)]
    backdrop = source._backdrop
    covered, uncovered = [], []
    for batch in source.epoch(0):
        bright = batch.pictures[:, 1::2, 1::2].max(-1) > 60
        covered.append((bright[batch.masks < backdrop]).mean())
        uncovered.append((bright[batch.masks == backdrop]).mean())
    assert np.mean(covered) > 0.85
    assert np.mean(uncovered) < 0.12


def test_the_stream_adds_labelled_samples_in_the_same_order_always(loaded):
    data, rig = loaded
    studio = synthetic.studio(rig)
    makers = [batches(data, stream=stream.Stream(studio, 3, 8)) for _ in range(2)]
    assert makers[0].streamed == 2
    first, again = (list(maker.epoch(1, workers)) for maker, workers in zip(makers, (1, 2)))
    for a, b in zip(first, again):
        assert all((x == y).all() for x, y in zip(a, b))
    streamed = np.concatenate([batch.points[-4:] for batch in first])
    assert ((streamed > -64) & (streamed < 128)).all()
    assert (
        np.concatenate([batch.masks[-4:].reshape(-1) < makers[0]._backdrop for batch in first]).mean() > 0.02
    )


def test_now_and_then_a_view_shows_nothing(loaded, monkeypatch):
    monkeypatch.setattr(training, "_LONE_SHARE", 1.0)
    batch = next(batches(loaded[0]).epoch(0))
    blank = (batch.pictures == 127).all((1, 2, 3)).reshape(-1, 2)
    assert (blank.sum(1) == 1).all(), "one of two"
    blank = blank.ravel()
    assert not batch.inside[blank].any()
    assert batch.inside[~blank].any()
    assert len(np.unique(batch.masks[blank])) == 1


def test_depth_is_measured_from_the_root(loaded):
    """Joints before the root, as the camera sees them, are nearer than it."""
    data, rig = loaded
    root = list(rig.skeleton.joint_names).index("spine0")
    assert np.abs(data.depth[:, :, root]).max() < 1e-5
    nose = list(rig.skeleton.joint_names).index("spine_tip")
    assert (data.depth[:, 0, nose] < 0).mean() > 0.9


def test_a_torn_sample_is_left_out_and_said(stick, capsys):
    samples.picture_path(stick.dataset, 7, "side").write_bytes(b"half a picture")
    data = reload(stick)
    assert 7 not in data.indices
    assert len(data.indices) == 26
    assert "1 torn samples are left out" in capsys.readouterr().out


def test_stale_and_too_few_samples_are_refused(stick):
    with pytest.raises(BadInput, match="rendered from another rig or layout"):
        training.load(stick.dataset, synthetic.studio(synthetic.rig_info(96)))
    for index in range(1, 27):
        samples.meta_path(stick.dataset, index).unlink()
    with pytest.raises(BadInput, match="samples are too few; render at least 26"):
        reload(stick)


def test_a_picture_of_the_wrong_kind_is_refused(stick):
    rig = RigInfo.load(stick.rig_info)
    meta = samples.read_meta(samples.meta_path(stick.dataset, 3))
    path = samples.picture_path(stick.dataset, 3, "front")
    cv2.imwrite(str(path), np.zeros((128, 128, 3), np.uint8))
    with pytest.raises(BadInput, match=r"00003_front\.png: an 8-bit picture with alpha"):
        training.gather(stick.dataset, synthetic.studio(rig), [meta])
    cv2.imwrite(str(path), np.zeros((64, 64, 4), np.uint8))
    with pytest.raises(BadInput, match="is 64x64, the layout has 128x128"):
        training.gather(stick.dataset, synthetic.studio(rig), [meta])


def test_ahead_keeps_the_order_and_passes_errors_on():
    assert list(training.ahead(lambda x: x * 2, range(20), workers=3)) == list(range(0, 40, 2))
    with pytest.raises(ZeroDivisionError):
        list(training.ahead(lambda x: 1 // x, [1, 0, 1], workers=2))
