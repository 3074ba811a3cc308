# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Templates fitted to bodies whose joints are known."""

from __future__ import annotations

import numpy as np
import pytest

from mocap import rotations as rot
from mocap.errors import BadInput
from mocap.fitting import facing, fit, landmarks, templates
from mocap.fitting.fit import Placed
from tests.mocap.fitting import shapes


def worst(found: fit.Fit, truth: dict) -> float:
    return max(float(np.linalg.norm(found.joints[name].point - place)) for name, place in truth.items())


@pytest.fixture(scope="module")
def quadruped() -> fit.Fit:
    return fit.fit(*shapes.quadruped(ears=True))


def test_a_quadruped_is_recognised_and_fitted(quadruped):
    assert quadruped.template == "quadruped"
    assert "two pairs of feet" in quadruped.why
    assert not quadruped.left_out
    truth = {**shapes.FRONT_LEG, **shapes.HIND_LEG, "head_tip": (0, -1.5, 1.4), "tail4_tip": (0, 1.8, 0.8)}
    assert worst(quadruped, truth) < 0.2
    assert quadruped.bones[0].name == "hips"
    assert [limb.name for limb in quadruped.limbs][:4] == ["spine", "neck", "head", "tail"]
    assert {"leg1.L", "leg1.R", "leg2.L", "leg2.R", "ear.L", "ear.R"} <= {x.name for x in quadruped.limbs}


def test_both_sides_are_mirror_images_and_the_middle_is_in_the_middle(quadruped):
    for name, placed in quadruped.joints.items():
        if ".L" in name:
            other = quadruped.joints[name.replace(".L", ".R")].point
            assert np.abs(placed.point * [-1, 1, 1] - other).max() < 0.05
        elif ".R" not in name:
            assert abs(placed.point[0]) < 0.03


def test_bones_hang_together(quadruped):
    names = [bone.name for bone in quadruped.bones]
    for bone in quadruped.bones[1:]:
        assert names.index(bone.parent) < names.index(bone.name)
        assert np.linalg.norm(bone.tail - bone.head) > 0
    listed = [name for limb in quadruped.limbs for name in limb.bones]
    assert sorted(listed) == sorted(names)
    assert {name.removesuffix("_tip") for name in quadruped.joints} == set(names)


def test_scale_does_not_matter(quadruped):
    points, triangles = shapes.quadruped(ears=True)
    large = fit.fit(points * 100 + [500, -300, 20], triangles)
    for name, placed in quadruped.joints.items():
        assert np.abs(large.joints[name].point - [500, -300, 20] - placed.point * 100).max() < 8


@pytest.mark.parametrize(
    ("body", "template"),
    [
        (shapes.biped, "biped"),
        (shapes.spider, "spider"),
        (lambda: shapes.spider(3), "insect"),
        (lambda: shapes.spider(5), "insect"),
        (shapes.snake, "serpentine"),
        (shapes.bird, "winged"),
    ],
)
def test_the_extremities_show_the_template(body, template):
    assert fit.fit(*body()).template == template


def test_a_biped_is_fitted():
    found = fit.fit(*shapes.biped(), "biped")
    truth = {
        "hips": (0, 0, 0.95), "thigh.L": (0.1, 0, 0.95), "shin.L": (0.11, 0, 0.5), "foot.L": (0.11, 0.02, 0.08),
        "neck": (0, 0, 1.48), "head_tip": (0, 0, 1.8), "upper_arm.L": (0.18, 0, 1.42), "hand.L_tip": (0.82, 0, 1.14),
    }  # fmt: skip
    assert worst(found, truth) < 0.15


def test_a_body_that_stands_askew_is_fitted_along_its_own_plane(quadruped):
    points, triangles = shapes.quadruped(ears=True)
    turn = rot.euler_to_matrix(np.radians([0, 0, 11.0]))
    found = fit.fit(points @ turn.T, triangles)
    for name, placed in quadruped.joints.items():
        assert np.linalg.norm(found.joints[name].point - turn @ placed.point) < 0.12


def test_a_landmark_holds_on_both_sides_and_others_go_round_it():
    place = np.array([0.21, 0.45, 0.6])
    found = fit.fit(*shapes.quadruped(), "quadruped", {"shin.L": Placed(place, "landmark", 1.0)})
    assert np.allclose(found.joints["shin.L"].point, place)
    assert found.joints["shin.L"].source == "landmark"
    assert np.abs(found.joints["shin.R"].point * [-1, 1, 1] - place).max() < 0.05
    assert found.joints["hock.L"].source == "fitted"


def test_a_kept_joint_says_nothing_about_the_other_side():
    place = np.array([0.21, 0.45, 0.6])
    free = fit.fit(*shapes.quadruped(), "quadruped")
    found = fit.fit(*shapes.quadruped(), "quadruped", {"shin.L": Placed(place, "kept", 1.0)})
    assert np.allclose(found.joints["shin.L"].point, place)
    assert np.abs(found.joints["shin.R"].point - free.joints["shin.R"].point).max() < 0.1


def test_a_landmark_stands_in_for_feet_that_are_not_on_the_ground():
    points, triangles = shapes.biped()
    with pytest.raises(BadInput, match=r"quadruped: 4 feet expected, 2 found .*--landmark .*_tip=x,y,z"):
        fit.fit(points, triangles, "quadruped")
    hand = Placed(np.array([0.82, 0.0, 1.14]), "landmark", 1.0)
    found = fit.fit(points, triangles, "biped", {"hand.L_tip": hand})
    assert np.allclose(found.joints["hand.L_tip"].point, hand.point)


def test_what_is_missing_is_said_in_one_line():
    with pytest.raises(BadInput, match=r"winged: 2 feet expected, 0 found"):
        fit.fit(*shapes.snake(), "winged")
    with pytest.raises(BadInput, match=r"shin.X: quadruped has no such joint; it has hips, spine, chest"):
        fit.fit(*shapes.quadruped(), "quadruped", {"shin.X": Placed(np.zeros(3))})
    place = Placed(np.array([0.2, 0.5, 0.65]), "landmark", 1.0)
    with pytest.raises(BadInput, match=r"shin.L: coincides with hock.L"):
        fit.fit(*shapes.quadruped(), "quadruped", {"shin.L": place, "hock.L": place})
    with pytest.raises(BadInput, match=r"not clear what this is .*--template with one of quadruped, biped"):
        fit.fit(*shapes.box([0, 0, 0], [1, 1, 1]))


def test_a_mesh_that_faces_along_x_is_asked_about():
    points, triangles = shapes.quadruped()
    assert facing.choose(points, triangles) == "-Y"
    with pytest.raises(BadInput, match=r"--facing \+X or -X"):
        facing.choose(points[:, [1, 0, 2]], triangles)


def test_templates_are_sound():
    for name in templates.NAMES:
        template = templates.get(name)
        names = templates.joint_names(template)
        assert len(set(names)) == len(names)
        bones = {bone for chain in template.trunk for bone in chain.bones}
        for chain in template.trunk:
            assert len(chain.fractions) == len(chain.bones) - 1
            assert chain.parent is None or chain.parent in bones
        for limb in template.limbs:
            assert len(limb.fractions) == len(limb.bones) - 1
            assert limb.parent in bones
            assert len(limb.bends) in (0, len(limb.fractions))
    with pytest.raises(BadInput, match="unknown; use quadruped"):
        templates.get("table")
    with pytest.raises(BadInput, match="only insect and spider"):
        templates.get("biped", 3)
    assert len([x for x in templates.get("insect", 7).limbs if x.kind == "leg"]) == 7


def test_landmarks_are_read():
    found = landmarks.parse(["shin.L=1,-2,3.5", "head_tip=0,0,1e-1"])
    assert found["shin.L"].point.tolist() == [1, -2, 3.5]
    for text in ("shin.L", "shin.L=1,2", "=1,2,3", "shin.L=1,2,x", "shin.L=1,2,nan"):
        with pytest.raises(BadInput, match="not of the form"):
            landmarks.parse([text])
    with pytest.raises(BadInput, match="given twice"):
        landmarks.parse(["a=1,2,3", "a=1,2,3"])
