# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The curve from the rear end to the head, where limbs leave it, and its joints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..errors import BadInput
from . import curves, paths
from .body import Body, Part
from .slots import Slots, blunt_end
from .templates import Station, Template, TrunkChain, end_joint


class Trunk(NamedTuple):
    """``curve`` runs along the medial axis from rear to front."""

    curve: curves.Curve
    to_trunk: np.ndarray
    """(N,) dearness of the way from each voxel of the solid to the trunk (paths.centring_toll)."""
    toll: np.ndarray


class Attached(NamedTuple):
    """One side of a limb: its centre line from the trunk's axis to its tip, and where it leaves."""

    curve: curves.Curve
    at: float
    """Fraction along the trunk."""


def build(body: Body, template: Template, slots: Slots) -> Trunk:
    toll = paths.centring_toll(body.solid)
    front = slots.front.voxel
    to_front = paths.distances(body.solid, np.array([front]), toll)
    if template.rear == "crotch":
        rear = _crotch(body, slots.limbs["leg"], to_front, toll)
    else:
        rear = (slots.rear or blunt_end(body, 1, 1)).voxel
    way = paths.descend(body.solid, to_front, rear, toll)
    ends = slots.front.tip, slots.rear.tip if slots.rear else None
    curve = _curve(body, way, front=ends[0], rear=ends[1])
    if body.symmetric:
        curve.points[:, 0] = body.plane
    # A fat belly must not draw the limbs' ways through it, along and in, where the direct way is thin.
    toll = paths.centring_toll(body.solid, 0.5)
    return Trunk(curve, paths.distances(body.solid, way, toll), toll)


def _curve(body: Body, way: np.ndarray, front: np.ndarray, rear: np.ndarray | None) -> curves.Curve:
    points, depth = body.solid.points[way].copy(), body.solid.depth[way]
    points[-1] = front
    if rear is not None:
        points[0] = rear
    length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    return curves.smooth(points, depth, max(2.5 * body.solid.size, 0.02 * length))


def _crotch(body: Body, feet: tuple[Part, ...], to_front: np.ndarray, toll: np.ndarray) -> int:
    """The voxel where the cheapest ways from both feet to the head meet."""
    left, right = (paths.descend(body.solid, to_front, foot.voxel, toll) for foot in feet)
    near = 1.8 * body.solid.size
    other = body.solid.points[right]
    for voxel in left:
        if np.sqrt(((other - body.solid.points[voxel]) ** 2).sum(1).min()) < near:
            return int(voxel)
    return int(left[-1])


def attach(body: Body, trunk: Trunk, end: Part) -> Attached:
    """The limb with this end: cheapest way from its tip to the trunk."""
    way = paths.descend(body.solid, trunk.to_trunk, end.voxel, trunk.toll)
    points = body.solid.points[way][::-1].copy()
    points[-1] = end.tip
    curve = curves.smooth(points, body.solid.depth[way][::-1], 2.5 * body.solid.size)
    return Attached(curve, trunk.curve.nearest(points[0]))


def stations(
    template: Template, trunk: Trunk, leaves: dict[str, float], given: dict[str, np.ndarray]
) -> dict[str, float]:
    """Fraction along the trunk of each station. leaves: where each limb leaves the trunk; given: joints
    that are known. Raises BadInput where the stations are out of order: another creature than meant."""
    found = {"rear": 0.0, "front": 1.0}
    for name, station in template.stations.items():
        found[name] = _station(trunk, station, leaves)
    for chain in template.trunk:
        if chain.bones[0] in given:
            found[chain.start] = trunk.curve.nearest(given[chain.bones[0]])
    for chain in template.trunk:
        forward = chain.end != "rear"
        if (found[chain.end] - found[chain.start]) * (1 if forward else -1) < 0.01:
            raise BadInput(
                f"{template.name}: {chain.bones[0]} would lie beyond {end_joint(template, chain)}: pass "
                f"--landmark {chain.bones[0]}=x,y,z, --facing, or another --template"
            )
    return found


def _station(trunk: Trunk, station: Station, leaves: dict[str, float]) -> float:
    if station.limb not in leaves:
        return station.fraction
    at = leaves[station.limb]
    if station.waist:
        return _waist(trunk.curve, at)
    shift = station.ahead * trunk.curve.depth_at(at) / max(trunk.curve.length, 1e-12)
    # Never past the trunk's ends, however thick it is.
    return at + float(np.clip(shift, -0.8 * at, 0.8 * (1 - at)))


def _waist(curve: curves.Curve, ahead: float) -> float:
    """Fraction of the thinnest place behind ``ahead`` that has something thicker behind it (the rear end
    itself is thin, too)."""
    place = np.linspace(0, 1, len(curve.depth))
    behind = np.flatnonzero(place < ahead)
    thickest_yet = np.maximum.accumulate(curve.depth)
    notch = thickest_yet[behind] - curve.depth[behind]
    return float(place[behind[notch.argmax()]]) if len(behind) else ahead


def lifted(trunk: Trunk, template: Template, found: dict[str, float]) -> curves.Curve:
    """The trunk's curve moved towards the back; less and less from the neck to the head's end."""
    if not template.lift:
        return trunk.curve
    points, depth = trunk.curve
    along = np.gradient(points, axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-12)
    up = np.array([0.0, 0.0, 1.0])
    back = up - (along @ up)[:, None] * along
    place = np.linspace(0, 1, len(points))
    neck = found.get("neck", 1.0)
    fade = np.interp(place, [neck, 1.0], [1.0, 0.0])
    return curves.Curve(points + (template.lift * depth * fade)[:, None] * back, depth)


def joints(
    chain: TrunkChain, curve: curves.Curve, found: dict[str, float], given: dict[str, np.ndarray]
) -> list[np.ndarray]:
    """Points of the chain's joints: the head of each bone, then the end of the last."""
    start, end = found[chain.start], found[chain.end]
    part = curve.part(start, end)
    names = chain.bones[1:]
    fixed = tuple(part.nearest(given[name]) if name in given else None for name in names)
    narrow = tuple(i + 1 in chain.narrow for i in range(len(names)))
    inner = curves.joints(part, chain.fractions, narrow, fixed)
    return [part.points[0], *[part.at(f) for f in inner], part.points[-1]]
