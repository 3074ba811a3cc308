# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The doctor: each finding on a rig that has the fault, nothing on one that is well."""

from __future__ import annotations

import json

import bpy
import numpy as np
import pytest
from anymove.addon.rig import adopt, creature, doctor, source
from anymove.addon.rig.save import write_scene
from test_sources import small_creature

pytestmark = pytest.mark.bpy


@pytest.fixture
def made():
    return creature.build(bpy.context.scene, small_creature())


def report(**options) -> doctor.Report:
    bpy.context.view_layer.update()
    found = source.find(bpy.context.scene, "scene", list(bpy.data.actions))
    return doctor.diagnose(found, adopt.Options("small", **{"height_cm": 45, **options}))


def find(code: str, **options):
    return [finding for finding in report(**options).findings if finding.code == code]


def test_a_sound_rig_has_nothing_but_the_size_of_its_units(made):
    assert report().findings == []


def test_units_off_by_a_hundred(made):
    made.armature.scale = (0.01,) * 3
    (found,) = find("units", height_cm=None)
    assert "off by 100" in found.message
    assert "--height-cm" in found.fix
    made.armature.scale = (100,) * 3
    (found,) = find("units", height_cm=None)
    assert "taken for centimetres" in found.message


def test_bones_without_skin_vertices_without_weight_groups_without_bones(made):
    bpy.context.view_layer.objects.active = made.armature
    bpy.ops.object.mode_set(mode="EDIT")
    bone = made.armature.data.edit_bones.new("neck_end")
    bone.parent = made.armature.data.edit_bones["neck"]
    bone.head = bone.parent.tail
    bone.tail = bone.head + bone.parent.vector
    bpy.ops.object.mode_set(mode="OBJECT")
    skin = made.meshes[0]
    skin.vertex_groups.new(name="gone")
    for group in skin.vertex_groups:
        group.remove([0, 1, 2])
    assert [f.subject for f in find("no-skin")] == ["neck_end"]
    assert "3 of" in find("bare-vertices")[0].message
    assert "gone" in find("orphan-groups")[0].message


def test_asymmetric_rest_and_missing_partner(made):
    bpy.context.view_layer.objects.active = made.armature
    bpy.ops.object.mode_set(mode="EDIT")
    made.armature.data.edit_bones["shin.L"].head.y -= 0.03
    bpy.ops.object.mode_set(mode="OBJECT")
    (found,) = find("asymmetric-rest")
    assert "shin" in found.subject
    bpy.ops.object.mode_set(mode="EDIT")
    made.armature.data.edit_bones.remove(made.armature.data.edit_bones["shin.R"])
    bpy.ops.object.mode_set(mode="OBJECT")
    assert [f.subject for f in find("no-partner")] == ["shin.L"]


def test_ambiguous_facing_is_an_error_with_a_question(made):
    for bone, name in zip(("thigh.L", "shin.L", "thigh.R", "shin.R"), "abcd"):
        made.armature.data.bones[bone].name = name
    made.armature.rotation_euler.z = np.pi / 2
    found = report()
    assert found.known is None or found.known.facing.forward == "+X"
    made.armature.rotation_euler.z = 0.6
    found = report()
    assert found.known is None
    assert [f.code for f in found.findings if f.severity == "error"] == ["not-understood"]
    assert "--facing" in found.findings[0].message


def test_what_fights_a_bake(made):
    shin = made.armature.pose.bones["shin.L"]
    shin.constraints.new("IK")
    curve = made.armature.pose.bones["neck"].driver_add("rotation_euler", 0)
    curve.driver.expression = "0.1"
    assert [f.subject for f in find("constraints")] == ["shin.L"]
    assert "ik" in find("constraints")[0].message
    assert [f.subject for f in find("drivers")] == ["neck"]


def test_limits_that_forbid_the_rest_pose(made):
    limit = made.armature.pose.bones["shin.L"].constraints.new("LIMIT_ROTATION")
    limit.owner_space, limit.use_limit_x = "LOCAL", True
    limit.min_x, limit.max_x = np.radians(20), np.radians(80)
    (found,) = find("limits-forbid-rest")
    assert found.subject == "shin.L"
    assert "20..80" in found.message
    known = report()
    assert known.known is not None


def test_stretching_bones_and_keys_between_frames(made):
    bone = made.armature.pose.bones["neck"]
    made.armature.animation_data_create().action = bpy.data.actions.new("Stretch")
    for frame, place in ((1.3, 0.0), (9.7, 0.04)):
        bone.location = (0, place, 0)
        bone.keyframe_insert("location", frame=frame)
    (found,) = find("stretch")
    assert found.subject == "neck"
    assert find("between-frames")[0].subject == "Stretch"


def test_names_that_lie(made):
    made.armature.data.bones["shin.R"].name = "tmp"
    made.armature.data.bones["shin.L"].name = "shin.R"
    made.armature.data.bones["tmp"].name = "shin.L"
    assert {f.subject for f in find("misnamed-side")} == {"shin.L", "shin.R"}


def test_operator_reports_without_adopting(made, tmp_path, outcome):
    path = tmp_path / "rig.blend"
    write_scene(path, bpy.context.scene)
    out = tmp_path / "doctor.json"
    bpy.ops.anymove.doctor(filepath=str(path), json=str(out), height_cm=45)
    done = outcome()
    assert done.code == 0
    assert "leg.L" in done.message
    told = json.loads(out.read_text())
    assert told["understood"]["facing"] == "-Y"
    assert told["understood"]["limbs"]["leg.L"] == ["thigh.L", "shin.L"]
    assert len(told["findings"]) == len(done.findings)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["doctor.json", "rig.blend"]


def test_operator_ends_with_two_where_the_rig_cannot_be_used(made, tmp_path, outcome):
    made.armature.rotation_euler.z = 0.6
    for bone in made.armature.data.bones:
        bone.name = bone.name.replace(".L", "a").replace(".R", "b")
    path = tmp_path / "askew.blend"
    write_scene(path, bpy.context.scene)
    with pytest.raises(RuntimeError, match="--facing"):
        bpy.ops.anymove.doctor(filepath=str(path))
    assert outcome().code == 2
    assert outcome().findings[0].severity == "error"
