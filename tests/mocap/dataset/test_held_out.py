# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys

import cv2
import numpy as np
import pytest

from mocap.dataset import augment, codec, held_out, training, unseen, unseen_backdrops
from mocap.dataset.backdrops import Backdrops
from mocap.rig_info import RigInfo
from tests.mocap import synthetic
from tests.mocap.dataset.test_degradations import SIDE, VIEW, centroid, disc, grey_bank, limbs

MOVES_NOTHING = ("shaded", "coloured", "hazed", "defocused", "bloomed", "vignetted", "fringed", "combed")


@pytest.fixture
def data(samples_once):
    return training.load(samples_once.dataset, synthetic.studio(RigInfo.load(samples_once.rig_info)))


@pytest.mark.parametrize("make", [held_out.easy_panels, held_out.hard_panels])
def test_panels_are_the_same_every_time(data, make):
    one, two = (make(data, data.held_out, Backdrops(1, 4)) for _ in range(2))
    view = data.rig.layout.views[0]
    assert [len(one), len(one[0])] == [2, 2]
    assert one[0][0].shape == (*view.size[::-1], 3)
    assert one[0][0].dtype == np.uint8
    assert all((a == b).all() for x, y in zip(one, two) for a, b in zip(x, y))


def test_a_row_looks_the_same_whatever_rows_are_asked_for(data):
    both = held_out.hard_panels(data, np.array([0, 5]), Backdrops(1, 4))
    alone = held_out.hard_panels(data, np.array([5]), Backdrops(1, 4))
    assert (both[1][1] == alone[0][1]).all()


def test_the_sheet_shows_easy_beside_hard(data):
    bank = Backdrops(1, 4)
    sheet = held_out.sheet(data, np.array([0, 5]), bank, 1.0)
    assert sheet.shape == (256, 512, 3)
    assert (sheet[128:, :128] == held_out.easy_panels(data, np.array([5]), bank)[0][0]).all()
    assert (sheet[:128, 384:] == held_out.hard_panels(data, np.array([0]), bank)[0][1]).all()


def test_training_does_not_know_the_unseen():
    """Neither by import nor by name."""
    code = (
        "import sys, mocap.dataset.training\n"
        "print([name for name in sys.modules if 'unseen' in name or 'held_out' in name])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
    assert not set(unseen.CHANCES) & set(augment.CHANCES)


def test_training_never_uses_the_codec_of_the_unseen(monkeypatch):
    used = set()

    def noted(frames, name, options):
        used.add((name, len(frames)))
        return list(frames)

    monkeypatch.setattr(codec, "recoded", noted)
    bank, rng, cutout = grey_bank(), np.random.default_rng(0), augment.Cutout.from_panel(disc())
    for _ in range(300):
        augment.picture(cutout, VIEW, (SIDE, SIDE), bank, rng)
    assert used == {("libx264", 1)}
    used.clear()
    unseen.picture(cutout, VIEW, (SIDE, SIDE), bank, rng)
    assert used == {("mpeg4", 4)}


@pytest.mark.parametrize("name", [*MOVES_NOTHING, "grained", "posterised", "filmed"])
def test_the_creature_stays_in_its_place(name):
    """The bright disc on black moves by less than a pixel."""
    alpha = disc()[..., 3]
    image = cv2.cvtColor(cv2.convertScaleAbs(alpha, alpha=0.8), cv2.COLOR_GRAY2RGB)
    changed = False
    for seed in range(12):
        out = getattr(unseen, name)(image, np.random.default_rng(seed))
        assert out.shape == image.shape
        assert out.dtype == np.uint8
        green = out[..., 1].astype(float) - np.median(out[..., 1])
        # Half of the brightness: shadows and glow do not count as the disc.
        weight = np.clip(green - 0.3 * green.max(), 0, 0.2 * green.max())
        assert np.abs(centroid(weight) - centroid(alpha / 255.0)).max() < 1.0, seed
        changed |= bool((out != image).any())
    assert changed


def test_red_and_blue_part_by_a_pixel_at_most():
    """Far from the middle, where it is worst, and to both sides of green."""
    image = np.zeros((200, 200, 3), np.uint8)
    cv2.circle(image, (185, 185), 9, (255, 255, 255), -1, cv2.LINE_AA)
    for seed in range(20):
        out = unseen.fringed(image, np.random.default_rng(seed)).astype(float)
        red, green, blue = (centroid(out[..., channel]) for channel in range(3))
        assert 0.3 < np.linalg.norm(red - green) <= 1.05
        assert np.linalg.norm(blue - green) <= 1.05
        assert (red - green) @ (blue - green) < 0


def test_blades_hide_a_little_of_the_creature():
    alpha, grey = limbs()[..., 3], np.full((SIDE, SIDE, 3), 128, np.uint8)
    hidden = []
    for seed in range(60):
        out = unseen.overgrown(grey, alpha, np.random.default_rng(seed))
        strong = np.abs(out.astype(int) - 128).max(-1) > 10
        hidden.append((strong & (alpha > 127)).sum() / (alpha > 127).sum())
    assert max(hidden) <= unseen.MOST_COVERED
    assert np.mean(hidden) > 0.02


def test_decoys_lie_behind_the_creature_in_its_colours():
    rgba, black = limbs(), np.zeros((SIDE, SIDE, 3), np.uint8)
    drawn = 0
    for seed in range(20):
        out = unseen.decoyed(black, rgba, np.random.default_rng(seed))
        drawn += (out.max(-1) > 0).mean()
        reddish = out[..., 0] >= out[..., 2]
        assert reddish.all()
        whole = augment.compose(rgba, out)
        solid = rgba[..., 3] == 255
        assert (whole[solid] == rgba[solid][:, :3]).all()
    assert drawn / 20 > 0.01
    assert (unseen.decoyed(black, np.zeros_like(rgba), np.random.default_rng(0)) == black).all()


@pytest.mark.parametrize("family", ["cells", "chequers", "stripes", "scenery"])
def test_backdrop_families(family):
    draw = getattr(unseen_backdrops, family)
    one, two, other = (draw(np.random.default_rng(seed), (70, 50)) for seed in (1, 1, 2))
    assert one.shape == (50, 70, 3)
    assert one.dtype == np.uint8
    assert (one == two).all()
    assert (one != other).any()
    assert one.std() > 4


def test_unseen_looks_need_no_creature():
    empty = augment.Cutout.from_panel(np.zeros((64, 64, 4), np.uint8))
    for seed in range(10):
        out = unseen.picture(empty, VIEW, (64, 64), grey_bank(), np.random.default_rng(seed))
        assert out.shape == (64, 64, 3)
