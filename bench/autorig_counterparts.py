# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Which bone of an artist's rig starts at the same anatomical joint as which bone of a template.

Only joints whose meaning is plain in both are compared; ``_tip`` is the end of a bone without children. The
left side is listed; the right one follows from the artist's naming.
"""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    template: str
    facing: str
    joints: dict[str, str]
    """Joint of the template -> joint of the artist's rig."""


def _both(pairs: dict[str, str], renamed: dict[str, str] | None = None) -> dict[str, str]:
    """Add the right side: .L becomes .R, except where ``renamed`` says otherwise."""
    out = dict(pairs)
    for ours, theirs in pairs.items():
        if ".L" in ours:
            out[ours.replace(".L", ".R")] = (renamed or {}).get(theirs, theirs.replace(".L", ".R"))
    return out


_QUATERNIUS_LEGS = {
    "upper_arm.L": "FrontUpperLeg.L",
    "forearm.L": "FrontLowerLeg.L",
    "front_paw.L": "IKFrontLeg.L",
    "front_paw.L_tip": "FF.L_tip",
    "thigh.L": "BackLeg.L",
    "shin.L": "BackUpperLeg.L",
    "hock.L": "BackLowerLeg.L",
    "hind_paw.L": "IKBackLeg.L",
    "hind_paw.L_tip": "FFB.L_tip",
}
_WOLF = {
    "hips": "Back",
    "neck1": "Neck1",
    "head": "Head",
    "head_tip": "Head_tip",
    "tail1": "Tail1",
    **_QUATERNIUS_LEGS,
}
_FOX = {
    "hips": "b_Hip_01",
    "neck1": "b_Neck_04",
    "head": "b_Head_05",
    "head_tip": "b_Head_05_tip",
    "tail1": "b_Tail01_012",
    "tail4_tip": "b_Tail03_014_tip",
    "upper_arm.L": "b_LeftUpperArm_09",
    "forearm.L": "b_LeftForeArm_010",
    "front_paw.L": "b_LeftHand_011",
    "front_paw.L_tip": "b_LeftHand_011_tip",
    "thigh.L": "b_LeftLeg01_015",
    "shin.L": "b_LeftLeg02_016",
    "hock.L": "b_LeftFoot01_017",
    "hind_paw.L": "b_LeftFoot02_018",
    "hind_paw.L_tip": "b_LeftFoot02_018_tip",
}
_FOX_RIGHT = {
    "b_LeftUpperArm_09": "b_RightUpperArm_06",
    "b_LeftForeArm_010": "b_RightForeArm_07",
    "b_LeftHand_011": "b_RightHand_08",
    "b_LeftHand_011_tip": "b_RightHand_08_tip",
    "b_LeftLeg01_015": "b_RightLeg01_019",
    "b_LeftLeg02_016": "b_RightLeg02_020",
    "b_LeftFoot01_017": "b_RightFoot01_021",
    "b_LeftFoot02_018": "b_RightFoot02_022",
    "b_LeftFoot02_018_tip": "b_RightFoot02_022_tip",
}
_PUNK = {
    "hips": "Hips",
    "neck": "Neck",
    "head": "Head",
    "head_tip": "Head_tip",
    "clavicle.L": "Shoulder.L",
    "upper_arm.L": "UpperArm.L",
    "forearm.L": "LowerArm.L",
    "hand.L": "Hand.L",
    "hand.L_tip": "Middle4.L_tip",
    "thigh.L": "UpperLeg.L",
    "shin.L": "LowerLeg.L",
    "foot.L": "Foot.L",
    "foot.L_tip": "Foot.L_tip",
}
_DINOSAUR = {
    "hips": "Hips",
    "neck1": "Shoulders",
    "neck2": "Neck",
    "head": "Head",
    "head_tip": "Head_tip",
    "tail1": "Tail1",
    "tail5_tip": "Tail5_tip",
    "upper_arm.L": "FrontUpLeg.L",
    "forearm.L": "FrontLowLeg.L",
    "hand.L": "FrontFoot.L",
    "hand.L_tip": "FrontFoot.L_tip",
    "thigh.L": "BackUpLeg.L",
    "hock.L": "BackLowLeg.L",
    "hind_paw.L": "BackFoot.L",
    "hind_paw.L_tip": "BackFoot.L_tip",
}
_FROG = {
    "hips": "Hips",
    "neck1": "Neck",
    "head": "Head",
    "head_tip": "Head_tip",
    "upper_arm.L": "FrontUpLeg.L",
    "forearm.L": "FrontLowLeg.L",
    "front_paw.L": "FrontFoot.L",
    "front_paw.L_tip": "FrontFoot.L_tip",
    "thigh.L": "BackLeg.L",
    "shin.L": "BackUpLeg.L",
    "hock.L": "BackLowLeg.L",
    "hind_paw.L": "BackFoot.L",
    "hind_paw.L_tip": "BackFoot.L_tip",
}


def _spider() -> dict[str, str]:
    out = {"head": "Head", "abdomen1": "Abdomen"}
    for number, name in enumerate(("Front", "MidFront", "MidBack", "Back"), 1):
        out[f"femur{number}.L"] = f"{name}Leg.L"
        out[f"tibia{number}.L"] = f"{name}Leg2.L"
        out[f"tarsus{number}.L"] = f"{name}Leg3.L"
        out[f"tarsus{number}.L_tip"] = f"{name}Foot.L"
    return out


def _wasp() -> dict[str, str]:
    out = {"head": "Head", "abdomen1": "Abdomen", "abdomen2_tip": "Sting_tip", "wing1a.L": "Wing.L"}
    for number, name in enumerate(("Top", "Mid", "Bottom"), 1):
        out[f"femur{number}.L"] = f"{name}Leg1.L"
        out[f"tibia{number}.L"] = f"{name}Leg2.L"
        out[f"tarsus{number}.L"] = f"{name}Leg3.L"
        out[f"tarsus{number}.L_tip"] = f"{name}Leg3.L_tip"
    return out


CASES = {
    "Wolf": Case(
        "quadruped",
        "-Y",
        _both({**_WOLF, "tail4_tip": "Tail8_tip", "ear.L": "Ear1.L", "ear.L_tip": "Ear4.L_tip"}),
    ),
    "Stag": Case("quadruped", "-Y", _both({**_WOLF, "tail4_tip": "Tail3_tip"})),
    "KhronosFox": Case("quadruped", "-Y", _both(_FOX, _FOX_RIGHT)),
    "Frog": Case("quadruped", "-Y", _both(_FROG)),
    "Punk": Case("biped", "-Y", _both(_PUNK)),
    "Trex": Case("biped_tail", "-Y", _both(_DINOSAUR)),
    "Velociraptor": Case("biped_tail", "-Y", _both(_DINOSAUR)),
    "Spider": Case("spider", "-Y", _both(_spider(), {"FrontFoot.L": "FrontFoot2.R"})),
    "Wasp": Case("insect", "+X", _both(_wasp())),
    "Snake": Case("serpentine", "-Y", {"tail6_tip": "Tail3_tip", "head_tip": "Tongue3_tip"}),
    "Shark": Case(
        "fish",
        "-Y",
        _both(
            {
                "head": "Face",
                "head_tip": "Face_tip",
                "tail3": "Tail",
                "tail3_tip": "Tail_tip",
                "fin.L": "Bone",
                "fin.L_tip": "Bone_tip",
            },
            {"Bone": "Bone.001", "Bone_tip": "Bone.001_tip"},
        ),
    ),
}
