# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adopting real rigs: what is understood, what is left alone, what is refused."""

from __future__ import annotations

import json
import shutil

import bpy
import numpy as np
import pytest
from anymove.addon.motion import pose
from anymove.addon.studio import stage
from anymove.mocap import files, poses
from anymove.mocap import rotations as rot
from anymove.mocap.motion import Motion

pytestmark = [pytest.mark.bpy, pytest.mark.rigs]


@pytest.mark.parametrize("name", ["Wolf", "KhronosFox"])
def test_forward_kinematics_equals_blender(adopt, name):
    rig = adopt(name)
    skeleton = rig.info.skeleton
    with stage.opened(rig.blend, rig.info) as opened:
        for index in range(12):
            drawn = poses.random_pose(skeleton, poses.sample_rng(5, index))
            pose.set_pose(opened.rig, skeleton, drawn.root, drawn.quats)
            opened.update()
            ours = skeleton.pose(drawn.root[None], drawn.quats[None])
            theirs = pose.bone_matrices(opened.rig, skeleton)
            assert np.abs(ours.heads[0] - theirs[:, :3, 3]).max() < 1e-4 * skeleton.height
            assert np.abs(ours.turns[0] @ skeleton.rest - theirs[:, :3, :3]).max() < 1e-4
            blender_joints = pose.joints(opened.rig, skeleton)
            assert np.abs(ours.joints[0] - blender_joints).max() < 1e-4 * skeleton.height


def test_wolf_is_understood(adopt):
    info = adopt("Wolf").info
    names = info.skeleton.bone_names
    moved = info.source["reparented"]
    assert moved == {
        "IKFrontLeg.L": "FrontLowerLeg.L",
        "IKFrontLeg.R": "FrontLowerLeg.R",
        "IKBackLeg.L": "BackLowerLeg.L",
        "IKBackLeg.R": "BackLowerLeg.R",
    }
    assert not any("PoleTarget" in name for name in names)
    assert set(info.source["left_out"]) >= {"PoleTarget.L", "PoleTargetBack.R"}
    joints = info.skeleton.joints
    for joint in joints:
        if joint.mirror >= 0:
            assert joints[joint.mirror].name == joint.name.replace(".L", ".#").replace(".R", ".L").replace(
                ".#", ".R"
            )
            assert joint.point[0] * joints[joint.mirror].point[0] < 0
    sides = [limb.side for limb in info.skeleton.limbs if limb.name.startswith("leg")]
    assert sorted(sides) == ["L", "L", "R", "R"]
    assert {bone.limits_from for bone in info.skeleton.bones[1:]} == {"clips"}
    low, high = info.skeleton.limits[..., 0], info.skeleton.limits[..., 1]
    assert (low <= 0).all()
    assert (high >= 0).all()


def test_fox_in_centimetres_comes_out_in_metres(adopt):
    info = adopt("KhronosFox").info
    assert info.height_cm == pytest.approx(79.03, abs=0.1)
    assert info.skeleton.height == pytest.approx(0.7903, abs=1e-3)
    assert "centimetres" in info.source["height_from"]
    assert info.skeleton.bones[0].name == "b_Hip_01"
    # Bone Y axes miss the children in this rig: the axes must come from geometry.
    leg = info.skeleton.bone_index("b_LeftLeg01_015")
    knee = info.skeleton.heads[info.skeleton.bone_index("b_LeftLeg02_016")] - info.skeleton.heads[leg]
    along = info.skeleton.rest[leg] @ info.skeleton.axes[leg]
    assert along @ knee / np.linalg.norm(knee) > 0.99


@pytest.mark.parametrize("name", ["Wolf", "KhronosFox"])
def test_clips_follow_the_original_rig(adopt, creatures, name):
    """Baked clips against the original armature's own joints; what differs is the clips' bone stretch."""
    rig = adopt(name)
    info = rig.info
    bpy.ops.import_scene.gltf(filepath=str(creatures / f"{name}.glb"))
    armature = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    action = next(a for a in bpy.data.actions if a.name.endswith("Walk"))
    for bone in armature.pose.bones:
        bone.matrix_basis.identity()
    armature.animation_data.action = action
    armature.animation_data.action_slot = action.slots[0]
    motion = Motion.load(rig.home / "rigged" / "clips" / "Walk.json")
    heads = motion.pose(info.skeleton).heads
    to_clean = np.array(info.source["to_clean"])
    errors = []
    for frame in range(motion.frames):
        bpy.context.scene.frame_set(frame)
        world = np.array(armature.matrix_world)
        original = np.array(
            [world @ np.array(armature.pose.bones[b].matrix)[:, 3] for b in info.skeleton.bone_names]
        )
        original = original[:, :3] @ to_clean[:3, :3].T + to_clean[:3, 3]
        errors.append(np.linalg.norm(original - heads[frame], axis=1))
    assert np.mean(errors) < 0.006 * info.skeleton.height


@pytest.mark.parametrize("name", ["Wolf", "KhronosFox"])
def test_clean_mesh_keeps_its_shape(adopt, name):
    """Unit transforms, real height, standing on the origin, weights that sum to one."""
    rig = adopt(name)
    with stage.opened(rig.blend, rig.info) as opened:
        points = []
        for mesh in opened.meshes:
            assert np.allclose(np.array(mesh.matrix_world), np.eye(4))
            points += [v.co[:] for v in mesh.data.vertices]
            sums = [sum(g.weight for g in v.groups) for v in mesh.data.vertices]
            assert np.allclose(sums, 1, atol=1e-2)
        points = np.array(points)
    assert np.ptp(points[:, 2]) == pytest.approx(rig.info.height_cm / 100, rel=1e-4)
    assert points[:, 2].min() == pytest.approx(0, abs=1e-4)


def test_the_open_scene_and_the_file_stay_as_they_were(creatures, tmp_path):
    original = creatures / "KhronosFox.glb"
    before = files.digest_file(original)
    mesh = bpy.data.meshes.new("mine")
    mine = bpy.data.objects.new("mine", mesh)
    bpy.context.scene.collection.objects.link(mine)
    counts = [
        len(getattr(bpy.data, kind)) for kind in ("objects", "meshes", "armatures", "actions", "scenes")
    ]
    shown = bpy.context.window.scene.name
    bpy.ops.anymove.adopt_rig(filepath=str(original), creature=str(tmp_path / "assets" / "fox"))
    after = [len(getattr(bpy.data, kind)) for kind in ("objects", "meshes", "armatures", "actions", "scenes")]
    assert after == counts
    assert bpy.context.window.scene.name == shown
    assert files.digest_file(original) == before


def test_again_is_up_to_date_and_another_rig_is_refused(adopt, creatures, tmp_path, outcome):
    home = tmp_path / "assets" / "fox"
    shutil.copytree(adopt("KhronosFox").home, home)
    # The digest covers the creature's name; the copy has another.
    bpy.ops.anymove.adopt_rig(filepath=str(creatures / "KhronosFox.glb"), creature=str(home), replace=True)
    assert (home / "rigged.1" / "rig_info.json").exists()
    bpy.ops.anymove.adopt_rig(filepath=str(creatures / "KhronosFox.glb"), creature=str(home))
    assert "up to date" in outcome().message
    with pytest.raises(RuntimeError, match="holds another rig"):
        bpy.ops.anymove.adopt_rig(filepath=str(creatures / "Wolf.glb"), creature=str(home))
    assert outcome().code == 2


def test_same_file_gives_the_same_digest(adopt, creatures, tmp_path):
    from anymove.mocap.rig_info import RigInfo

    home = tmp_path / "assets" / "khronosfox"
    bpy.ops.anymove.adopt_rig(filepath=str(creatures / "KhronosFox.glb"), creature=str(home))
    again = RigInfo.load(home / "rigged" / "rig_info.json")
    assert again.digest == adopt("KhronosFox").info.digest


def test_held_out_clip_does_not_widen_limits(creatures, tmp_path):
    from anymove.mocap.rig_info import RigInfo

    home = tmp_path / "assets" / "fox"
    bpy.ops.anymove.adopt_rig(
        filepath=str(creatures / "KhronosFox.glb"), creature=str(home), hold_out="Run,Walk"
    )
    info = RigInfo.load(home / "rigged" / "rig_info.json")
    assert info.source["held_out_clips"] == ["Run", "Walk"]
    assert set(info.clips) == {"Run", "Survey", "Walk"}
    run = Motion.load(home / "rigged" / "clips" / "Run.json")
    eulers = rot.matrix_to_euler(rot.quat_to_matrix(run.quats))[:, 1:]
    inside = (eulers >= info.skeleton.limits[1:, :, 0]) & (eulers <= info.skeleton.limits[1:, :, 1])
    assert not inside.all()


def test_a_clip_that_is_not_there_is_refused(creatures, tmp_path):
    with pytest.raises(RuntimeError, match=r"--hold-out Fly: the rig has no such clip \(Run, Survey, Walk\)"):
        bpy.ops.anymove.adopt_rig(
            filepath=str(creatures / "KhronosFox.glb"), creature=str(tmp_path / "fox"), hold_out="Fly"
        )
    assert not (tmp_path / "fox").exists()


def test_height_comes_from_creature_json(creatures, tmp_path):
    from anymove.mocap.rig_info import RigInfo

    home = tmp_path / "assets" / "fox"
    files.write_json(home / "creature.json", {"schema": 1, "name": "fox", "height_cm": 40})
    bpy.ops.anymove.adopt_rig(filepath=str(creatures / "KhronosFox.glb"), creature=str(home))
    info = RigInfo.load(home / "rigged" / "rig_info.json")
    assert (info.height_cm, info.skeleton.height) == (40, 0.4)
    assert json.loads((home / "creature.json").read_text())["height_cm"] == 40


def test_actions_of_the_open_file_are_not_taken_for_clips(creatures, tmp_path):
    """The same rig is open already: its actions fit the bones, but are not the file's."""
    from anymove.mocap.rig_info import RigInfo

    bpy.ops.import_scene.gltf(filepath=str(creatures / "KhronosFox.glb"))
    for made in bpy.data.actions:
        made.name = f"mine {made.name}"
    home = tmp_path / "assets" / "fox"
    bpy.ops.anymove.adopt_rig(filepath=str(creatures / "KhronosFox.glb"), creature=str(home))
    assert RigInfo.load(home / "rigged" / "rig_info.json").clips == ("Run", "Survey", "Walk")


@pytest.mark.parametrize("height", ["tall", -3])
def test_a_height_that_is_none_is_refused(creatures, tmp_path, height, outcome):
    home = tmp_path / "assets" / "fox"
    files.write_json(home / "creature.json", {"schema": 1, "name": "fox", "height_cm": height})
    with pytest.raises(RuntimeError, match=r"creature\.json"):
        bpy.ops.anymove.adopt_rig(filepath=str(creatures / "KhronosFox.glb"), creature=str(home))
    assert outcome().code == 2
