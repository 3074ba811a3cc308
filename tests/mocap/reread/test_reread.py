# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A clip's look is taken from it, the solve is drawn with it, and what a reader gets wrong there is taken off."""

from __future__ import annotations

import types

import numpy as np
import pytest

from mocap import calibrate, poses
from mocap.exam.readings import Trouble, made_up_readings
from mocap.reader.reading import Reading
from mocap.refine.drawing import Artist
from mocap.reread import appearance, correct, drawing
from mocap.reread.__main__ import Scene, read_drawings
from mocap.solve import Settings, solve
from mocap.solve.observations import height_px
from mocap.solve.swaps import Swap, limb_pairs
from tests.mocap import synthetic

FRAMES = 24
BACKDROP = np.array([40, 90, 60])


@pytest.fixture(scope="module")
def info():
    return synthetic.rig_info(size=256)


@pytest.fixture(scope="module")
def motion(info):
    return poses.random_motion(info.skeleton, 5, FRAMES, 24.0, info.digest)


@pytest.fixture(scope="module")
def scene(info, motion):
    """The true motion, as if it had been solved without a fault."""
    solved = types.SimpleNamespace(motion=motion, calibration=np.zeros((FRAMES, 2, 3)))
    return Scene(info, Artist(info.skeleton, synthetic.skin(info)), solved)


@pytest.fixture(scope="module")
def look(info, scene):
    """Every triangle of one colour, which tells the limb, before a sloping backdrop."""
    limb = scene.artist.triangle_limb[:-1]
    inks = np.random.default_rng(3).integers(30, 230, (limb.max() + 1, 3))
    colours = np.repeat(inks[limb][:, None], 3, 1).astype(np.float32)
    slope = (BACKDROP + np.linspace(0, 30, 256)[:, None, None] * np.ones((1, 256, 1))).astype(np.uint8)
    return appearance.Appearance(np.stack([colours, colours]), [slope, slope])


def gathered(scene, look):
    sizes = [view.size for view in scene.info.layout.views]
    out = appearance.Gatherer(scene.artist.skin, sizes, scene.info.skeleton.height)
    for frame in range(FRAMES):
        out.add(scene.panels(frame, look), scene.artist.points(scene.posed, frame), scene.cameras, frame)
    return out.appearance()


def test_colours_and_backdrop_come_back_from_their_own_drawings(scene, look):
    found = gathered(scene, look)
    off = np.abs(found.colours - look.colours).max(-1)
    assert np.median(off) < 3
    assert (off < 12).mean() > 0.9
    for one, true in zip(found.backdrops, look.backdrops):
        assert np.abs(one.astype(float) - true).mean() < 2
        assert np.abs(one.astype(float) - true).max() < 25
    again = scene.panels(7, found)
    for one, true in zip(again, scene.panels(7, look)):
        assert np.abs(one.astype(float) - true).mean() < 2


def test_a_backdrop_that_was_never_seen_takes_after_its_surroundings():
    sums = np.zeros((64, 80, 4), np.float32)
    sums[:, :20] = 2 * np.array([10, 20, 30, 1])
    sums[:, 60:] = 3 * np.array([110, 20, 30, 1])
    found = appearance.backdrop(sums)
    assert (found[:, :20] == [10, 20, 30]).all()
    assert (np.diff(found[32, :, 0].astype(int)) >= 0).all()
    assert (appearance.backdrop(np.zeros((8, 8, 4), np.float32)) == 0).all()


def test_a_drawing_before_a_backdrop_leaves_the_rest_of_it_alone(scene, look):
    panel = scene.panels(0, look)[0]
    changed = (panel != look.backdrops[0]).any(-1)
    assert 0.01 < changed.mean() < 0.5
    away = scene.artist.points(scene.posed, 0) + np.array([50.0, 0, 0])
    outside = drawing.panel(away, scene.artist.skin, scene.cameras, 0, 0, look)
    assert (outside == look.backdrops[0]).mean() > 0.99


class Middle:
    """A reader that takes every joint to be in the middle of what differs from the backdrop."""

    def __init__(self, look):
        self.look = look

    def read(self, frames, batch):
        found = np.array(
            [[self._middle(p, b) for p, b in zip(panels, self.look.backdrops)] for panels in frames]
        )
        return Reading(np.repeat(found[:, :, None], 12, 2), *(None,) * 4)

    @staticmethod
    def _middle(panel, backdrop):
        y, x = np.nonzero((panel != backdrop).any(-1))
        return x.mean() + 0.5, y.mean() + 0.5


def test_errors_are_those_of_the_reader_in_the_drawings(scene, look, tmp_path):
    joints = scene.posed.joints[:, :12]
    short = types.SimpleNamespace(**vars(scene) | {"posed": scene.posed._replace(joints=joints)})
    short.frames, short.panels = FRAMES, scene.panels
    errors = read_drawings(short, look, Middle(look), 5, 24.0, str(tmp_path / "drawn.mp4"))
    truth, _ = scene.info.layout.project(joints)
    middle = truth + errors
    # Every joint was read in the same place, and that is near the creature's middle.
    assert np.ptp(middle, axis=2).max() < 1e-9
    assert np.linalg.norm(middle[:, :, 0] - truth.mean(2), axis=-1).max() < 40
    assert (tmp_path / "drawn.mp4").is_file()


def test_a_bias_that_a_drawing_shows_too_is_gone(info, motion):
    """Readings drawn towards the panel's middle: the solve is wrong, one round brings it most of the way."""
    truth = motion.joints(info.skeleton)
    read = made_up_readings(info, truth, Trouble(1), seed=1)
    middle = read.positions.mean((0, 2), keepdims=True)

    def shrunk(positions):
        return middle + 0.9 * (positions - middle)

    clip = made_up_readings(info, truth, Trouble(1), seed=1)
    clip.positions[:] = shrunk(clip.positions)
    settings = Settings(calibrate=False)

    def error(solved):
        return np.linalg.norm(solved.motion.joints(info.skeleton) - truth, axis=-1).mean()

    first = solve(clip, info, settings)
    seen, _ = info.layout.project(first.motion.joints(info.skeleton))
    heights = height_px(info.skeleton, info.layout)
    better = correct.corrected(clip, shrunk(seen) - seen, heights, info.skeleton, first.swaps, {"round": 1})
    assert error(solve(better, info, settings)) < 0.4 * error(first)
    assert better.provenance["reread"] == {"round": 1}
    assert better.sigma == pytest.approx(correct.STILL * clip.sigma)


def test_an_error_too_long_to_be_habit_is_not_taken_off(info, motion):
    read = made_up_readings(info, motion.joints(info.skeleton), Trouble(1))
    heights = height_px(info.skeleton, info.layout)
    errors = np.zeros_like(read.positions)
    errors[3, 1, 2] = [0.2 * heights[1], 0]
    errors[4, 1, 2] = [0.1 * heights[1], 0]
    better = correct.corrected(read, errors, heights, info.skeleton, [], {})
    assert (better.positions[3] == read.positions[3]).all()
    assert (read.positions - better.positions)[4, 1, 2] == pytest.approx([0.1 * heights[1], 0])


def test_limbs_that_were_exchanged_get_each_others_errors(info):
    pair = limb_pairs(info.skeleton)[0]
    errors = np.random.default_rng(0).normal(size=(6, 2, len(info.skeleton.joints), 2))
    swap = Swap(pair.limb, "side", (2, 3))
    found = correct.exchanged(errors, ("front", "side"), info.skeleton, [swap])
    assert (found[2:4, 1][:, pair.joints] == errors[2:4, 1][:, pair.partners]).all()
    assert (found[2:4, 1][:, pair.markers] == errors[2:4, 1][:, pair.marker_partners]).all()
    untouched = np.ones(errors.shape[:3], bool)
    untouched[np.ix_([2, 3], [1], pair.exchange[0])] = False
    assert (found[untouched] == errors[untouched]).all()


def test_a_drift_is_undone_where_joints_would_be_read():
    """The panel brought into the layout's framing shows a spot where to_layout says that it is."""
    drift = calibrate.PanelDrift(1.1, (6.0, -9.0), 0.9, True)
    panel = np.zeros((120, 120, 3), np.uint8)
    panel[70:74, 50:54] = 255
    y, x = np.nonzero(drift.undone(panel)[..., 0] > 127)
    assert (x.mean() + 0.5, y.mean() + 0.5) == pytest.approx(drift.to_layout(np.array([52.0, 72.0])), abs=0.3)
    assert drift.undone(panel).shape == panel.shape
    assert calibrate.PanelDrift.from_json(drift.to_json()) == drift
    assert calibrate.PanelDrift().undone(panel) is panel
