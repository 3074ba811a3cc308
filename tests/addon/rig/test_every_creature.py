# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every real rig that we have, adopted without a setting: limbs, pairs, facing, exact kinematics."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from anymove.addon.rig import adopt as adopting
from anymove.addon.rig import creature, importing, rig_files, sample, source
from anymove.addon.rig.adopt import adopt as adopted_by
from anymove.mocap.creature import Creature
from anymove.mocap.motion import Motion

pytestmark = pytest.mark.bpy

ROOT = Path(__file__).resolve().parents[3]

LIMBS = {
    "Wolf": "spine neck head tail ear leg1 leg2",
    "Stag": "spine neck head tail leg1 leg2",
    "KhronosFox": "spine neck head tail leg1 leg2",
    "Frog": "spine neck head leg1 leg2",
    "Spider": "body head tail leg1 leg2 leg3 leg4",
    "Wasp": "spine head tail leg1 leg2 leg3 wing",
    "Snake": "spine head jaw tail",
    "Shark": "spine head tail fin",
    "Trex": "spine neck head tail arm leg",
    "Velociraptor": "spine neck head tail arm leg",
    "Punk": "spine neck head arm finger1 finger2 finger3 finger4 finger5 leg",
}
HEADS = {"Wolf": "Head", "Stag": "Head", "KhronosFox": "b_Head_05", "Snake": "Mouth", "Shark": "Face"}
FEET = {
    "Wolf": ("leg1.L", "FF.L"),
    "Stag": ("leg2.R", "FFB.R"),
    "Spider": ("leg1.R", "FrontFoot2.R"),
    "Trex": ("leg.L", "BackFoot.L"),
    "Frog": ("leg1.R", "FrontFoot.R"),
}
HORNS = "Stag_Horns"
SHIPPED = {
    "wolf": "spine neck head tail leg1 leg2 ear",
    "spider": "body head tail leg1 leg2 leg3 leg4",
    "dragon": "spine neck head jaw tail wing leg1 leg2",
    "demon": "spine neck head tail wing arm leg",
}


@pytest.mark.parametrize("name", LIMBS)
def test_limbs_are_named_by_what_they_are(adopt, name):
    info = adopt(name).info
    skeleton = info.skeleton
    found = [limb.name.removesuffix(".L") for limb in skeleton.limbs if limb.side != "R"]
    assert found == LIMBS[name].split()
    for limb in skeleton.limbs:
        assert (limb.mirror >= 0) == bool(limb.side)
    bones = {limb.name: [skeleton.bones[b].name for b in limb.bones] for limb in skeleton.limbs}
    assert HEADS.get(name, "Head") in bones["head"]
    if name in FEET:
        limb, foot = FEET[name]
        assert bones[limb][-1] == foot
    # Bones run from the body outwards, each on the one before where it is a plain chain.
    for limb in skeleton.limbs:
        if limb.kind in ("leg", "arm", "tail") and len(limb.bones) > 1:
            assert all(skeleton.bones[b].parent in limb.bones for b in limb.bones[1:])


@pytest.mark.parametrize("name", LIMBS)
def test_left_is_left_and_legs_are_in_order(adopt, name):
    info = adopt(name).info
    skeleton = info.skeleton
    assert info.source["facing"] == ("+X" if name == "Wasp" else "-Y")
    for limb in skeleton.limbs:
        if limb.side:
            middle = skeleton.heads[list(limb.bones)].mean(0)
            assert (middle[0] > 0) == (limb.side == "L")
    legs = [limb for limb in skeleton.limbs if limb.kind == "leg" and limb.side == "L"]
    along = [skeleton.heads[limb.bones[0]][1] for limb in legs]
    assert along == sorted(along)
    head = next(limb for limb in skeleton.limbs if limb.kind == "head")
    tail = [limb for limb in skeleton.limbs if limb.kind == "tail"]
    if tail:
        ends = skeleton.heads[head.bones[0]], skeleton.heads[tail[0].bones[-1]]
        assert ends[0][1] < ends[1][1]


@pytest.mark.parametrize("name", LIMBS)
def test_kinematics_equal_blenders_pose_on_every_clip(adopt, creatures, name):
    """Bones that no clip stretches are exact to a thousandth of the height; the others are told."""
    rig = adopt(name)
    info, skeleton = rig.info, rig.info.skeleton
    with importing.opened(creatures / f"{name}.glb") as imported:
        found = source.find(imported.scene, name, imported.actions)
        tracks = sample.clips(found)
        names = [bone.name for bone in found.armature.data.bones]
    to_clean = np.array(info.source["to_clean"])
    stretched = {f["subject"] for f in info.source["findings"] if f["code"] == "stretch"}
    sound = ~(skeleton.ancestors & np.isin(skeleton.bone_names, list(stretched))).any(1)
    assert sound.sum() >= 3
    columns = [names.index(bone) for bone in skeleton.bone_names]
    assert set(tracks) == set(info.clips)
    for clip, track in tracks.items():
        motion = Motion.load(rig.home / "rigged" / "clips" / f"{clip}.json")
        theirs = track.heads[:, columns] @ to_clean[:3, :3].T + to_clean[:3, 3]
        error = np.linalg.norm(motion.pose(skeleton).heads - theirs, axis=-1)
        assert error[:, sound].max() < 1e-3 * skeleton.height, clip


def test_a_control_root_is_no_joint(adopt):
    for name in ("Trex", "Velociraptor", "Frog"):
        skeleton = adopt(name).info.skeleton
        assert "root" not in skeleton.bone_names
        assert skeleton.bones[0].name not in skeleton.joint_names


def test_antlers_on_a_bone_belong_to_the_stag(adopt):
    info = adopt("Stag").info
    assert HORNS in info.source["meshes"]
    found = [f for f in info.source["findings"] if f["subject"] == HORNS]
    assert any("follows bone Head" in f["message"] for f in found)
    tip = info.skeleton.joint_points[info.skeleton.joint_names.index("Head_tip")]
    assert abs(tip[0]) < 0.03 * info.skeleton.height


@pytest.mark.parametrize("name", SHIPPED)
def test_our_own_creatures_are_understood_without_being_told(name):
    """Built from their definition, adopted without its limbs: shape and place tell the same."""
    made = Creature.load(ROOT / "assets" / name / "creature.json")
    with rig_files.workbench("build") as scene:
        built = creature.build(scene, made)
        assert len(built.meshes[0].data.polygons) < 12000
        bare = [v.index for v in built.meshes[0].data.vertices if not v.groups]
        assert len(bare) < 0.02 * len(built.meshes[0].data.vertices)
        with rig_files.workbench("clean") as clean:
            info = adopted_by(clean, built, adopting.Options(name, height_cm=made.height_cm)).info
    found = {limb.name.removesuffix(".L").removesuffix(".R") for limb in info.skeleton.limbs}
    assert found >= set(SHIPPED[name].split())
    assert info.source["facing"] == "-Y"
    assert not [f for f in info.source["findings"] if f["severity"] != "note"]
