# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What bone names hint at. Names mislead, so nothing here decides alone. Pure Python."""

from __future__ import annotations

import re

HEAD = {
    *("head", "skull", "face", "neck", "jaw", "mouth", "tongue", "tooth", "teeth", "beak", "nose", "snout"),
    *("eye", "eyes", "ear", "ears", "horn", "antler", "antenna"),
}
TAIL = {"tail", "tailbone", "sting", "stinger", "abdomen", "rump", "hip", "hips", "pelvis"}
FRONT = {"front", "fore"}
REAR = {"back", "hind", "rear"}
LIMB = {"leg", "foot", "paw", "hoof", "toe", "arm", "hand"}
_TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def tokens(name: str) -> list[str]:
    """Words of a name in small letters: "b_FrontLeg2.L" -> b, front, leg, l."""
    return [word.lower() for word in _TOKEN.findall(name)]


def side(name: str) -> str:
    """L, R or empty, as the name says it: foot.L, L_foot, LeftFoot, foot_left."""
    words = set(tokens(name))
    left, right = bool(words & {"l", "left"}), bool(words & {"r", "right"})
    return "" if left == right else "L" if left else "R"


def is_head(name: str) -> bool:
    return bool(HEAD & set(tokens(name)))


def is_tail(name: str) -> bool:
    return bool(TAIL & set(tokens(name)))


def is_front_limb(name: str) -> bool:
    words = set(tokens(name))
    return bool(words & FRONT and words & LIMB)


def is_rear_limb(name: str) -> bool:
    words = set(tokens(name))
    return bool(words & REAR and words & LIMB)
