# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files and scenes that are, or are not, rigs; constraints; our own creatures through every format."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from anymove.addon.rig import adopt, creature, rig_files, source
from anymove.addon.rig.save import write_scene
from anymove.mocap.creature import Creature
from anymove.mocap.rig_info import RigInfo

pytestmark = pytest.mark.bpy

NAMES = ["hips", "neck", "shin.L", "shin.R", "thigh.L", "thigh.R"]
LIMITS = [[-30, 20], [-5, 5], [-10, 15]]


def small_creature(**changes) -> Creature:
    """A body with a neck and a pair of legs, in centimetres."""
    bones = [
        {"name": "hips", "parent": None, "head": [0, 10, 30], "tail": [0, -10, 30], "radii": [6, 6]},
        {"name": "neck", "parent": "hips", "head": [0, -10, 30], "tail": [0, -25, 40], "radii": [5, 4]},
        {"name": "thigh.L", "parent": "hips", "head": [5, 5, 28], "tail": [6, 5, 14], "radii": [4, 3],
         "limits_deg": LIMITS},
        {"name": "shin.L", "parent": "thigh.L", "head": [6, 5, 14], "tail": [6, 3, 2], "radii": [3, 2]},
    ]  # fmt: skip
    data = {"schema": 1, "name": "small", "height_cm": 45, "bones": bones, **changes}
    return Creature._from_json(data)


@pytest.fixture
def built():
    with rig_files.workbench("build") as scene:
        yield scene, creature.build(scene, small_creature())


def test_built_creature_has_real_weights_and_symmetric_limits(built):
    _, made = built
    assert sorted(b.name for b in made.armature.data.bones) == NAMES
    mesh = made.meshes[0].data
    assert 1000 < len(mesh.polygons) < 20000
    weights = np.array([sum(g.weight for g in v.groups) for v in mesh.vertices])
    assert (weights > 0.9).mean() > 0.98
    with rig_files.workbench("clean") as clean:
        info = adopt.adopt(clean, made, adopt.Options("small", "-Y", 45)).info
    skeleton = info.skeleton
    assert info.height_cm == 45
    left, right = skeleton.bone_index("thigh.L"), skeleton.bone_index("thigh.R")
    assert skeleton.bones[left].limits_from == "constraint"
    assert np.degrees(skeleton.limits[left]) == pytest.approx(np.array(LIMITS), abs=1e-3)
    mirrored = [[-30, 20], [-5, 5], [-15, 10]]
    assert np.degrees(skeleton.limits[right]) == pytest.approx(np.array(mirrored), abs=1e-3)
    names = skeleton.joint_names
    pairs = {j.name: names[j.mirror] for j in skeleton.joints if j.mirror >= 0}
    assert pairs["shin.L_tip"] == "shin.R_tip"
    assert pairs["thigh.R"] == "thigh.L"


def test_mirrored_limits_mean_mirrored_poses(built):
    """The same Euler angles within mirrored limits put left and right where the mirror says."""
    _, made = built
    with rig_files.workbench("clean") as clean:
        skeleton = adopt.adopt(clean, made, adopt.Options("small", "-Y", 45)).info.skeleton
    from anymove.mocap import rotations as rot

    angles = np.radians([20.0, 4.0, 12.0])
    quats = np.tile(np.array([1.0, 0, 0, 0]), (1, len(skeleton.bones), 1))
    quats[0, skeleton.bone_index("thigh.L")] = rot.matrix_to_quat(rot.euler_to_matrix(angles))
    quats[0, skeleton.bone_index("thigh.R")] = rot.matrix_to_quat(rot.euler_to_matrix(angles * [1, -1, -1]))
    joints = dict(zip(skeleton.joint_names, skeleton.pose(skeleton.heads[:1], quats).joints[0]))
    assert joints["shin.L_tip"] * [-1, 1, 1] == pytest.approx(joints["shin.R_tip"], abs=0.01)


@pytest.mark.parametrize("suffix", [".glb", ".fbx", ".blend"])
def test_same_creature_through_every_format(built, tmp_path, suffix):
    scene, made = built
    path = tmp_path / f"small{suffix}"
    bpy.context.window.scene = scene
    if suffix == ".blend":
        write_scene(path, scene)
    elif suffix == ".fbx":
        bpy.ops.export_scene.fbx(filepath=str(path), add_leaf_bones=True)
    else:
        bpy.ops.export_scene.gltf(filepath=str(path))
    bpy.context.window.scene = next(s for s in bpy.data.scenes if s != scene)
    height = np.ptp([v.co.z for v in made.meshes[0].data.vertices]) * 100
    home = tmp_path / "assets" / "small"
    bpy.ops.anymove.adopt_rig(filepath=str(path), creature=str(home))
    info = RigInfo.load(home / "rigged" / "rig_info.json")
    assert sorted(info.skeleton.bone_names) == sorted(
        ["hips", "neck", "thigh.L", "thigh.R", "shin.L", "shin.R"]
    )
    assert info.height_cm == pytest.approx(height, rel=1e-3)
    knee = info.skeleton.heads[info.skeleton.bone_index("shin.L")]
    foot = info.skeleton.heads[info.skeleton.bone_index("shin.R")]
    assert knee * [-1, 1, 1] == pytest.approx(foot, abs=2e-3)
    assert knee[2] == pytest.approx(0.14, abs=0.01)


def test_shape_keys_scale_and_rotation_of_the_source_do_not_matter(built):
    """The same rig with a shape key, under a parent that is turned, moved and scaled by 100."""
    _, made = built
    with rig_files.workbench("clean") as clean:
        plain = adopt.adopt(clean, made, adopt.Options("small", "-Y", 45)).info
    made.meshes[0].shape_key_add(name="Basis")
    made.meshes[0].shape_key_add(name="Smile").value = 1.0
    made.armature.scale = (100, 100, 100)
    made.armature.rotation_euler = (0, 0, np.radians(90))
    made.armature.location = (3, 4, 5)
    bpy.context.view_layer.update()
    for scene in bpy.data.scenes:
        scene.view_layers[0].update()
    objects = len(bpy.data.objects)
    with rig_files.workbench("clean") as clean:
        moved = adopt.adopt(clean, made, adopt.Options("small", "+X", 45))
        assert moved.meshes[0].data.shape_keys is None
        moved = moved.info
    assert len(bpy.data.objects) == objects
    assert moved.skeleton.bone_names == plain.skeleton.bone_names
    assert moved.skeleton.heads == pytest.approx(plain.skeleton.heads, abs=1e-4)
    assert moved.skeleton.rest == pytest.approx(plain.skeleton.rest, abs=1e-4)
    assert moved.skeleton.joint_points == pytest.approx(plain.skeleton.joint_points, abs=1e-3)


def refuse(path, tmp_path, outcome, match):
    with pytest.raises(RuntimeError, match=match):
        bpy.ops.anymove.adopt_rig(filepath=str(path), creature=str(tmp_path / "assets" / "x"))
    assert outcome().code == 2
    assert "\n" not in outcome().message
    assert not (tmp_path / "assets" / "x").exists()


def test_missing_file_and_wrong_format(tmp_path, outcome):
    refuse(tmp_path / "no.glb", tmp_path, outcome, "no such file")
    (tmp_path / "rig.txt").write_text("hello")
    refuse(tmp_path / "rig.txt", tmp_path, outcome, "not a rig format")
    (tmp_path / "broken.glb").write_bytes(b"glTF nonsense")
    refuse(tmp_path / "broken.glb", tmp_path, outcome, "cannot be imported")


def test_no_armature(tmp_path, outcome):
    mesh = bpy.data.meshes.new("cube")
    scene = bpy.data.scenes.new("plain")
    scene.collection.objects.link(bpy.data.objects.new("cube", mesh))
    write_scene(tmp_path / "plain.blend", scene)
    refuse(tmp_path / "plain.blend", tmp_path, outcome, "not a rig: there is no armature")


def test_armature_that_deforms_nothing(built, tmp_path, outcome):
    scene, made = built
    made.meshes[0].modifiers.clear()
    write_scene(tmp_path / "loose.blend", scene)
    refuse(tmp_path / "loose.blend", tmp_path, outcome, "no mesh is deformed by armature small")


def test_mesh_without_weights(built, tmp_path, outcome):
    scene, made = built
    for group in made.meshes[0].vertex_groups:
        group.remove(range(len(made.meshes[0].data.vertices)))
    write_scene(tmp_path / "bare.blend", scene)
    refuse(tmp_path / "bare.blend", tmp_path, outcome, "no vertex has a weight")


def test_two_rigs_in_one_file_need_a_name(built, tmp_path):
    scene, _ = built
    second = creature.build(scene, small_creature(name="other"))
    with pytest.raises(source.BadInput, match="several armatures"):
        source.find(scene, "file", [])
    assert source.find(scene, "file", [], second.armature).armature == second.armature
