# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What a quadruped, a biped, an insect ... consists of. Data only.

A template is a trunk (chains along the curve from the rear end to the head) and limbs that leave it.
Joints carry the names of the bones that start there; the end of a chain is ``<last bone>_tip``. These
are the names of landmarks, too. Fractions say where along its chain a joint is expected; the mesh's own
bends and thin places move it from there (curves.joints).
"""

from __future__ import annotations

from typing import NamedTuple

from ..errors import BadInput


class Station(NamedTuple):
    """A place along the trunk: where ``limb`` leaves it, ``ahead`` (in depths of the trunk there; towards
    the head) of it; without a limb, at ``fraction`` of the way from the rear end to the head."""

    limb: str = ""
    ahead: float = 0.0
    fraction: float = 0.0
    waist: bool = False
    """The thinnest place between ``limb`` and the rear end."""


class TrunkChain(NamedTuple):
    """Bones along the trunk from one station to another ("rear" and "front" are its ends)."""

    bones: tuple[str, ...]
    limbs: tuple[str, ...]
    """The limb each bone belongs to."""
    start: str
    end: str
    fractions: tuple[float, ...]
    """Where the bones after the first start."""
    parent: str | None
    narrow: tuple[int, ...] = ()
    """Bones that start at a thin place (0 is the first of the chain)."""
    optional: bool = False


class LimbChain(NamedTuple):
    """Bones of a pair of limbs, from the trunk to the end."""

    limb: str
    """Its name; the kind is the name without digits (leg, arm, wing, fin, ear)."""
    bones: tuple[str, ...]
    fractions: tuple[float, ...]
    parent: str
    root: str
    """Where the first bone starts: "side" (level with the trunk's middle, over the leg), or "socket" (at
    the trunk's surface, on the limb's centre line)."""
    bends: tuple[int, ...] = ()
    """Which way the joints after the first point by anatomy: -1 forward (knees), 1 backward (elbows,
    heels), 0 either way."""
    collar: str = ""
    """A bone from the trunk's middle to the root."""
    drop: float = 0.0
    """How far a "side" root lies below the trunk's middle, in depths of the trunk there."""
    narrow: tuple[int, ...] = ()
    optional: bool = False

    @property
    def kind(self) -> str:
        return self.limb.rstrip("0123456789")


class Template(NamedTuple):
    name: str
    about: str
    trunk: tuple[TrunkChain, ...]
    """The first chain's first bone is the root."""
    stations: dict[str, Station]
    limbs: tuple[LimbChain, ...]
    lift: float = 0.0
    """How far above the trunk's middle the backbone runs, in depths of the trunk."""
    rear: str = "tail"
    """What the trunk's rear end is: "tail" (an extremity where there is one, else the rump), "crotch" (where
    the ways from the feet to the head meet), or "farthest" (the point of the middle plane that is farthest
    from the head: an abdomen may curl under the body)."""
    front: str = "foremost"
    """Which end is the head: the "foremost", or the "topmost"."""
    airborne: bool = False
    """It may come without a foot on the ground."""


def _numbered(name: str, count: int) -> tuple[str, ...]:
    return tuple(f"{name}{i + 1}" for i in range(count))


def _even(count: int) -> tuple[float, ...]:
    return tuple((i + 1) / count for i in range(count - 1))


def _tail(count: int, parent: str, optional: bool) -> TrunkChain:
    return TrunkChain(
        _numbered("tail", count), ("tail",) * count, "tail", "rear", _even(count), parent, optional=optional
    )


_SPINE = TrunkChain(("hips", "spine", "chest"), ("spine",) * 3, "hips", "neck", (0.33, 0.66), None)
_LONG_NECK = TrunkChain(
    ("neck1", "neck2", "head"), ("neck", "neck", "head"), "neck", "front", (0.27, 0.54), "chest"
)
_EAR = LimbChain("ear", ("ear",), (), "head", "socket", optional=True)
_HIND_LEG = ("thigh", "shin", "hock", "hind_paw")
_HIND_FRACTIONS = (0.25, 0.55, 0.86)
_DIGITIGRADE = (0.28, 0.52, 0.75)
_HIND_BENDS = (-1, 1, 0)
_ARM = ("upper_arm", "forearm", "hand")

QUADRUPED = Template(
    "quadruped",
    "four legs: dog, horse, lizard, frog",
    (_SPINE, _LONG_NECK, _tail(4, "hips", True)),
    {"hips": Station("leg2"), "neck": Station("leg1", 0.55), "tail": Station("leg2", -0.8)},
    (
        LimbChain(
            "leg1",
            ("upper_arm", "forearm", "front_paw"),
            (0.4, 0.81),
            "chest",
            "side",
            (1, 0),
            "scapula",
            0.35,
            (2,),
        ),
        LimbChain("leg2", _HIND_LEG, _HIND_FRACTIONS, "hips", "side", _HIND_BENDS),
        _EAR,
    ),
    lift=0.35,
)

BIPED = Template(
    "biped",
    "two legs and two arms, upright: human, ape, robot",
    (
        _SPINE,
        TrunkChain(("neck", "head"), ("neck", "head"), "neck", "front", (0.2,), "chest", (1,)),
    ),
    {"hips": Station("leg"), "neck": Station("arm", 0.5)},
    (
        LimbChain("leg", ("thigh", "shin", "foot"), (0.46, 0.87), "hips", "side"),
        LimbChain("arm", _ARM, (0.36, 0.7), "chest", "socket", collar="clavicle", narrow=(2,)),
        _EAR,
    ),
    rear="crotch",
    front="topmost",
)

BIPED_TAIL = Template(
    "biped_tail",
    "two legs and a tail: theropod, kangaroo, dragon without wings",
    (_SPINE, _LONG_NECK, _tail(5, "hips", False)),
    {
        "hips": Station("leg"),
        "neck": Station("arm", 0.55, 0.72),
        "tail": Station("leg", -0.6),
    },
    (
        LimbChain("leg", _HIND_LEG, _DIGITIGRADE, "hips", "side", _HIND_BENDS),
        LimbChain("arm", _ARM, (0.36, 0.7), "chest", "socket", optional=True),
        _EAR,
    ),
    lift=0.35,
)

WINGED = Template(
    "winged",
    "two wings and up to two pairs of legs: bird, bat, dragon",
    (_SPINE, _LONG_NECK, _tail(3, "hips", True)),
    {"hips": Station("leg"), "neck": Station("wing", 0.55), "tail": Station("leg", -0.8)},
    (
        LimbChain("leg", _HIND_LEG, _DIGITIGRADE, "hips", "side", _HIND_BENDS),
        LimbChain("wing", ("wing1", "wing2", "wing3"), (0.3, 0.65), "chest", "socket"),
        LimbChain("arm", _ARM, (0.4, 0.8), "chest", "side", optional=True),
        _EAR,
    ),
    lift=0.35,
    airborne=True,
)

SERPENTINE = Template(
    "serpentine",
    "no limbs: snake, eel, worm",
    (
        TrunkChain(_numbered("spine", 6), ("spine",) * 6, "middle", "neck", _even(6), None),
        TrunkChain(("head",), ("head",), "neck", "front", (), "spine6"),
        TrunkChain(_numbered("tail", 6), ("tail",) * 6, "middle", "rear", _even(6), "spine1"),
    ),
    {"middle": Station(fraction=0.5), "neck": Station(fraction=0.85)},
    (),
)

FISH = Template(
    "fish",
    "fins and a tail fin: fish, shark, whale",
    (
        TrunkChain(("spine1", "spine2"), ("spine",) * 2, "middle", "neck", (0.5,), None),
        TrunkChain(("head",), ("head",), "neck", "front", (), "spine2"),
        TrunkChain(("tail1", "tail2", "tail3"), ("tail",) * 3, "middle", "rear", (0.4, 0.75), "spine1", (2,)),
    ),
    {"middle": Station(fraction=0.55), "neck": Station(fraction=0.86)},
    (LimbChain("fin", ("fin",), (), "spine1", "socket", optional=True),),
)


def insect(pairs: int, name: str = "insect") -> Template:
    """Any number of leg pairs, up to two pairs of wings."""
    legs = tuple(
        LimbChain(
            f"leg{i}",
            (f"femur{i}", f"tibia{i}", f"tarsus{i}"),
            (0.36, 0.7),
            "thorax",
            "socket",
        )
        for i in range(1, pairs + 1)
    )
    wings = tuple(
        LimbChain(f"wing{i}", (f"wing{i}a", f"wing{i}b"), (0.5,), "thorax", "socket", optional=True)
        for i in (1, 2)
    )
    return Template(
        name,
        "three or more pairs of legs, perhaps wings",
        (
            TrunkChain(("thorax",), ("spine",), "hips", "neck", (), None),
            TrunkChain(("head",), ("head",), "neck", "front", (), "thorax"),
            TrunkChain(("abdomen1", "abdomen2"), ("tail",) * 2, "tail", "rear", (0.5,), "thorax"),
        ),
        {
            "hips": Station("leg1", waist=True),
            "neck": Station("leg1", 0.6),
            "tail": Station("leg1", waist=True),
        },
        (*legs, *wings),
        rear="farthest",
        airborne=True,
    )


SIDES = ("L", "R")
NAMES = ("quadruped", "biped", "biped_tail", "winged", "insect", "spider", "serpentine", "fish")
_FIXED = {t.name: t for t in (QUADRUPED, BIPED, BIPED_TAIL, WINGED, SERPENTINE, FISH)}
_PAIRS = {"insect": 3, "spider": 4}


def get(name: str, leg_pairs: int = 0) -> Template:
    """leg_pairs: for insect and spider, instead of 3 and 4. Raises BadInput for an unknown name."""
    if name in _PAIRS:
        return insect(leg_pairs or _PAIRS[name], name)
    if name not in _FIXED:
        raise BadInput(f"--template {name}: unknown; use {', '.join(NAMES)} or auto")
    if leg_pairs:
        raise BadInput(
            f"--leg-pairs {leg_pairs}: only insect and spider have a number of leg pairs to choose"
        )
    return _FIXED[name]


def sided(name: str, side: str) -> str:
    return f"{name}.{side}"


def end_joint(template: Template, chain: TrunkChain) -> str:
    """The joint at the end of a trunk chain: where the next chain starts, else its tip."""
    for other in template.trunk:
        if other.start == chain.end:
            return other.bones[0]
    return f"{chain.bones[-1]}_tip"


def joint_names(template: Template) -> list[str]:
    """Every joint of the template: the names of landmarks."""
    out = []
    for chain in template.trunk:
        out += [*chain.bones, end_joint(template, chain)]
    for limb in template.limbs:
        for side in SIDES:
            bones = [sided(name, side) for name in limb_bones(limb)]
            out += [*bones, f"{bones[-1]}_tip"]
    return list(dict.fromkeys(out))


def limb_bones(limb: LimbChain) -> tuple[str, ...]:
    """With the collar, from the trunk outwards."""
    return ((limb.collar,) if limb.collar else ()) + limb.bones
