# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Template + mesh + landmarks -> placed bones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .. import rotations as rot
from ..errors import BadInput
from . import body as bodies
from . import limbs, slots, symmetry, templates, trunk
from .body import Body, Part
from .templates import SIDES, LimbChain, Template, sided

SHORTEST = 1e-4
"""A bone has at least this length (in scales)."""
ALIKE = 0.1
"""Limbs of a pair are held alike where their tips mirror each other within this (in scales)."""


class Placed(NamedTuple):
    """A joint: where it is, where that comes from ("fitted", "landmark", or "kept" from an older rig), and
    how far it can be trusted (0 to 1)."""

    point: np.ndarray
    source: str = "fitted"
    confidence: float = 0.5


class FitBone(NamedTuple):
    name: str
    parent: str | None
    end: str
    """The joint where it ends."""
    head: np.ndarray
    tail: np.ndarray


class FitLimb(NamedTuple):
    name: str
    side: str
    bones: tuple[str, ...]


class Fit(NamedTuple):
    """A skeleton in the mesh's own units and frame (Z up, facing -Y)."""

    template: str
    why: str
    """Why this template: "asked for", or what was seen."""
    bones: tuple[FitBone, ...]
    """Parents first; the first is the root."""
    limbs: tuple[FitLimb, ...]
    joints: dict[str, Placed]
    """By bone name (its head) and ``<bone>_tip``."""
    left_out: tuple[str, ...]
    """Optional limbs of the template that the mesh does not have."""


def fit(
    points: np.ndarray,
    triangles: np.ndarray,
    template: str = "auto",
    landmarks: Mapping[str, Placed] | None = None,
    leg_pairs: int = 0,
) -> Fit:
    """points (V, 3), triangles (F, 3): the mesh, Z up, facing -Y. landmarks: joints that are known.

    A landmark (not a kept joint) on one side counts for the other, too, unless that is given as well.
    Raises BadInput where the mesh does not have what the template needs.
    """
    angle = symmetry.yaw(points, triangles)
    if angle:
        turn = rot.euler_to_matrix(np.radians([0.0, 0.0, angle]))
        turned = {name: p._replace(point=turn @ p.point) for name, p in (landmarks or {}).items()}
        return _turned(_fit(points @ turn.T, triangles, template, turned, leg_pairs), turn.T)
    return _fit(points, triangles, template, landmarks or {}, leg_pairs)


def _fit(
    points: np.ndarray,
    triangles: np.ndarray,
    template: str,
    landmarks: Mapping[str, Placed],
    leg_pairs: int,
) -> Fit:
    """A body whose symmetry plane lies across X."""
    body = bodies.read(points, triangles)
    if template == "auto":
        if leg_pairs:
            raise BadInput(f"--leg-pairs {leg_pairs}: pass --template insect or spider, too")
        chosen, why = slots.choose(body)
    else:
        chosen, why = templates.get(template, leg_pairs), "asked for"
    known = _checked(landmarks, chosen, body)
    given = {name: placed.point for name, placed in known.items()}
    found = slots.assign(body, chosen, _tips(body, given))
    joints, placed_limbs = _place(body, chosen, found, given)
    joints.update({name: placed for name, placed in known.items() if name in joints})
    bones = _bones(chosen, joints, placed_limbs)
    for bone in bones:
        if np.linalg.norm(bone.tail - bone.head) < SHORTEST * body.scale:
            raise BadInput(
                f"--landmark {bone.name}: coincides with {bone.end}, the bone between has no length"
            )
    present = {bone.name for bone in bones}
    return Fit(
        chosen.name,
        why,
        bones,
        _limbs(chosen, present),
        joints,
        tuple(_left_out(chosen, present)),
    )


def _turned(fit: Fit, turn: np.ndarray) -> Fit:
    bones = tuple(bone._replace(head=turn @ bone.head, tail=turn @ bone.tail) for bone in fit.bones)
    joints = {name: placed._replace(point=turn @ placed.point) for name, placed in fit.joints.items()}
    return fit._replace(bones=bones, joints=joints)


def _checked(landmarks: Mapping[str, Placed], template: Template, body: Body) -> dict[str, Placed]:
    names = templates.joint_names(template)
    for name, placed in landmarks.items():
        if name not in names:
            raise BadInput(f"--landmark {name}: {template.name} has no such joint; it has {', '.join(names)}")
        if not np.isfinite(placed.point).all():
            raise BadInput(f"--landmark {name}: {placed.point} is not a place")
    out = dict(landmarks)
    for name, placed in landmarks.items():
        other = _other_side(name)
        if placed.source == "landmark" and other in names and other not in out:
            out[other] = placed._replace(point=_mirrored(placed.point, body))
    return out


def _other_side(name: str) -> str:
    """The joint's name on the other side; the name itself in the middle."""
    for a, b in ((".L", ".R"), (".R", ".L")):
        for end in ("", "_tip"):
            if name.endswith(a + end):
                return name[: len(name) - len(a + end)] + b + end
    return name


def _mirrored(point: np.ndarray, body: Body) -> np.ndarray:
    return np.array([2 * body.plane - point[0], point[1], point[2]])


def _tips(body: Body, given: Mapping[str, np.ndarray]) -> dict[str, Part]:
    """Landmarks at ends of chains are extremities, whether they stand out or not."""
    out = {}
    for name, point in given.items():
        if name.endswith("_tip"):
            voxel = int(body.solid.nearest(point)[0])
            out[name] = Part(np.asarray(point, float), voxel, 0.0, body.solid.points[voxel])
    return out


class _Side(NamedTuple):
    points: list[np.ndarray]
    turns: list[float]
    collar: np.ndarray


def _place(
    body: Body, template: Template, found: slots.Slots, given: Mapping[str, np.ndarray]
) -> tuple[dict[str, Placed], list[LimbChain]]:
    spine = trunk.build(body, template, found)
    present = [limb for limb in template.limbs if limb.limb in found.limbs]
    attached = {
        limb.limb: [trunk.attach(body, spine, end) for end in found.limbs[limb.limb]] for limb in present
    }
    leaves = {name: float(np.mean([a.at for a in both])) for name, both in attached.items()}
    where = trunk.stations(template, spine, leaves, given)
    back = trunk.lifted(spine, template, where)
    joints: dict[str, Placed] = {}
    for chain in template.trunk:
        if chain.optional and chain.end == "rear" and found.rear is None:
            continue
        points = trunk.joints(chain, back, where, given)
        for name, point in zip((*chain.bones, templates.end_joint(template, chain)), points):
            joints[name] = Placed(_onto_plane(point, body), confidence=0.6)
    for limb in present:
        placed = []
        for side, one in zip(SIDES, attached[limb.limb]):
            points, turns = limbs.joints(body, limb, side, one, given)
            inner = back.at(one.at)
            collar = np.array([body.plane + 0.35 * (points[0][0] - body.plane), inner[1], inner[2]])
            placed.append(_Side(points, turns, collar))
        joints.update(_both_sides(body, limb, placed, given))
    return {
        name: placed._replace(point=_inside(placed.point, body)) for name, placed in joints.items()
    }, present


def _inside(point: np.ndarray, body: Body) -> np.ndarray:
    """The point, or the nearest voxel of the body: what is the mean of both sides, or lifted, may have left
    a thin limb."""
    if body.solid.contains(point)[0]:
        return point
    return body.solid.points[body.solid.nearest(point)[0]]


def _both_sides(
    body: Body, limb: LimbChain, placed: list[_Side], given: Mapping[str, np.ndarray]
) -> dict[str, Placed]:
    """Joints by name; where a symmetric body holds both limbs alike, both sides get the mean of both. Not
    where a joint is known on one side only: the other side is none of its business."""
    own = [{bone for bone in limb.bones if sided(bone, side) in given} for side in SIDES]
    alike = body.symmetric and own[0] == own[1]
    if alike:
        swing = np.linalg.norm(placed[0].points[-1] - _mirrored(placed[1].points[-1], body))
        alike = swing < ALIKE * body.scale
    if alike:
        left, right = placed
        mean = lambda a, b: (a + _mirrored(b, body)) / 2  # noqa: E731
        points = [mean(a, b) for a, b in zip(left.points, right.points)]
        turns = [(a + b) / 2 for a, b in zip(left.turns, right.turns)]
        one = _Side(points, turns, mean(left.collar, right.collar))
        placed = [one, _Side([_mirrored(p, body) for p in points], turns, _mirrored(one.collar, body))]
    out = {}
    for side, (points, turns, collar) in zip(SIDES, placed):
        if limb.collar:
            out[sided(limb.collar, side)] = Placed(collar, confidence=0.5)
        names = [sided(name, side) for name in limb.bones]
        for name, point, turn in zip((*names, f"{names[-1]}_tip"), points, turns):
            out[name] = Placed(point, confidence=_confidence(turn, name))
    return out


def _confidence(turn: float, name: str) -> float:
    """Ends are seen, bends are seen the better the sharper they are; the rest is proportion."""
    if name.endswith("_tip"):
        return 0.9
    return round(0.4 + 0.5 * min(1.0, turn / np.radians(40)), 2)


def _onto_plane(point: np.ndarray, body: Body) -> np.ndarray:
    return np.array([body.plane if body.symmetric else point[0], point[1], point[2]])


def _bones(template: Template, joints: dict[str, Placed], present: list[LimbChain]) -> tuple[FitBone, ...]:
    out = []
    for chain in template.trunk:
        if chain.bones[0] in joints:
            out += _chain(chain.bones, templates.end_joint(template, chain), chain.parent, joints)
    for limb in present:
        for side in SIDES:
            names = [sided(name, side) for name in templates.limb_bones(limb)]
            out += _chain(names, f"{names[-1]}_tip", limb.parent, joints)
    return tuple(out)


def _chain(names: Sequence[str], end: str, parent: str | None, joints: dict[str, Placed]) -> list[FitBone]:
    ends, parents = [*names[1:], end], [parent, *names[:-1]]
    return [
        FitBone(name, above, joint, joints[name].point, joints[joint].point)
        for name, above, joint in zip(names, parents, ends)
    ]


def _limbs(template: Template, present: set[str]) -> tuple[FitLimb, ...]:
    """Limbs in the order spine, neck, head, tail, then the sided ones; a pair that is the only one of its
    kind has no number."""
    middle: dict[str, list[str]] = {}
    for chain in template.trunk:
        for bone, limb in zip(chain.bones, chain.limbs):
            if bone in present:
                middle.setdefault(limb, []).append(bone)
    out = [FitLimb(name, "", tuple(bones)) for name, bones in middle.items()]
    there = [limb for limb in template.limbs if sided(limb.bones[-1], SIDES[0]) in present]
    kinds = [limb.kind for limb in there]
    for limb in there:
        name = limb.kind if kinds.count(limb.kind) == 1 else limb.limb
        for side in SIDES:
            bones = tuple(sided(bone, side) for bone in templates.limb_bones(limb))
            out.append(FitLimb(sided(name, side), side, bones))
    return tuple(out)


def _left_out(template: Template, present: set[str]) -> list[str]:
    out = ["tail" for chain in template.trunk if chain.optional and chain.bones[0] not in present]
    return out + [limb.limb for limb in template.limbs if sided(limb.bones[-1], SIDES[0]) not in present]
