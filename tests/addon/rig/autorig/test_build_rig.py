# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigging meshes without armature: a real creature whose rig was taken away, and small made-up bodies."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
from anymove.addon.rig import importing
from anymove.addon.rig.autorig import bind, which
from anymove.addon.studio import stage
from anymove.mocap import files, poses
from anymove.mocap.rig_info import RigInfo

from tests.mocap.fitting import shapes

pytestmark = pytest.mark.bpy

ROOT = Path(__file__).resolve().parents[4]


def write_blend(path: Path, *meshes: shapes.Mesh) -> Path:
    """A file with one object per mesh."""
    objects = set()
    for number, (points, triangles) in enumerate(meshes):
        mesh = bpy.data.meshes.new(f"body{number}")
        mesh.from_pydata(points.tolist(), [], triangles.tolist())
        objects.add(bpy.data.objects.new(f"body{number}", mesh))
    bpy.data.libraries.write(str(path), objects, fake_user=True)
    bpy.data.batch_remove(list(objects))
    return path


def build(path: Path, home: Path, **options) -> RigInfo:
    bpy.ops.anymove.build_rig(filepath=str(path), creature=str(home), **options)
    return RigInfo.load(home / "rigged" / "rig_info.json")


def joints(info: RigInfo) -> dict[str, np.ndarray]:
    return {name: np.array(entry["point"]) for name, entry in info.source["autorig"]["joints"].items()}


@pytest.fixture(scope="module")
def beast(tmp_path_factory) -> Path:
    """A small four-legged body in one object."""
    return write_blend(tmp_path_factory.mktemp("beast") / "beast.blend", shapes.quadruped())


@pytest.fixture(scope="module")
def rigged_once() -> dict[str, Path]:
    return {}


@pytest.fixture
def beast_rig(beast, rigged_once, tmp_path_factory) -> Path:
    """Made once for the module (inside a test, where the operators are there); tests copy it."""
    if "home" not in rigged_once:
        home = tmp_path_factory.mktemp("assets") / "assets" / "beast"
        build(beast, home)
        rigged_once["home"] = home
    return rigged_once["home"]


@pytest.fixture
def home(beast_rig, tmp_path) -> Path:
    copy = tmp_path / "assets" / "beast"
    shutil.copytree(beast_rig, copy)
    return copy


@pytest.mark.e2e
@pytest.mark.rigs
def test_wolf_without_its_armature(adopt, tmp_path, outcome):
    theirs = adopt("Wolf")
    bare = tmp_path / "bare.blend"
    with bpy.data.libraries.load(str(theirs.blend), link=False) as (stored, wanted):
        wanted.objects = stored.objects
    meshes = {item for item in wanted.objects if item.type == "MESH"}
    for item in meshes:
        item.modifiers.clear()
        item.vertex_groups.clear()
        item.parent = None
    bpy.data.libraries.write(str(bare), meshes, fake_user=True)
    before = files.digest_file(bare)

    info = build(bare, tmp_path / "assets" / "wolf")
    assert files.digest_file(bare) == before
    assert "quadruped (two pairs of feet on the ground)" in outcome().message
    assert "weights: heat" in outcome().message
    reference = {bone.name: np.array(bone.head) for bone in theirs.info.skeleton.bones}
    pairs = {
        "hips": "Back", "neck1": "Neck1", "head": "Head", "forearm.L": "FrontLowerLeg.L", "hock.R": "BackLowerLeg.R",
        "thigh.L": "BackLeg.L", "hind_paw.R": "IKBackLeg.R", "front_paw.L": "IKFrontLeg.L",
    }  # fmt: skip
    found = joints(info)
    errors = [np.linalg.norm(found[a] - reference[b]) / info.skeleton.height for a, b in pairs.items()]
    assert np.mean(errors) < 0.06
    assert [limb.name for limb in info.skeleton.limbs][:4] == ["spine", "neck", "head", "tail"]
    assert info.skeleton.limbs[4].kind == "leg"
    assert stretch(tmp_path / "assets" / "wolf") < 2.0


def stretch(home: Path) -> float:
    """99th percentile of edge stretch over random poses, by Blender's own deformation."""
    from anymove.addon.motion import pose

    info = RigInfo.load(home / "rigged" / "rig_info.json")
    ratios = []
    with stage.opened(home / "rigged" / "rigged.blend", info) as opened:
        for index in range(10):
            drawn = poses.random_pose(info.skeleton, poses.sample_rng(3, index))
            pose.set_pose(opened.rig, info.skeleton, drawn.root, drawn.quats)
            opened.update()
            layer = opened.scene.view_layers[0]
            for item in opened.meshes:
                edges = np.array([edge.vertices[:] for edge in item.data.edges])
                rest = np.array([v.co[:] for v in item.data.vertices])
                moved = np.array([v.co[:] for v in item.evaluated_get(layer.depsgraph).data.vertices])
                long = np.linalg.norm(rest[edges[:, 0]] - rest[edges[:, 1]], axis=1)
                now = np.linalg.norm(moved[edges[:, 0]] - moved[edges[:, 1]], axis=1)
                ratios.append((now / long)[long > 0.002 * info.skeleton.height])
    return float(np.percentile(np.concatenate(ratios), 99))


def test_vertices_that_coincide_get_the_same_weights(beast_rig):
    info = RigInfo.load(beast_rig / "rigged" / "rig_info.json")
    with stage.opened(beast_rig / "rigged" / "rigged.blend", info) as opened:
        (mesh,) = opened.meshes
        for vertex in mesh.data.vertices:
            assert sum(g.weight for g in vertex.groups) == pytest.approx(1, abs=1e-3)


def split(mesh: shapes.Mesh) -> shapes.Mesh:
    """Every triangle with vertices of its own, as importers leave flat-shaded meshes."""
    points, triangles = mesh
    return points[triangles.ravel()], np.arange(3 * len(triangles)).reshape(-1, 3)


def test_a_mesh_split_at_every_edge_does_not_come_apart(tmp_path):
    path = write_blend(tmp_path / "split.blend", split(shapes.quadruped()))
    info = build(path, tmp_path / "assets" / "split", template="quadruped")
    with stage.opened(tmp_path / "assets" / "split" / "rigged" / "rigged.blend", info) as opened:
        (mesh,) = opened.meshes
        table = {}
        for vertex in mesh.data.vertices:
            key = tuple(np.round(np.array(vertex.co) / info.skeleton.height, 4))
            weights = sorted((g.group, round(g.weight, 4)) for g in vertex.groups)
            assert table.setdefault(key, weights) == weights


@pytest.mark.parametrize("failing", [("heat",), ("heat", "heat on a remesh")])
def test_where_heat_fails_another_way_is_taken_and_named(beast, tmp_path, monkeypatch, outcome, failing):
    ways = dict(bind._WAYS)
    for way in failing:
        ways[way] = lambda *_: (np.empty(0), "no solution, as told")
    monkeypatch.setattr(bind, "_WAYS", ways)
    info = build(beast, tmp_path / "assets" / "beast")
    expected = next(way for way in bind.WAYS if way not in failing)
    assert info.source["weights"] == expected
    assert f"weights: {expected} (heat: no solution, as told" in outcome().message
    assert stretch(tmp_path / "assets" / "beast") < 2.0


def test_a_body_in_pieces_is_bound_as_one(tmp_path, outcome):
    """Each part an object of its own, and a bead on the nose."""
    trunk = shapes.tube(
        [(0, 0.85, 1.05), (0, 0.6, 1.05), (0, -0.6, 1.05), (0, -0.85, 1.1)], [0.2, 0.28, 0.28, 0.2]
    )
    legs = [
        part
        for leg in (shapes.FRONT_LEG, shapes.HIND_LEG)
        for part in shapes.both(list(leg.values()), [0.14, 0.1, 0.07, 0.06, 0.05][: len(leg)])
    ]
    neck = shapes.tube([(0, -0.75, 1.1), (0, -1.1, 1.45), (0, -1.5, 1.4)], [0.16, 0.14, 0.08])
    bead = shapes.box([-0.03, -1.54, 1.4], [0.03, -1.48, 1.46])
    path = write_blend(tmp_path / "parts.blend", trunk, neck, bead, *legs)
    info = build(path, tmp_path / "assets" / "parts", template="quadruped")
    assert "1 loose parts ride" in outcome().message
    assert "not found: tail, ear" in outcome().message
    with stage.opened(tmp_path / "assets" / "parts" / "rigged" / "rigged.blend", info) as opened:
        bead_mesh = next(item for item in opened.meshes if len(item.data.vertices) == 8)
        rows = {tuple((g.group, round(g.weight, 3)) for g in v.groups) for v in bead_mesh.data.vertices}
        assert len(rows) == 1
        names = {bead_mesh.vertex_groups[g].name for g, _ in rows.pop()}
        assert "head" in names


def test_landmarks_are_met_on_both_sides(beast, tmp_path, outcome):
    info = build(beast, tmp_path / "assets" / "beast", landmarks="shin.L=0.21,0.45,0.6 head=0,-1.2,1.44")
    to_clean = np.array(info.source["to_clean"])
    found = joints(info)
    for name, place in (("shin.L", (0.21, 0.45, 0.6)), ("head", (0, -1.2, 1.44))):
        wanted = to_clean[:3, :3] @ place + to_clean[:3, 3]
        assert np.abs(found[name] - wanted).max() < 1e-3
    bones = {bone.name: np.array(bone.head) for bone in info.skeleton.bones}
    assert np.abs(bones["shin.L"] - found["shin.L"]).max() < 1e-4
    assert np.abs(bones["shin.R"] * [-1, 1, 1] - bones["shin.L"]).max() < 0.05
    assert "landmarks: head, shin.L, shin.R" in outcome().message.replace("shin.L, head", "head, shin.L")


def move_bone(blend: Path, name: str, offset: tuple, which_end: str = "head") -> None:
    """What a user does: open rigged.blend, move a joint in edit mode, save."""
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    scene = next(scene for scene in bpy.data.scenes if "Anymove" in scene.name)
    bpy.context.window.scene = scene
    rig = next(item for item in scene.objects if item.type == "ARMATURE")
    scene.view_layers[0].objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bone = rig.data.edit_bones[name]
    place = np.array(getattr(bone, which_end)) + offset
    setattr(bone, which_end, place)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.read_factory_settings(use_empty=True)


def test_joints_moved_by_hand_are_kept(beast, home, outcome):
    before = joints(RigInfo.load(home / "rigged" / "rig_info.json"))
    build(beast, home)
    assert "up to date" in outcome().message
    move_bone(home / "rigged" / "rigged.blend", "shin.L", (0.0, -0.05, 0.04))

    info = build(beast, home)
    after = joints(info)
    assert "kept: shin.L" in outcome().message
    assert (home / "rigged.1" / "rigged.blend").exists()
    assert np.abs(after["shin.L"] - before["shin.L"] - [0, -0.05, 0.04]).max() < 1e-3
    bones = {bone.name: np.array(bone.head) for bone in info.skeleton.bones}
    assert np.abs(bones["shin.L"] - after["shin.L"]).max() < 1e-4
    assert np.abs(after["head"] - before["head"]).max() < 1e-4
    assert np.abs(after["shin.R"] - before["shin.R"]).max() < 0.1

    # Once more: what was kept stays kept, and nothing is made anew.
    build(beast, home)
    assert "up to date" in outcome().message
    move_bone(home / "rigged" / "rigged.blend", "hind_paw.R", (0.0, 0.0, -0.05), "tail")
    again = joints(build(beast, home))
    assert "kept: shin.L, hind_paw.R_tip" in outcome().message
    assert np.abs(again["shin.L"] - after["shin.L"]).max() < 1e-3


def test_a_landmark_given_later_is_newer_than_a_kept_joint(beast, home, outcome):
    move_bone(home / "rigged" / "rigged.blend", "head", (0.0, -0.05, 0.04))
    move_bone(home / "rigged" / "rigged.blend", "shin.L", (0.0, -0.05, 0.04))
    build(beast, home)
    kept = joints(RigInfo.load(home / "rigged" / "rig_info.json"))
    info = build(beast, home, landmarks="shin.L=0.2,0.5,0.62", replace=True)
    assert info.source["autorig"]["joints"]["shin.L"]["source"] == "landmark"
    assert info.source["autorig"]["joints"]["head"]["source"] == "kept"
    assert np.abs(joints(info)["head"] - kept["head"]).max() < 1e-3
    move_bone(home / "rigged" / "rigged.blend", "shin.L", (0.0, 0.0, 0.03))
    again = build(beast, home, landmarks="shin.L=0.2,0.5,0.62")
    assert again.source["autorig"]["joints"]["shin.L"]["source"] == "kept"
    assert joints(again)["shin.L"][2] - joints(info)["shin.L"][2] == pytest.approx(0.03, abs=1e-3)


def test_a_bone_that_is_gone_is_not_made_again_in_silence(beast, home, outcome):
    blend = home / "rigged" / "rigged.blend"
    record = json.loads((home / "rigged" / "rig_info.json").read_text())
    record["source"]["autorig"]["bones"]["third_eye"] = [[0, 0, 0], [0, 0, 1]]
    files.write_json(home / "rigged" / "rig_info.json", record)
    with pytest.raises(RuntimeError, match=r"bone third_eye is gone"):
        build(beast, home)
    assert outcome().code == 2
    assert blend.exists()


def test_selected_meshes_are_rigged_and_stay_as_they_are(tmp_path):
    points, triangles = shapes.quadruped()
    mesh = bpy.data.meshes.new("mine")
    mesh.from_pydata(points.tolist(), [], triangles.tolist())
    mine = bpy.data.objects.new("mine", mesh)
    bpy.context.scene.collection.objects.link(mine)
    mine.select_set(True)
    counts = [len(getattr(bpy.data, kind)) for kind in ("objects", "meshes", "armatures", "scenes")]
    bpy.ops.anymove.build_rig(creature=str(tmp_path / "assets" / "mine"), template="quadruped")
    assert [len(getattr(bpy.data, kind)) for kind in ("objects", "meshes", "armatures", "scenes")] == counts
    assert not mine.vertex_groups
    assert not mine.modifiers
    assert (tmp_path / "assets" / "mine" / "rigged" / "rigged.blend").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"landmarks": "knee.L=1,2,3"}, "quadruped has no such joint; it has hips, spine, chest"),
        ({"landmarks": "shin.L=1,2"}, "not of the form NAME=x,y,z"),
        ({"template": "winged"}, "winged: no pair of wings found"),
        ({"facing": "+X"}, "pass --template"),
        ({"template": "biped", "leg_pairs": 3}, "only insect and spider"),
        ({"leg_pairs": 3}, "pass --template insect or spider"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(beast, tmp_path, outcome, options, words):
    with pytest.raises(RuntimeError):
        build(beast, tmp_path / "assets" / "beast", **options)
    assert outcome().code == 2
    assert words in outcome().message
    assert not (tmp_path / "assets").exists()


def test_a_file_without_meshes_and_an_empty_selection(tmp_path, outcome):
    empty = tmp_path / "empty.blend"
    bpy.data.libraries.write(str(empty), {bpy.data.objects.new("nothing", None)}, fake_user=True)
    with pytest.raises(RuntimeError, match="no mesh with faces"):
        build(empty, tmp_path / "assets" / "x")
    with pytest.raises(RuntimeError, match="no mesh is selected"):
        bpy.ops.anymove.build_rig(creature=str(tmp_path / "assets" / "x"))
    assert outcome().code == 2


def test_a_file_with_an_armature_is_adopted_one_without_is_rigged(beast, beast_rig):
    assert which.operator_for(beast) == "build_rig"
    assert which.operator_for(beast_rig / "rigged" / "rigged.blend") == "adopt_rig"
    assert which.operator_for(Path("/nowhere/x.glb")) == "adopt_rig"
    with importing.opened(beast) as imported:
        assert len(imported.scene.objects) == 1


@pytest.mark.parametrize(
    ("file", "option", "code", "words"),
    [
        ("mesh", "--template=quadruped", 0, "quadruped (asked for)"),
        ("mesh", "--hold-out=Walk", 2, "--hold-out: the file has no armature"),
        ("rig", "--template=quadruped", 2, "--template: the file has an armature"),
    ],
)
def test_the_script_takes_either(beast, beast_rig, tmp_path, file, option, code, words):
    path = beast if file == "mesh" else beast_rig / "rigged" / "rigged.blend"
    done = subprocess.run(
        [
            sys.executable, str(ROOT / "tools/kit/play_blender.py"), "-b", "-P",
            str(ROOT / "blender_scripts/rig_creature.py"), "--", str(tmp_path / "assets/x"), str(path), option,
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code
    assert words in done.stdout + done.stderr
    # Blender 5.2 prints which colour configuration it uses before any script runs.
    lines = (done.stdout + done.stderr).strip().splitlines()
    assert len([line for line in lines if "color_management" not in line]) == 1
