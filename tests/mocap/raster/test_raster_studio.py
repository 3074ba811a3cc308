# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from mocap import parts, poses
from mocap.raster import lights, stream
from tests.mocap import synthetic

RIG = synthetic.rig_info(128)
STUDIO = synthetic.studio(RIG)


def posed(index: int):
    pose = poses.random_pose(RIG.skeleton, poses.sample_rng(5, index))
    return RIG.skeleton.pose(pose.root[None], pose.quats[None])


def shot(index: int, view: int = 1, **more):
    return STUDIO.shot(posed(index), RIG.layout.views[view], lights.studio(), **more)


def test_colours_are_the_paint_of_the_parts():
    """Under white light, a part's pixels have its limb's hue."""
    limb = next(i for i, one in enumerate(RIG.skeleton.limbs) if one.name == "fore.L")
    found = []
    for index in range(6):
        one = shot(index)
        own = np.isin(one.parts, np.flatnonzero(STUDIO.parts.limb == limb)) & (one.rgba[..., 3] == 255)
        found.append(one.rgba[own][:, :3])
    pixels = np.concatenate(found).astype(float)
    assert len(pixels) > 200
    wanted = np.array(RIG.skeleton.limbs[limb].colour)
    assert pixels.mean(0).argmax() == wanted.argmax()
    assert (pixels[:, 0] > pixels[:, 2] + 20).mean() > 0.9


def test_premultiplied_and_even():
    one = shot(1)
    assert (one.rgba[..., :3] <= one.rgba[..., 3:]).all()
    assert one.rgba.shape[0] % 2 == one.rgba.shape[1] % 2 == 0
    assert one.parts.shape == one.rgba.shape[:2]


def test_masks_and_alpha_agree():
    one = shot(2)
    covered, masked = one.rgba[..., 3] > 127, one.parts < STUDIO.parts.backdrop
    assert (covered == masked).mean() > 0.99


def test_labels_are_the_layouts_projection():
    frame = posed(3)
    for view in RIG.layout.views:
        found = STUDIO.shot(frame, view, lights.studio()).labels
        pixels, depth = view.project(frame.joints[0])
        assert np.array_equal(found.positions, pixels)
        assert np.array_equal(found.depth, depth)


def test_a_leg_behind_the_other_is_hidden():
    """At rest, from the creature's left side, right knees are behind left ones."""
    rest = RIG.skeleton.pose(
        RIG.skeleton.heads[None, 0], np.tile([1.0, 0, 0, 0], (1, len(RIG.skeleton.bones), 1))
    )
    side = RIG.layout.views[1]
    seen = dict(zip(RIG.skeleton.joint_names, STUDIO.shot(rest, side, lights.studio()).labels.visible))
    near, far = ("L", "R") if side.position[0] > 0 else ("R", "L")
    assert seen[f"fore.{near}1"]
    assert seen[f"hind.{near}1"]
    assert not seen[f"fore.{far}1"]
    assert not seen[f"hind.{far}1"]


def test_an_exposure_smears_and_keeps_the_middles_labels():
    pose = poses.random_pose(RIG.skeleton, poses.sample_rng(5, 4))
    roots = pose.root + np.array([[-0.1, -0.1, 0], [0, 0, 0], [0.1, 0.1, 0]])
    three = RIG.skeleton.pose(roots, np.tile(pose.quats, (3, 1, 1)))
    still = RIG.skeleton.pose(pose.root[None], pose.quats[None])
    view = RIG.layout.views[0]
    smeared = STUDIO.shot(three, view, lights.studio(), middle=1)
    sharp = STUDIO.shot(still, view, lights.studio())
    assert np.array_equal(smeared.labels.positions, sharp.labels.positions)
    assert np.array_equal(smeared.labels.visible, sharp.labels.visible)
    assert smeared.rgba.shape[1] > sharp.rgba.shape[1]
    partial = ((smeared.rgba[..., 3] > 60) & (smeared.rgba[..., 3] < 200)).sum()
    assert partial > 2 * ((sharp.rgba[..., 3] > 60) & (sharp.rgba[..., 3] < 200)).sum()
    x, y = (sharp.corner - smeared.corner).astype(int)
    height, width = sharp.parts.shape
    assert np.array_equal(smeared.parts[y : y + height, x : x + width], sharp.parts)


def test_every_light_shows_the_creature():
    """No set of lights, however it is turned, leaves it near black."""
    rng = np.random.default_rng(0)
    frame = posed(6)
    for _ in range(40):
        one = STUDIO.shot(frame, RIG.layout.views[0], lights.random(rng))
        full = one.rgba[..., 3] == 255
        assert one.rgba[full][:, :3].max(1).mean() > 35


def test_the_unpainted_look_is_the_skins_own():
    one = shot(1, painted=False)
    full = one.rgba[..., 3] == 255
    assert np.ptp(one.rgba[full][:, :3].astype(int), axis=1).max() < 25


def test_the_stream_is_decided_by_its_number():
    one, two = stream.Stream(STUDIO, 7, 2), stream.Stream(STUDIO, 7, 8)
    for number in (3, 0, 5, 3, 0):
        a, b = one.sample(number), two.sample(number)
        for x, y in zip(a.shots, b.shots):
            assert np.array_equal(x.rgba, y.rgba)
            assert np.array_equal(x.labels.positions, y.labels.positions)
    assert len(one._held) == 2
    other = stream.Stream(STUDIO, 8, 2).sample(3).shots[0]
    assert not np.array_equal(other.labels.positions, one.sample(3).shots[0].labels.positions)


def test_each_streamed_sample_is_used_as_often_as_asked():
    rng = np.random.default_rng(0)
    used = np.array([[stream.number(turn, slot, 6, 4, 60, rng) for slot in range(6)] for turn in range(400)])
    counts = np.bincount(used.ravel())
    assert len(counts) >= 600
    assert counts[60:540].mean() == pytest.approx(4, abs=0.2)
    assert counts[60:540].min() >= 1
    assert (used % 6 == np.arange(6)).all()
    assert used[100].min() >= 6 * 25 - 66
    # No step is without new samples, none has new ones only.
    fresh = np.diff(np.maximum.accumulate(used, axis=0), axis=0) > 0
    assert set(fresh.sum(1).tolist()) <= {1, 2}


def test_small_bones_share_a_part_within_their_limb():
    found = parts.of(RIG.skeleton)
    assert len(found.bone_part) == len(RIG.skeleton.bones)
    assert found.bone_part.max() == len(found.names) - 1 == found.backdrop - 1
    limbs = RIG.skeleton.bone_limb
    for bone, part in enumerate(found.bone_part):
        assert found.limb[part] == limbs[bone] or RIG.skeleton.bones[bone].radius == 0
