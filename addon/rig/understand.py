# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Understand a rig: facing, height, one tree of bones, pairs, limbs, joints. Adds and changes nothing.

May play the source's clips (``sample``), which puts everything back.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...mocap.errors import BadInput
from . import facing as facings
from . import hierarchy, joints, limbs, sample, shapes, symmetry, weights
from .anatomy import Anatomy
from .attach import RigArrays
from .limits import ChainPlace
from .source import Source

METRES = 20.0
"""Files in which the creature is taller than this are in centimetres."""
CLOSE = 0.06
"""A joint this close to the skin, in heights, can still be read."""


class Options(NamedTuple):
    creature: str
    facing: str = "auto"
    height_cm: float | None = None
    hold_out: tuple[str, ...] = ()
    """Clips kept for the exam: saved, but not used for limits."""
    limbs: tuple[dict[str, Any], ...] = ()
    """Limbs given by a creature.json (name, side, bones, colour) instead of found."""
    panel: int = 384
    up: str = "auto"


class Placed(NamedTuple):
    """The whole armature (N bones) in the clean world: metres, facing -Y, standing on the origin."""

    names: list[str]
    points: np.ndarray
    """(V, 3)"""
    heads: np.ndarray
    """(N, 3) at rest."""
    turns: np.ndarray
    """(N, 3, 3) rest orientations."""
    clip_heads: dict[str, np.ndarray]
    """(T, N, 3) per clip."""
    clip_turns: dict[str, np.ndarray]
    """(T, N, 3, 3) per clip."""


class Understanding(NamedTuple):
    """B bones are kept, in skeleton order. Positions in the clean world, metres."""

    facing: facings.Facing
    to_clean: np.ndarray
    """(4, 4) similarity from the source's world."""
    height_cm: float
    height_from: str
    tracks: dict[str, sample.BoneTracks]
    placed: Placed
    arranged: hierarchy.Hierarchy
    names: list[str]
    heads: np.ndarray
    tails: np.ndarray
    """(B, 3) where each bone ends by geometry."""
    weights: np.ndarray
    """(V, B) rows sum to one."""
    partner: list[int]
    limbs: list[limbs.LimbChoice]
    joints: list[joints.Choice]
    joint_mirror: list[int]
    inside: np.ndarray
    """(B,) bool: the bone's head lies in the flesh or close to it."""
    sides: list[str]
    """L, R or empty, by geometry."""
    stretch: np.ndarray
    """(B,) how far the clips move each bone's head from where its parent holds it, at most, in metres."""


def read(source: Source, surface: weights.Surface, options: Options) -> Understanding:
    """Raises BadInput with one line where the rig cannot be understood."""
    tracks = sample.clips(source)
    _check_hold_out(options.hold_out, tracks)
    rest = sample.rest(source)
    clues = facings.Clues(
        surface.points,
        surface.weights,
        surface.areas,
        surface.bone_names,
        rest.heads[0],
        [track.heads for track in tracks.values()],
    )
    facing = facings.decide(clues, options.facing, options.up)
    to_clean, height_cm, height_from = _to_clean(surface.points, facing, options.height_cm)
    placed = _place(surface, rest, tracks, to_clean)
    height = height_cm / 100
    rig = _rig_arrays(source, surface, placed, to_clean, height)
    arranged = hierarchy.build(rig)
    order = arranged.order
    heads, tips = placed.heads[order], rig.tips[order] * height
    table = _skinned(surface.weights[:, order])
    drawn = np.where(np.isfinite(tips), tips, rig.ends[order] * height)
    partner = symmetry.mirror_bones(arranged.parents, heads / height, drawn / height)
    names = [placed.names[i] for i in order]
    side = symmetry.sides(partner, arranged.parents, symmetry.subtree_middles(arranged.parents, heads, drawn))
    parents, points = arranged.parents, placed.points / height
    if options.limbs:
        found = _given_limbs(options.limbs, names)
    else:
        body = Anatomy(names, parents, side, partner, heads / height, tips / height, points, table)
        found = limbs.find(body)
    inside = rig.outside[order] < CLOSE
    inside[0] = rig.outside[order[0]] < hierarchy.IN_FLESH
    shown = inside & (rig.share[order] > 0)
    last = _last_of_limb(parents, found)
    chosen = joints.choose(names, arranged.parents, heads / height, tips / height, shown, partner, last)
    if not chosen:
        raise BadInput(
            "no bone begins or ends in its skin, so no joint could be read: check that the mesh fits the bones"
        )
    return Understanding(
        facing,
        to_clean,
        height_cm,
        height_from,
        tracks,
        placed,
        arranged,
        names,
        heads,
        _ends(parents, heads, tips, found, last),
        table,
        partner,
        found,
        [choice._replace(point=choice.point * height) for choice in chosen],
        joints.mirrors(chosen, partner),
        inside,
        side,
        _stretch(placed, arranged),
    )


def chain_places(known: Understanding) -> list[ChainPlace]:
    """Per bone: its limb's kind, its place in it, and directions at rest."""
    along = known.tails - known.heads
    out: list[ChainPlace] = [None] * len(known.names)  # type: ignore[list-item]
    for limb in known.limbs:
        kind = limbs.kind_of(limb)
        for bone in limb.bones:
            parent = known.arranged.parents[bone]
            depth, walk = 0, parent
            while walk in limb.bones:
                depth, walk = depth + 1, known.arranged.parents[walk]
            before = along[parent] if parent >= 0 else None
            out[bone] = ChainPlace(kind, depth, len(limb.bones), along[bone], before)
    for bone, place in enumerate(out):
        if place is None:
            out[bone] = ChainPlace("other", 0, 1, along[bone], None)
    return out


def _check_hold_out(held: tuple[str, ...], tracks: dict[str, sample.BoneTracks]) -> None:
    for name in held:
        if name not in tracks:
            there = ", ".join(tracks) or "it has none"
            raise BadInput(f"--hold-out {name}: the rig has no such clip ({there})")


def _to_clean(
    points: np.ndarray, facing: facings.Facing, height_cm: float | None
) -> tuple[np.ndarray, float, str]:
    """Similarity from the source's world to ours, the height in cm, and where the height came from."""
    forward, up = facings.AXES[facing.forward], facings.AXES[facing.up]
    turn = np.stack([np.cross(up, forward), -forward, up])
    turned = points @ turn.T
    low, high = turned.min(0), turned.max(0)
    extent = float(high[2] - low[2])
    if not extent > 0:
        raise BadInput(f"the mesh is flat: its height along {facing.up} is zero")
    if height_cm is not None:
        unit = "given"
    elif extent <= METRES:
        height_cm, unit = extent * 100, "the file's units as metres"
    else:
        height_cm, unit = extent, "the file's units as centimetres"
    origin = np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])
    scale = height_cm / 100 / extent
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = scale * turn, -scale * origin
    return matrix, float(height_cm), unit


def _place(
    surface: weights.Surface,
    rest: sample.BoneTracks,
    tracks: dict[str, sample.BoneTracks],
    to_clean: np.ndarray,
) -> Placed:
    turn = to_clean[:3, :3] / np.cbrt(np.linalg.det(to_clean[:3, :3]))

    def move(points: np.ndarray) -> np.ndarray:
        return points @ to_clean[:3, :3].T + to_clean[:3, 3]

    return Placed(
        surface.bone_names,
        move(surface.points),
        move(rest.heads[0]),
        turn @ rest.turns[0],
        {name: move(track.heads) for name, track in tracks.items()},
        {name: turn @ track.turns for name, track in tracks.items()},
    )


def _rig_arrays(
    source: Source, surface: weights.Surface, placed: Placed, to_clean: np.ndarray, height: float
) -> RigArrays:
    bones = source.armature.data.bones
    world = to_clean @ np.array(source.armature.matrix_world)
    ends = np.array([world @ [*bone.tail_local, 1.0] for bone in bones])[:, :3]
    points = placed.points / height
    return RigArrays(
        placed.names,
        np.array([-1 if bone.parent is None else bones.find(bone.parent.name) for bone in bones]),
        placed.heads / height,
        ends / height,
        joints.surface_tips(placed.heads / height, points, weights.normalised(surface.weights)),
        weights.deforms(surface),
        np.array([bone.use_deform for bone in bones]),
        shapes.outside(placed.heads / height, points, surface.triangles),
        weights.share(surface),
        weights.adjacency(surface),
        [heads / height for heads in placed.clip_heads.values()],
        list(placed.clip_turns.values()),
    )


def _skinned(table: np.ndarray) -> np.ndarray:
    """Rows sum to one; vertices without weight go with the root."""
    table = weights.normalised(table)
    table[table.sum(1) == 0, 0] = 1.0
    return table


def _given_limbs(given: tuple[dict[str, Any], ...], names: list[str]) -> list[limbs.LimbChoice]:
    at = {limb["name"]: i for i, limb in enumerate(given)}
    sides = [limb["side"] for limb in given]
    plain = [limb["name"].removesuffix(f".{side}") for limb, side in zip(given, sides)]
    return [
        limbs.LimbChoice(
            limb["name"],
            limb["side"],
            [names.index(bone) for bone in limb["bones"]],
            tuple(limb.get("colour", colour)),
            at.get(limb.get("mirror"), -1),
        )
        for limb, colour in zip(given, limbs.paint(plain, sides))
    ]


def _ends(
    parents: list[int],
    heads: np.ndarray,
    tips: np.ndarray,
    found: list[limbs.LimbChoice],
    last: list[bool],
) -> np.ndarray:
    """(B, 3) where each bone ends: the next bone of its limb, else the end of its own skin, else the
    nearest of its children, else its head."""
    limb_of = {bone: i for i, limb in enumerate(found) for bone in limb.bones}
    tails = np.where(np.isfinite(tips), tips, heads)
    for bone in range(len(parents)):
        children = [c for c, p in enumerate(parents) if p == bone]
        own = [c for c in children if limb_of.get(c) == limb_of.get(bone)]
        if own:
            tails[bone] = heads[max(own, key=lambda c, b=bone: np.linalg.norm(heads[c] - heads[b]))]
        elif children and not (last[bone] and np.isfinite(tips[bone]).all()):
            tails[bone] = heads[min(children, key=lambda c, b=bone: abs(heads[c][0] - heads[b][0]))]
    return tails


def _last_of_limb(parents: list[int], found: list[limbs.LimbChoice]) -> list[bool]:
    """Per bone: nothing hangs on it, or it is a head on which only ears, horns and the like hang."""
    last = [bone not in parents for bone in range(len(parents))]
    for limb in found:
        if limbs.kind_of(limb) == "head":
            for bone in limb.bones:
                last[bone] = not any(parents[other] == bone for other in limb.bones)
    return last


def _stretch(placed: Placed, arranged: hierarchy.Hierarchy) -> np.ndarray:
    order = arranged.order
    out = np.zeros(len(order))
    for name, heads in placed.clip_heads.items():
        turns = placed.clip_turns[name]
        for bone, parent in enumerate(arranged.parents):
            if parent < 0:
                continue
            own, above = order[bone], order[parent]
            at_rest = placed.turns[above].T @ (placed.heads[own] - placed.heads[above])
            local = np.einsum("tji,tj->ti", turns[:, above], heads[:, own] - heads[:, above])
            out[bone] = max(out[bone], float(np.linalg.norm(local - at_rest, axis=1).max()))
    return out
