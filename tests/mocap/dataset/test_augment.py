# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import cv2
import numpy as np
import pytest

from mocap import framing
from mocap.dataset import augment
from mocap.dataset.backdrops import SIZE, Backdrops, load_photos
from mocap.errors import BadInput


def panel() -> np.ndarray:
    """A disc with a soft edge, straight alpha, off the middle of an empty panel."""
    out = np.zeros((128, 128, 4), np.uint8)
    cv2.circle(out, (90, 40), 15, (200, 100, 50, 255), -1)
    out[..., 3] = cv2.GaussianBlur(out[..., 3], (0, 0), 1.5)
    out[..., :3] = (200, 100, 50)
    return out


def test_a_cutout_laid_back_is_the_panel():
    rgba, grey = panel(), np.full((128, 128, 3), 90, np.uint8)
    seen = augment.compose(augment.Cutout.from_panel(rgba).warp(np.eye(2, 3), (128, 128)), grey)
    alpha = rgba[..., 3:] / 255
    wanted = rgba[..., :3] * alpha + grey * (1 - alpha)
    assert np.abs(seen - wanted).max() <= 2


def test_a_cutout_keeps_only_what_is_there():
    cutout = augment.Cutout.from_panel(panel())
    assert cutout.rgba.shape[0] < 50
    assert cutout.rgba.shape[0] % 2 == cutout.rgba.shape[1] % 2 == 0
    assert augment.Cutout.from_panel(np.zeros((64, 64, 4), np.uint8)).rgba.max() == 0


@pytest.mark.parametrize("side", [128.0, 60.0])
def test_cutouts_and_panels_are_framed_alike(side):
    """Training sees cutouts, reading sees panels: one framing must show both at the same place."""
    rgba = panel()
    view = framing.place(np.array([80.0, 50.0]), np.array([side, side]), 64, 0.1)
    black = np.zeros((64, 64, 3), np.uint8)
    trained = augment.compose(augment.Cutout.from_panel(rgba).warp(view, (64, 64)), black)
    laid = augment.compose(
        augment.Cutout.from_panel(rgba).warp(np.eye(2, 3), (128, 128)), black.repeat(2, 0).repeat(2, 1)
    )
    read = framing.cut(laid, view, 64)
    assert np.abs(trained.astype(int) - read).mean() < 1.0


def test_jitter_keeps_the_middle_near():
    rng = np.random.default_rng(0)
    box = np.array([60.0, 70.0]), np.array([40.0, 80.0])
    views = [augment.jittered(box, rng, 96, (0.92, 1.2)) for _ in range(200)]
    middles = np.array([framing.apply(v, box[0][None])[0] for v in views])
    assert np.abs(middles - 48).max() < 96 * 0.08
    assert middles.std() > 1


def test_degrading_changes_the_picture_but_not_its_shape():
    image = np.random.default_rng(0).integers(0, 255, (96, 80, 3), np.uint8)
    for seed in range(20):
        out = augment.degrade(image, np.random.default_rng(seed))
        assert out.shape == image.shape
        assert out.dtype == np.uint8
        again = augment.degrade(image, np.random.default_rng(seed))
        assert (out == again).all()
    assert (out != image).any()


def test_backdrops_are_decided_by_the_seed_and_differ():
    one, two, other = Backdrops(5, 6), Backdrops(5, 6), Backdrops(6, 6)
    assert all((a == b).all() for a, b in zip(one.drawn, two.drawn))
    assert any((a != b).any() for a, b in zip(one.drawn, other.drawn))
    assert one.pick(np.random.default_rng(1), (70, 50)).shape == (50, 70, 3)


def test_photographs_join_the_bank(tmp_path):
    photo = np.full((100, 200, 3), (10, 20, 250), np.uint8)
    cv2.imwrite(str(tmp_path / "sky.png"), photo)
    bank = Backdrops(0, 4, tmp_path)
    assert bank.photos[0].shape == (SIZE, 2 * SIZE, 3)
    rng = np.random.default_rng(0)
    hits = sum((bank.pick(rng, (20, 20)) == (250, 20, 10)).all() for _ in range(60))
    assert 15 < hits < 45


def test_bad_photograph_folders(tmp_path):
    with pytest.raises(BadInput, match="no such folder"):
        load_photos(tmp_path / "none")
    with pytest.raises(BadInput, match="holds no photographs"):
        load_photos(tmp_path)
    (tmp_path / "x.jpg").write_text("no picture")
    with pytest.raises(BadInput, match=r"x\.jpg: cannot be read"):
        load_photos(tmp_path)
