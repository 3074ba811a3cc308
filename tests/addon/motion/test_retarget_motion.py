# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real clips copied to other real rigs, put on these rigs as their files have them, and read again."""

from __future__ import annotations

import bpy
import pytest
from anymove.addon.motion import verify
from anymove.mocap import retarget
from anymove.mocap.motion import Motion
from anymove.mocap.retarget import Mapping

pytestmark = [pytest.mark.bpy, pytest.mark.rigs]

PAIRS = [("Wolf", "KhronosFox", "Gallop"), ("Wolf", "Stag", "Walk"), ("Trex", "Velociraptor", "TRex_Run")]


@pytest.mark.parametrize(("name", "other", "clip"), PAIRS)
def test_copied_clip_plays_on_the_other_rig(adopt, creatures, tmp_path, outcome, name, other, clip):
    source, target = adopt(name), adopt(other)
    path = source.home / "rigged" / "clips" / f"{clip}.json"
    bpy.ops.anymove.retarget_motion(
        source=str(source.info_path),
        motion=str(path),
        target=str(target.info_path),
        output=str(tmp_path / "copy.json"),
        mapping=str(tmp_path / "mapping.json"),
    )
    assert "mapping proposed" in outcome().message
    made, motion = Motion.load(tmp_path / "copy.json"), Motion.load(path)
    mapping = Mapping.load(tmp_path / "mapping.json")
    told = retarget.figures(source.info, motion, target.info, made, mapping)
    assert told["slide_cm_s"] < 0.1
    assert told["sunk_cm"] < 0.1
    assert told["limb_deg"] < 5
    assert set(mapping.bones) == set(target.info.skeleton.bone_names)

    bpy.ops.import_scene.gltf(filepath=str(creatures / f"{other}.glb"))
    rig = next(o for o in bpy.context.scene.objects if o.type == "ARMATURE")
    bpy.context.view_layer.objects.active = rig
    bpy.ops.anymove.apply_to_rig(
        rig_info=str(target.info_path), motion=str(tmp_path / "copy.json"), rate="MOTION"
    )
    every = list(range(made.frames))
    off = verify.off(bpy.context.scene, rig, target.info.skeleton, made, 1, every)
    assert off.worst < 1e-4


def test_wolfs_motion_does_not_fit_the_fox_uncopied(adopt, tmp_path, outcome):
    wolf, fox = adopt("Wolf"), adopt("KhronosFox")
    with pytest.raises(RuntimeError, match="made for another rig"):
        bpy.ops.anymove.retarget_motion(
            source=str(fox.info_path),
            motion=str(wolf.home / "rigged" / "clips" / "Walk.json"),
            target=str(wolf.info_path),
            output=str(tmp_path / "copy.json"),
        )
    assert outcome().code == 2
