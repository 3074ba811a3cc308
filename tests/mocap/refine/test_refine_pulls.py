# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What differs between drawing and picture pulls the skin the right way, and its slopes are exact."""

from __future__ import annotations

import numpy as np
import pytest

from mocap import poses
from mocap.refine import contours, coverage, limbs
from mocap.refine.drawing import Artist
from mocap.refine.surface import Surface, Wanted
from mocap.skin import Skin
from mocap.solve import twists
from mocap.solve.kinematics import State
from tests.mocap import synthetic
from tests.mocap.refine import clip

FRAMES = 3


@pytest.fixture(scope="module")
def info():
    return synthetic.rig_info(size=256)


@pytest.fixture(scope="module")
def motion(info):
    return poses.random_motion(info.skeleton, 5, FRAMES, 24.0, info.digest)


@pytest.fixture(scope="module")
def skin(info):
    """The stick creature's rods, each vertex shared with the bone above: points follow several bones."""
    rods = synthetic.skin(info)
    table = np.zeros((len(rods.points), len(info.skeleton.bones)))
    parents = info.skeleton.parents
    for vertex, bone in enumerate(rods.bones[:, 0]):
        table[vertex, bone] += 0.7
        table[vertex, max(int(parents[bone]), 0)] += 0.3
    return Skin.build(rods.points, rods.triangles, table, np.zeros(len(rods.triangles), bool))


def wanted(skin, lines: bool, count=60, seed=0) -> Wanted:
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, count)
    return Wanted(
        rng.integers(0, FRAMES, count),
        rng.integers(0, 2, count),
        rng.integers(0, len(skin.triangles), count),
        rng.dirichlet((1, 1, 1), count)[:, 1:],
        rng.uniform(20, 230, (count, 2)),
        np.stack([np.cos(angle), np.sin(angle)], 1) * lines,
        rng.uniform(0.5, 2, count),
        np.full(count, 30.0),
        np.full(count, 1.5),
    )


@pytest.mark.parametrize("lines", [True, False], ids=["lines", "points"])
def test_slopes_are_those_of_the_cost(info, motion, skin, lines):
    bones = info.skeleton
    surface = Surface.of(wanted(skin, lines), bones, skin, clip.cameras(info, FRAMES))
    state = State(motion.root, motion.quats)
    posed = bones.pose(*state)
    _, gradient = twists.equations(bones, posed, surface.wrenches(posed))
    rng, step = np.random.default_rng(1), 1e-6
    for _ in range(6):
        direction = rng.normal(size=(FRAMES, state.width))
        ends = [surface.cost(bones.pose(*state.moved(sign * step * direction))) for sign in (1, -1)]
        # The equations leave out the squares' factor of two.
        assert (ends[0] - ends[1]) / (4 * step) == pytest.approx(
            (gradient[..., 0] * direction).sum(), rel=1e-4
        )


def test_nothing_wanted_costs_nothing(info, motion, skin):
    none = Wanted(*(array[:0] for array in wanted(skin, True)))
    surface = Surface.of(none, info.skeleton, skin, clip.cameras(info, FRAMES))
    posed = motion.pose(info.skeleton)
    assert surface.cost(posed) == 0
    assert not surface.wrenches(posed).pull.any()


def shifted_odds(shown: np.ndarray, count: int, dx: int) -> np.ndarray:
    """(G, S, S) sure log odds of what is drawn, moved to the right."""
    seen = np.roll(shown, dx, axis=1)
    return np.stack([np.where(seen == limb, 2.0, -2.0) for limb in range(count)])


@pytest.mark.parametrize("dx", [-2, 0, 2])
def test_contours_find_by_how_much_a_picture_is_moved(info, motion, dx):
    artist = Artist(info.skeleton, synthetic.skin(info))
    views, squares = clip.cameras(info, FRAMES), clip.framings(info, FRAMES)
    drawing = artist.draw(artist.points(motion.pose(info.skeleton), 0), views, 0, 1, squares[0, 1], clip.SIDE)
    odds = shifted_odds(drawing.shown, len(drawing.alone), dx)
    found = [contours.pulls(drawing, odds, phase) for phase in (0, 1)]
    part = {name: np.concatenate([one[name] for one in found]) for name in found[0]}
    term = Wanted(
        **part, frames=np.zeros(len(part["weights"]), int), views=np.ones(len(part["weights"]), int)
    )
    bound = Surface.of(term, info.skeleton, artist.skin, views)
    # The shift along each normal, weighted: the least-squares shift of the whole contour.
    along = part["normals"]
    framing = drawing.framing[:, :2]
    square = contour_points(bound, motion, info, views) @ framing.T
    offset = ((part["targets"] @ framing.T - square) * along).sum(1)
    weights = part["weights"][:, None] * along
    shift = np.linalg.solve(weights.T @ along, weights.T @ offset)
    assert shift[0] == pytest.approx(dx, abs=0.5)
    assert shift[1] == pytest.approx(0, abs=0.5)


def contour_points(surface, motion, info, views):
    """(N, 2) panel pixels of the points that a term pulls."""
    posed = motion.pose(info.skeleton)
    points = np.stack(
        [
            sum(
                share * (posed.heads[0, bone] + posed.turns[0, bone] @ arm)
                for bone, share, arm in zip(bones, shares, arms)
            )
            for bones, shares, arms in zip(surface.bones, surface.shares, surface.arms)
        ]
    )
    return views.project(np.tile(points, (len(views.focals), 1, 1)))[0][0, 1]


def test_coverage_pulls_skin_to_where_its_limb_is_bare(info, motion):
    artist = Artist(info.skeleton, synthetic.skin(info))
    views, squares = clip.cameras(info, FRAMES), clip.framings(info, FRAMES)
    drawing = artist.draw(artist.points(motion.pose(info.skeleton), 0), views, 0, 1, squares[0, 1], clip.SIDE)
    moved = np.roll(drawing.shown, 12, axis=1)
    log = np.log(np.where(moved[None] == np.arange(len(drawing.alone) + 1)[:, None, None], 0.9, 0.02))
    found = coverage.pulls(drawing, log, 0)
    where = Wanted(
        **found, frames=np.zeros(len(found["weights"]), int), views=np.ones(len(found["weights"]), int)
    )
    bound = Surface.of(where, info.skeleton, artist.skin, views)
    pull = found["targets"] - contour_points(bound, motion, info, views)
    assert len(pull) > 20
    right, down = np.average(pull, axis=0, weights=found["weights"])
    # Legs are slanted: the nearest skin lies a little higher or lower.
    assert right > 3 / drawing.framing[0, 0]
    assert abs(down) < 0.6 * right


def test_small_patches_are_noise():
    shown = np.full((40, 40), 1, np.uint8)
    shown[5:15, 5:15] = 0
    shown[30:32, 30:32] = 0
    kept = coverage.without_blobs(shown, 1)
    assert (kept[5:15, 5:15] == 0).all()
    assert (kept[30:32, 30:32] == 1).all()


def test_the_nearest_pixel_is_the_nearest():
    rng = np.random.default_rng(0)
    mask = rng.random((50, 60)) < 0.03
    pixels = np.stack([rng.integers(0, 50, 80), rng.integers(0, 60, 80)], 1)
    nearest, far = coverage.nearest_of(mask, pixels)
    inside = np.argwhere(mask)
    exact = np.linalg.norm(pixels[:, None] - inside, axis=-1).min(1)
    assert mask[tuple(nearest.T)].all()
    # OpenCV's chamfer distance is within 3% of the Euclidean one.
    assert np.linalg.norm(pixels - nearest, axis=1) == pytest.approx(exact, rel=0.06, abs=1e-9)
    assert far == pytest.approx(exact, rel=0.06, abs=1e-6)


def test_parts_of_one_limb_are_one():
    found = limbs.Limbs.of([2, -1, 0, 2])
    assert found.members == (0, 2, -1)
    assert found.of_part.tolist() == [1, 2, 0, 1, 3]
    masks = np.zeros((5, 2, 2))
    masks[:, 0, 0] = 0.1, 0.2, 0.3, 0.25, 0.15
    assert found.merged(masks)[0, 0].tolist() == [round(255 * share) for share in (0.3, 0.35, 0.2, 0.15)]
