# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs as users have them: scales, turns, several meshes, other bindings, modifiers, links, FBX."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from anymove.addon.rig import adopt, creature, doctor, importing, rest_mesh, rig_files, source, weights
from anymove.mocap.errors import BadInput
from anymove.mocap.rig_info import RigInfo
from mathutils import Euler, Matrix
from test_sources import NAMES, small_creature

pytestmark = pytest.mark.bpy


@pytest.fixture
def made():
    """The small creature in the open scene."""
    return creature.build(bpy.context.scene, small_creature())


def adopted(found: source.Source, **options) -> adopt.Adopted:
    with rig_files.workbench("clean") as clean:
        options = {"height_cm": 45, **options}
        return adopt.adopt(clean, found, adopt.Options("small", **options))


def found(armature=None) -> source.Source:
    return source.find(bpy.context.scene, "scene", list(bpy.data.actions), armature)


def codes(done: adopt.Adopted) -> set[str]:
    return {finding["code"] for finding in done.info.source["findings"]}


def same_skeleton(a, b, tolerance=1e-3) -> bool:
    size = a.height
    order = [b.bone_names.index(name) for name in a.bone_names]
    return (
        a.joint_names == b.joint_names
        and [limb.name for limb in a.limbs] == [limb.name for limb in b.limbs]
        and np.abs(a.heads - b.heads[order]).max() < tolerance * size
    )


@pytest.fixture
def plain(made):
    return adopted(made).info.skeleton


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (Matrix.Scale(0.01, 4), "scale"),
        (Euler((0, 0, np.pi / 2)).to_matrix().to_4x4(), "rotation"),
        (Matrix.Translation((5, -3, 2)) @ Matrix.Scale(100, 4), "scale"),
    ],
)
def test_scaled_turned_and_moved_rigs_are_the_same_creature(made, plain, change, code):
    made.armature.matrix_world = change
    bpy.context.view_layer.update()
    facing = "auto" if code == "scale" else "+X"
    done = adopted(found(), facing=facing)
    assert code in codes(done)
    assert same_skeleton(plain, done.info.skeleton)


def test_a_turned_rig_finds_its_own_facing(made, plain):
    made.armature.matrix_world = Euler((0, 0, np.pi / 2)).to_matrix().to_4x4()
    bpy.context.view_layer.update()
    done = adopted(found())
    assert done.info.source["facing"] == "+X"
    assert same_skeleton(plain, done.info.skeleton)


def test_uneven_and_negative_scale_are_told(made, plain):
    made.armature.scale = (1.0, 1.0, 1.4)
    bpy.context.view_layer.update()
    assert "uneven-scale" in codes(adopted(found(), height_cm=None))
    made.armature.scale = (-1.0, 1.0, 1.0)
    bpy.context.view_layer.update()
    with pytest.raises(BadInput, match="facing -Y or"):
        # The names of the sides now say the opposite of everything else.
        adopted(found())
    done = adopted(found(), facing="-Y")
    assert {"negative-scale", "misnamed-side"} <= codes(done)
    skeleton = done.info.skeleton
    assert skeleton.heads[skeleton.bone_index("thigh.L"), 0] < 0
    limb = skeleton.limbs[skeleton.bone_limb[skeleton.bone_index("thigh.L")]]
    assert limb.side == "R"


def cube(name: str, place, size=0.03) -> bpy.types.Object:
    bpy.ops.mesh.primitive_cube_add(size=size, location=place)
    item = bpy.context.object
    item.name = name
    return item


def test_several_meshes_each_bound_in_its_own_way(made):
    eye = cube("eye", (0.02, -0.25, 0.42))
    eye.parent, eye.parent_type, eye.parent_bone = made.armature, "BONE", "neck"
    eye.matrix_world = Matrix.Translation((0.02, -0.25, 0.42))
    holder = bpy.data.objects.new("holder", None)
    bpy.context.scene.collection.objects.link(holder)
    holder.parent, holder.parent_type, holder.parent_bone = made.armature, "BONE", "neck"
    hat = cube("hat", (0, -0.2, 0.45))
    hat.parent = holder
    saddle = cube("saddle", (0, 0, 0.38))
    saddle.parent = made.armature
    wrap = cube("wrap", (0.06, 0.04, 0.1))
    envelope = wrap.modifiers.new("Armature", "ARMATURE")
    envelope.object, envelope.use_vertex_groups, envelope.use_bone_envelopes = made.armature, False, True
    cube("bystander", (2, 2, 0))
    hidden = cube("helper", (0, 0, 1))
    hidden.parent, hidden.hide_render = made.armature, True
    bpy.context.view_layer.update()
    rig = found()
    assert {m.name for m in rig.meshes} == {"small skin", "eye", "hat", "saddle", "wrap"}
    with weights.reading(rig) as surface:
        how = dict(zip([m.name for m in rig.meshes], surface.bound))
        assert how["eye"] == how["hat"] == "bone neck"
        assert (how["wrap"], how["saddle"], how["small skin"]) == ("envelopes", "nothing", "weights")
    done = adopted(rig)
    told = {f["subject"]: f["code"] for f in done.info.source["findings"]}
    assert told["saddle"] == "unbound-mesh"
    for name in ("small skin", "eye", "hat", "wrap"):
        bpy.data.objects.remove(bpy.data.objects[name])
    with pytest.raises(BadInput, match="no mesh is deformed"):
        found()


def test_modifiers_before_the_armature_are_applied(made):
    """Half a mesh with a Mirror modifier deforms on both sides, as Blender shows it."""
    skin = made.meshes[0]
    whole = len(skin.data.vertices)
    import bmesh

    form = bmesh.new()
    form.from_mesh(skin.data)
    bmesh.ops.delete(form, geom=[v for v in form.verts if v.co.x < -1e-5], context="VERTS")
    form.to_mesh(skin.data)
    form.free()
    mirror = skin.modifiers.new("Mirror", "MIRROR")
    bpy.context.view_layer.objects.active = skin
    with bpy.context.temp_override(object=skin, active_object=skin):
        bpy.ops.object.modifier_move_to_index(modifier="Mirror", index=0)
    after = skin.modifiers.new("Wobble", "WAVE")
    assert skin.modifiers[0].name == "Mirror"
    assert rest_mesh.ignored(skin) == ["Wobble"]
    half = len(skin.data.vertices)
    done = adopted(found())
    assert "modifiers" in codes(done)
    assert [m.name for m in skin.modifiers] == ["Mirror", "Armature", after.name]
    assert mirror.show_viewport
    assert len(skin.data.vertices) == half < whole
    skeleton = done.info.skeleton
    assert skeleton.joints[skeleton.joint_names.index("shin.R_tip")].mirror >= 0


def test_shape_keys_stay_out(made, plain):
    skin = made.meshes[0]
    skin.shape_key_add(name="Basis")
    key = skin.shape_key_add(name="Big")
    for point in key.data:
        point.co *= 2
    key.value = 1.0
    done = adopted(found())
    assert "shape-keys" in codes(done)
    assert same_skeleton(plain, done.info.skeleton)
    assert skin.data.shape_keys.key_blocks["Big"].value == 1.0
    skin.modifiers.new("Subdivision", "SUBSURF").levels = 1
    assert same_skeleton(plain, adopted(found()).info.skeleton, 0.01)


@pytest.mark.parametrize("mode", ["XYZ", "ZXY", "AXIS_ANGLE", "QUATERNION"])
def test_clips_are_read_whatever_the_rotation_mode(made, mode):
    bone = made.armature.pose.bones["shin.L"]
    bone.rotation_mode = mode
    turn = Euler((0.5, 0.2, -0.1)).to_quaternion()
    action = bpy.data.actions.new("Kick")
    made.armature.animation_data_create().action = action
    for frame, amount in ((1, 0.0), (9, 1.0)):
        bone.matrix_basis = Matrix.Identity(3).to_quaternion().slerp(turn, amount).to_matrix().to_4x4()
        channel = {"AXIS_ANGLE": "rotation_axis_angle", "QUATERNION": "rotation_quaternion"}
        bone.keyframe_insert(channel.get(mode, "rotation_euler"), frame=frame)
    done = adopted(found())
    motion = done.clips["Kick"]
    index = done.info.skeleton.bone_index("shin.L")
    angle = 2 * np.degrees(np.arccos(np.clip(np.abs(motion.quats[-1, index, 0]), 0, 1)))
    assert angle == pytest.approx(np.degrees(turn.angle), abs=0.05)
    assert bone.rotation_mode == mode
    assert made.armature.animation_data.action == action


def test_fbx_with_leaf_bones_and_centimetres(made, plain, tmp_path, outcome):
    path = tmp_path / "small.fbx"
    bpy.ops.export_scene.fbx(
        filepath=str(path), object_types={"ARMATURE", "MESH"}, add_leaf_bones=True, global_scale=1.0
    )
    bpy.ops.anymove.adopt_rig(filepath=str(path), creature=str(tmp_path / "small"), height_cm=45)
    assert outcome().code == 0, outcome().message
    info = RigInfo.load(tmp_path / "small" / "rigged" / "rig_info.json")
    assert sorted(info.skeleton.bone_names) == NAMES
    assert any(name.endswith("_end") for name in info.source["left_out"])
    assert same_skeleton(plain, info.skeleton, 0.01)


@pytest.mark.parametrize("how", ["linked", "override"])
def test_linked_and_overridden_rigs(made, plain, tmp_path, outcome, how):
    box = bpy.data.collections.new("creature")
    bpy.context.scene.collection.children.link(box)
    for item in (made.armature, made.meshes[0]):
        box.objects.link(item)
        bpy.context.scene.collection.objects.unlink(item)
    library = tmp_path / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(library))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
        wanted.collections = ["creature"]
    empty = bpy.data.objects.new("creature", None)
    empty.instance_type, empty.instance_collection = "COLLECTION", wanted.collections[0]
    bpy.context.scene.collection.objects.link(empty)
    if how == "override":
        wanted.collections[0].override_hierarchy_create(
            bpy.context.scene, bpy.context.view_layer, reference=empty
        )
    shot = tmp_path / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(shot))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.anymove.adopt_rig(filepath=str(shot), creature=str(tmp_path / "small"), height_cm=45)
    assert outcome().code == 0, outcome().message
    info = RigInfo.load(tmp_path / "small" / "rigged" / "rig_info.json")
    assert same_skeleton(plain, info.skeleton)


def test_the_frame_rate_comes_from_the_file(made, tmp_path):
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = 30, 1.001
    bone = made.armature.pose.bones["neck"]
    made.armature.animation_data_create().action = bpy.data.actions.new("Nod")
    for frame in (1, 5):
        bone.keyframe_insert("rotation_quaternion", frame=frame)
    path = tmp_path / "ntsc.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    with pytest.raises(BadInput, match="this file is open"), importing.opened(path):
        pass
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    scenes = len(bpy.data.scenes)
    with importing.opened(path) as imported:
        rig = source.find(imported.scene, "ntsc", imported.actions)
        report = doctor.diagnose(rig, adopt.Options("small"))
    assert len(bpy.data.scenes) == scenes
    assert report.known.tracks["Nod"].fps == pytest.approx(29.97, abs=1e-3)
    assert "fps-base" in {finding.code for finding in report.findings}


def test_nothing_that_a_file_brings_stays(made, tmp_path):
    """Particles, texts, sounds-to-be: whatever kind of data a scene holds goes again with it."""
    made.meshes[0].modifiers.new("Hair", "PARTICLE_SYSTEM")
    made.meshes[0].data.materials.append(bpy.data.materials.new("fur"))
    curve = bpy.data.objects.new("sign", bpy.data.curves.new("sign", "FONT"))
    ball = bpy.data.objects.new("ball", bpy.data.metaballs.new("ball"))
    for item in (curve, ball):
        bpy.context.scene.collection.objects.link(item)
    bpy.context.scene.world = bpy.data.worlds.new("sky")
    path = tmp_path / "full.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)

    def counts():
        kinds = [p.identifier for p in bpy.data.bl_rna.properties if p.type == "COLLECTION"]
        return {kind: len(getattr(bpy.data, kind)) for kind in kinds}

    before = counts()
    with importing.opened(path) as imported:
        assert counts()["particles"] > before["particles"]
        assert source.find(imported.scene, "full", imported.actions).meshes
    assert counts() == before
