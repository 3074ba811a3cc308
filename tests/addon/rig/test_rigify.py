# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs that Rigify generates: hundreds of controls and mechanisms around the deform bones."""

from __future__ import annotations

import bpy
import pytest
import rigify_rigs
from anymove.mocap.rig_info import RigInfo

pytestmark = pytest.mark.bpy

LIMBS = {
    "human": {"spine", "neck", "head", "arm.L", "arm.R", "leg.L", "leg.R", "finger1.L"},
    "wolf": {"spine", "neck", "head", "jaw", "tail", "ear.L", "leg1.L", "leg2.R", "toe1.L"},
    "horse": {"spine", "neck", "head", "jaw", "tail", "leg1.L", "leg2.L"},
    "bird": {"spine", "neck", "head", "tail", "wing.L", "wing.R", "leg.L"},
    "cat": {"spine", "neck", "head", "tail", "ear.L", "leg1.R", "leg2.L"},
    "shark": {"spine", "head", "jaw", "tail", "fin1.L", "fin1.R"},
}


@pytest.mark.parametrize("name", LIMBS)
def test_rigify_rig_is_one_skeleton_of_deform_bones(name, tmp_path, outcome):
    path = rigify_rigs.generate(name, tmp_path / f"{name}.blend")
    home = tmp_path / name
    bpy.ops.anymove.adopt_rig(filepath=str(path), creature=str(home))
    assert outcome().code == 0
    info = RigInfo.load(home / "rigged" / "rig_info.json")
    skeleton = info.skeleton
    assert all(bone.startswith("DEF-") for bone in skeleton.bone_names)
    assert len(info.source["left_out"]) > 2 * len(skeleton.bones)
    assert {limb.name for limb in skeleton.limbs} >= LIMBS[name]
    assert info.source["facing"] == "-Y"
    codes = {finding["code"] for finding in info.source["findings"]}
    assert "constraints" in codes
    assert "no-partner" not in codes
    parents = {b.name: skeleton.bones[b.parent].name for b in skeleton.bones if b.parent >= 0}
    for bone, above in {
        "human": {"DEF-forearm.L": "DEF-upper_arm.L.001", "DEF-shoulder.R": "DEF-spine.003"},
        "wolf": {"DEF-front_shin.L": "DEF-front_thigh.L.001"},
        "shark": {"DEF-top_fin": "DEF-spine.004"},
    }.get(name, {}).items():
        assert parents[bone] == above
