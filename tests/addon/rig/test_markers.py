# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Markers lie on the skin, beside the bone, mirrored, and where the cameras see them."""

from __future__ import annotations

import numpy as np
import pytest
from anymove.addon.rig import markers, sight
from anymove.mocap.layout import fit
from anymove.mocap.skeleton import Bone, Joint, Skeleton

EYE = tuple(map(tuple, np.eye(3)))
STIFF = ((-0.2, 0.2),) * 3


def tube(start, length: float, radius: float, rings: int = 9, sides: int = 12):
    """A closed tube along -Y: points (V, 3) and triangles (F, 3)."""
    angle = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    ring = radius * np.stack([np.cos(angle), 0 * angle, np.sin(angle)], 1)
    points = np.concatenate([ring + np.array([0, -y, 0]) for y in np.linspace(0, length, rings)]) + start
    faces = []
    for r in range(rings - 1):
        for s in range(sides):
            a, b = r * sides + s, r * sides + (s + 1) % sides
            faces += [(a, a + sides, b), (b, a + sides, b + sides)]
    last = (rings - 1) * sides
    for k in range(1, sides - 1):
        faces += [(0, k, k + 1), (last, last + k + 1, last + k)]
    return points, np.array(faces)


PARTNER = [0, 2, 1]


def two_arms(radius: float = 0.08):
    """A body with a left and a right arm of one bone each, bones in the tubes' axes."""
    bones = [Bone("body", -1, (0, 0, 1.0), (0, 0, 1.2), EYE, STIFF, "")]
    joints = [Joint("body", 0, (0, 0, 1.0), "head")]
    points, weights, faces, start = [], [], [], 0
    for index, (side, x) in enumerate((("L", 0.4), ("R", -0.4)), 1):
        bones.append(Bone(f"arm.{side}", 0, (x, 0, 1.0), (x, -0.8, 1.0), EYE, STIFF, ""))
        joints.append(Joint(f"arm.{side}_tip", index, (x, -0.8, 1.0), "tip", 4 - index - 1))
        place, triangles = tube(np.array([x, 0, 1.0]), 0.8, radius)
        points.append(place)
        faces.append(triangles + start)
        weights.append(np.tile(np.eye(3)[index], (len(place), 1)))
        start += len(place)
    skeleton = Skeleton("arms", 1.0, tuple(bones), tuple(joints))
    return skeleton, sight.Skin(np.concatenate(points), np.concatenate(weights), np.concatenate(faces))


def test_tubes_get_mirrored_markers_beside_their_axis():
    skeleton, skin = two_arms()
    found = markers.added(skeleton, fit(skin.points[None], 1.0, 128), skin, PARTNER)
    made = [joint for joint in found.joints if joint.kind == "marker"]
    assert {joint.name for joint in made} >= {"arm.L_m1", "arm.R_m1"}
    for joint in made:
        offset = np.array(joint.point) - skeleton.heads[joint.bone]
        assert np.hypot(offset[0], offset[2]) == pytest.approx(0.08, abs=1e-6)
        image = found.joints[joint.mirror]
        np.testing.assert_allclose(np.array(image.point) * (-1, 1, 1), joint.point, atol=1e-6)


def test_thin_and_bare_bones_get_none():
    skeleton, skin = two_arms(radius=0.01)
    assert markers.choose(skeleton, fit(skin.points[None], 1.0, 128), skin, PARTNER) == []


def test_what_lies_behind_a_wall_or_faces_away_is_not_seen():
    layout = fit(two_arms()[1].points[None], 1.0, 128)
    side = next(view for view in layout.views if view.name == "side")
    towards = np.array([np.sign(side.position[0]), 0.0, 0.0])
    y, z = np.meshgrid(np.linspace(-1.2, 0.4, 300), np.linspace(0.5, 1.5, 300))
    wall = np.stack([0 * y, y, z], -1).reshape(-1, 3)
    points = np.array([[0.0, -0.4, 1.0]])
    for place, facing, expected in ((0.1, 1, True), (0.0, 1, True), (-0.1, 1, False), (0.1, -1, False)):
        seen = sight.visible(side, wall, points + place * towards, facing * towards[None], 1.0)
        assert seen.tolist() == [expected]


@pytest.mark.bpy
@pytest.mark.rigs
@pytest.mark.parametrize("name", ["Wolf", "Spider"])
def test_markers_of_real_rigs(adopt, name):
    skeleton = adopt(name).info.skeleton
    marker = skeleton.is_marker
    assert 0.6 < marker.sum() / len(skeleton.bones) < 1.7
    per_bone = np.bincount(skeleton.joint_bones[marker], minlength=len(skeleton.bones))
    assert per_bone.max() <= markers.MOST
    assert not marker[: len(skeleton.bare.joints)].any(), "markers come behind the joints"
    apart = np.linalg.norm(skeleton.joint_points[marker][:, None] - skeleton.joint_points, axis=-1)
    assert np.sort(apart, axis=1)[:, 1].min() > 0.6 * markers.APART * skeleton.height
    for joint in skeleton.joints:
        if joint.kind == "marker" and joint.mirror >= 0:
            image = np.array(skeleton.joints[joint.mirror].point) * (-1, 1, 1)
            assert np.linalg.norm(image - joint.point) < 1.01 * markers.MIRRORED * skeleton.height
            assert skeleton.joints[joint.mirror].bone != joint.bone
