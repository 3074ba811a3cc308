# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever a picture goes through, its labels stay true: nothing moves the creature."""

import colorsys

import cv2
import numpy as np
import pytest

from mocap import framing
from mocap.dataset import augment, camera, codec, covers, moving, shadows, tones
from mocap.dataset.backdrops import Backdrops, studio

SIDE = 128
SETTLED = sorted(set(augment.CHANCES) - {"smear", "ghost", "barred", "covered"})
VIEW = np.eye(2, 3)


def disc() -> np.ndarray:
    """A red disc in the middle, straight alpha."""
    out = np.zeros((SIDE, SIDE, 4), np.uint8)
    cv2.circle(out, (64 * 16 - 8, 60 * 16 - 8), 20 * 16, (220, 30, 20, 255), -1, cv2.LINE_AA, 4)
    return out


def limbs() -> np.ndarray:
    """Premultiplied: a body with two thin legs."""
    out = np.zeros((SIDE, SIDE, 4), np.uint8)
    cv2.ellipse(out, (64, 50), (34, 14), 0, 0, 360, (200, 200, 200, 255), -1)
    for x in (40, 88):
        cv2.line(out, (x, 55), (x, 100), (200, 40, 30, 255), 6)
    return out


def centroid(weight: np.ndarray) -> np.ndarray:
    rows, columns = np.indices(weight.shape)
    return np.array([(columns * weight).sum(), (rows * weight).sum()]) / weight.sum()


def redness(image: np.ndarray) -> np.ndarray:
    """Soft mask of the red disc on grey, freed of the surroundings' own tint."""
    red = image[..., 0].astype(float) - image[..., 2]
    red -= np.median(red)
    return np.where(red > 0.3 * red.max(), np.minimum(red, 0.6 * red.max()), 0)


@pytest.fixture
def only(monkeypatch):
    """Make one degradation certain and the others impossible."""

    def choose(name: str) -> None:
        for other in augment.CHANCES:
            monkeypatch.setitem(augment.CHANCES, other, float(other == name))

    return choose


def grey_bank() -> Backdrops:
    bank = Backdrops(0, 1)
    bank.drawn = [np.full((SIDE, SIDE, 3), 120, np.uint8)]
    return bank


@pytest.mark.parametrize("name", SETTLED)
def test_the_creature_stays_in_its_place(only, name):
    only(name)
    bank, cutout = grey_bank(), augment.Cutout.from_panel(disc())
    plain = centroid(disc()[..., 3] / 255.0)
    for seed in range(12):
        image = augment.picture(cutout, VIEW, (SIDE, SIDE), bank, np.random.default_rng(seed))
        assert np.abs(centroid(redness(image)) - plain).max() < 0.5, seed


def test_little_of_the_creature_is_covered_and_the_cover_is_another_picture():
    rgba, shares = limbs(), []
    creature = rgba[..., 3] > 127
    image, texture = np.full((SIDE, SIDE, 3), 90, np.uint8), np.full((SIDE, SIDE, 3), 7, np.uint8)
    for seed in range(40):
        before = image.copy()
        out = covers.covered(image, rgba[..., 3], texture, np.random.default_rng(seed))
        assert (image == before).all()
        hidden = (out != image).any(-1)
        assert (out[hidden] == 7).all()
        shares.append((hidden & creature).sum() / creature.sum())
    assert max(shares) <= covers.MOST
    assert np.mean(np.array(shares) > 0) > 0.7
    nothing = np.zeros((SIDE, SIDE), np.uint8)
    assert covers.covered(image, nothing, texture, np.random.default_rng(0)) is image


def test_a_smear_is_symmetric_about_its_middle():
    rgba, moved = limbs(), 0.0
    for seed in range(40):
        out = moving.smear(rgba, np.random.default_rng(seed))
        assert out.shape == rgba.shape
        assert (out[..., :3].max(-1) <= out[..., 3]).all()
        assert np.linalg.norm(centroid(out[..., 3] / 255.0) - centroid(rgba[..., 3] / 255.0)) < 0.5, seed
        moved = max(moved, float((out[..., 3] != rgba[..., 3]).mean()))
    assert moved > 0.1


def test_a_ghost_is_fainter_than_the_creature_and_on_no_side_more_often():
    rgba = limbs()
    shifts = []
    for seed in range(300):
        out = moving.ghost(rgba, np.random.default_rng(seed))
        solid = np.where(out[..., 3] > 0.55 * 255, 1.0, 0.0)
        # What is more than half opaque is the creature itself.
        assert np.abs(centroid(solid) - centroid((rgba[..., 3] > 0) * 1.0)).max() < 0.5, seed
        shifts.append(centroid(out[..., 3] / 255.0) - centroid(rgba[..., 3] / 255.0))
    assert np.abs(np.mean(shifts, 0)).max() < 0.15
    assert np.abs(shifts).max() > 1


def test_a_shadow_darkens_the_backdrop_only():
    alpha, backdrop = limbs()[..., 3], np.full((SIDE, SIDE, 3), 200, np.uint8)
    darkest = []
    for seed in range(30):
        out = shadows.cast(alpha, backdrop, np.random.default_rng(seed))
        assert out.max() <= 200
        darkest.append(out.min())
    assert np.quantile(darkest, 0.9) < 195
    assert min(darkest) > 40
    empty = np.zeros_like(alpha)
    assert (shadows.cast(empty, backdrop, np.random.default_rng(0)) == backdrop).all()


def hue_shift(before: np.ndarray, after: np.ndarray) -> float:
    turns = colorsys.rgb_to_hsv(*(before / 255.0))[0] - colorsys.rgb_to_hsv(*(after / 255.0))[0]
    return abs((turns + 0.5) % 1 - 0.5) * 360


@pytest.mark.parametrize("shade", [0.35, 0.75])
@pytest.mark.parametrize("stage", ["paint", "picture"])
def test_hues_survive_light_and_colour(stage, shade):
    rng, shifts = np.random.default_rng(0), []
    for hue in np.arange(0, 1, 1 / 24):
        ink = (np.array(colorsys.hsv_to_rgb(hue, 0.95, shade)) * 255).astype(np.uint8)
        for _ in range(40):
            patch = np.full((4, 4, 4), 255, np.uint8)
            patch[..., :3] = ink
            if stage == "paint":
                out = tones.repainted(patch, rng)
            else:
                out = tones.exposed(np.ascontiguousarray(patch[..., :3]), rng)
            shifts.append(hue_shift(ink, out[0, 0, :3]))
    assert np.quantile(shifts, 0.95) < 15
    assert max(shifts) < 30


def test_degradations_are_decided_by_the_generator():
    bank, cutout = Backdrops(0, 6), augment.Cutout.from_panel(disc())
    for seed in range(60):
        one, two = (
            augment.picture(cutout, VIEW, (SIDE, SIDE), bank, np.random.default_rng(seed)) for _ in range(2)
        )
        assert (one == two).all(), seed


def test_each_degradation_happens_as_often_as_stated(monkeypatch):
    counts = dict.fromkeys(augment.CHANCES, 0)
    rooms = {
        "repainted": tones,
        "saturated": tones,
        "smear": moving,
        "ghost": moving,
        "shadow": shadows,
        "covered": covers,
    }

    def counted(name: str):
        def stand_in(image, *rest):
            counts[name] += 1
            return rest[0] if name == "shadow" else image

        return stand_in

    for name in augment.CHANCES:
        monkeypatch.setattr(rooms.get(name, camera), "cast" if name == "shadow" else name, counted(name))
    bank, rng = grey_bank(), np.random.default_rng(0)
    cutout, draws = augment.Cutout.from_panel(disc()), 3000
    for _ in range(draws):
        augment.picture(cutout, VIEW, (SIDE, SIDE), bank, rng)
    expected = dict(augment.CHANCES)
    expected["ghost"] *= 1 - expected["smear"]
    expected["as_jpeg"] *= 1 - expected["as_h264"]
    for name, share in expected.items():
        assert counts[name] / draws == pytest.approx(share, abs=0.035), name


def test_coarsening_reaches_half_the_resolution():
    """Lines three pixels wide survive at full size, fade at half, and are gone where the picture is a close-up."""
    lines = np.tile(np.array([0, 0, 0, 255, 255, 255], np.uint8), (60, 10))[..., None].repeat(3, 2)

    def contrasts(scale: float) -> np.ndarray:
        rngs = (np.random.default_rng(seed) for seed in range(60))
        return np.array([camera.coarsened(lines, rng, scale)[20:40, 20:40].std() for rng in rngs])

    assert contrasts(1.0).max() > 100
    assert contrasts(1.0).min() < 75
    assert (contrasts(2.0) < contrasts(1.0)).mean() > 0.9
    assert contrasts(2.0).min() < 30
    assert (contrasts(0.5) == contrasts(1.0)).all()


def test_bars_hide_an_edge_and_leave_the_rest():
    image = np.random.default_rng(0).integers(1, 255, (100, 100, 3), np.uint8)
    hidden = []
    for seed in range(40):
        out = camera.barred(image, np.random.default_rng(seed))
        assert out.flags.c_contiguous
        assert (out[25:75, 25:75] == image[25:75, 25:75]).all()
        hidden.append((out != image).any(-1).mean())
    assert min(hidden) > 0.02
    assert max(hidden) < 0.26


def test_recoding_keeps_size_and_order():
    frames = [np.full((51, 71, 3), shade, np.uint8) for shade in (40, 200, 90)]
    for name, options in (("libx264", {"crf": "30"}), ("mpeg4", {"b": "200000"})):
        out = codec.recoded(frames, name, options)
        assert [frame.shape for frame in out] == [(51, 71, 3)] * 3
        assert [round(float(frame.mean())) for frame in out] == pytest.approx([40, 200, 90], abs=4)


def test_studios_are_bright_quiet_and_common():
    for seed in range(40):
        picture = studio(np.random.default_rng(seed))
        assert np.ptp(picture.astype(int), axis=2).max() < 25
        assert np.abs(np.diff(picture.astype(int), axis=1)).max() <= 3
    quiet = [np.ptp(picture.astype(int), axis=2).mean() < 12 for picture in Backdrops(1, 120).drawn]
    assert np.mean(quiet) > 0.2


def test_a_whole_panel_is_framed_from_half_to_one_and_a_fifth():
    rng = np.random.default_rng(0)
    views = [augment.scaled((384, 384), rng, 192) for _ in range(400)]
    scales = np.array([framing.scale(view) for view in views]) / 0.5
    assert scales.min() < 0.58
    assert 1.1 < scales.max() < 1.45
    assert (np.abs(scales - 1) < 0.15).mean() > 0.3
    # A creature that fills the middle half of the panel stays inside.
    corners = np.array([[96.0, 96], [288, 288]])
    placed = np.array([framing.apply(view, corners) for view in views])
    assert ((placed > 0) & (placed < 192)).all(-1).mean() > 0.97


def test_a_cropped_framing_leaves_a_part_outside():
    rng, box = np.random.default_rng(0), (np.array([100.0, 90]), np.array([80.0, 60]))
    grid = np.stack(np.meshgrid(np.linspace(62, 138, 20), np.linspace(62, 118, 20)), -1).reshape(-1, 2)
    outside = []
    for _ in range(100):
        placed = framing.apply(augment.cropped(box, rng, 96), grid)
        outside.append(1 - ((placed >= 0) & (placed <= 96)).all(1).mean())
    assert 0.1 < np.mean(outside) < 0.4
    assert max(outside) < 0.65
