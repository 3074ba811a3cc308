# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A law: whatever the tree, its scale, its rolls and rest rotations, adopting it keeps its kinematics."""

from __future__ import annotations

import bmesh
import bpy
import numpy as np
import pytest
from anymove.addon.motion.pose import joints as posed_joints
from anymove.addon.motion.pose import set_pose
from anymove.addon.rig import adopt, rig_files, source
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from mathutils import Matrix, Quaternion, Vector

pytestmark = pytest.mark.bpy


def random_rig(rng: np.random.Generator, count: int) -> bpy.types.Object:
    """An armature of ``count`` bones with random parents, directions and rolls, blocks of skin around each,
    placed, turned about Z and scaled at random."""
    data = bpy.data.armatures.new("tree")
    rig = bpy.data.objects.new("tree", data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for index in range(count):
        bone = data.edit_bones.new(f"bone{index}")
        parent = data.edit_bones[f"bone{rng.integers(index)}"] if index else None
        start = parent.tail + Vector(rng.normal(0, 0.2, 3)) if parent else Vector(rng.normal(0, 0.5, 3))
        bone.head, bone.tail = start, start + Vector(rng.normal(0, 1, 3)).normalized() * rng.uniform(0.3, 1)
        bone.roll = rng.uniform(-3, 3)
        bone.parent = parent
    bpy.ops.object.mode_set(mode="OBJECT")
    form, mesh = bmesh.new(), bpy.data.meshes.new("skin")
    for bone in data.bones:
        for share in (0.0, 0.5):
            place = Matrix.Translation(bone.head_local.lerp(bone.tail_local, share))
            bmesh.ops.create_cube(form, size=0.1, matrix=place)
    form.to_mesh(mesh)
    form.free()
    skin = bpy.data.objects.new("skin", mesh)
    bpy.context.scene.collection.objects.link(skin)
    for index in range(count):
        group = skin.vertex_groups.new(name=f"bone{index}")
        group.add(range(16 * index, 16 * index + 16), 1.0, "REPLACE")
    skin.parent = rig
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    scale = 10 ** rng.uniform(-2, 2)
    rig.location = rng.normal(0, 3, 3) * scale
    rig.rotation_euler = (0, 0, rng.uniform(-3, 3))
    rig.scale = [scale] * 3
    return rig


def animate(rig: bpy.types.Object, rng: np.random.Generator, frames: int) -> None:
    rig.animation_data_create().action = bpy.data.actions.new("Random")
    for frame in range(frames):
        for bone in rig.pose.bones:
            bone.rotation_mode = "QUATERNION"
            bone.rotation_quaternion = Quaternion(rng.normal(size=4)).normalized()
            bone.keyframe_insert("rotation_quaternion", frame=frame)
        root = rig.pose.bones[0]
        root.location = rng.normal(0, 1, 3)
        root.keyframe_insert("location", frame=frame)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10_000), count=st.integers(2, 12))
@example(seed=463, count=2)
def test_adopting_keeps_kinematics(seed, count):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    rng = np.random.default_rng(seed)
    rig = random_rig(rng, count)
    animate(rig, rng, 3)
    bpy.context.view_layer.update()
    found = source.find(bpy.context.scene, "tree", list(bpy.data.actions))
    with rig_files.workbench("clean") as clean:
        done = adopt.adopt(clean, found, adopt.Options("tree", "-Y"))
        skeleton, motion = done.info.skeleton, done.clips["Random"]
        assert sorted(skeleton.bone_names) == sorted(bone.name for bone in rig.pose.bones)
        to_clean = Matrix([list(row) for row in done.info.source["to_clean"]])
        ours = motion.pose(skeleton)
        for frame in range(3):
            bpy.context.scene.frame_set(frame)
            world = to_clean @ rig.matrix_world
            theirs = np.array([(world @ rig.pose.bones[name].head)[:] for name in skeleton.bone_names])
            # Blender keeps single precision: what can be asked depends on the tree's own size.
            exact = 1e-4 * float(np.ptp(skeleton.heads, axis=0).max())
            assert np.abs(ours.heads[frame] - theirs).max() < exact
            set_pose(done.rig, skeleton, motion.root[frame], motion.quats[frame])
            clean.view_layers[0].update()
            joints = posed_joints(done.rig, skeleton)
            assert np.abs(joints - ours.joints[frame]).max() < exact
