# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The motion itself: turns in the world go from bone to bone, the body travels in scale, the feet are set down.

Turns are away from rest and in the world, so neither roll nor names nor the bones' own axes matter.
"""

from __future__ import annotations

import numpy as np

from .. import rotations as rot
from ..motion import Motion
from ..rig_info import RigInfo
from ..skeleton import Limb, Posed, Skeleton
from . import feet, geometry
from .mapping import Mapping

HANGING = ("tail", "arm", "wing", "fin", "other")


def transfer(
    source: RigInfo, motion: Motion, target: RigInfo, mapping: Mapping, set_feet: bool = True
) -> Motion:
    """``mapping`` is one that ``check`` has passed."""
    here, there = target.skeleton, source.skeleton
    played = motion.pose(there)
    turns = _turns(there, played, here, mapping)
    scale = size_ratio(there, here, mapping)
    root = _root(there, played, here, turns, mapping, scale)
    if set_feet and mapping.legs:
        heads = _heads(here, root, turns)
        goals = {
            leg: _goals(there, played, follows, here, leg, heads, turns, mapping, scale)
            for leg, follows in mapping.legs.items()
        }
        drop = feet.drop(
            here, {limb_called(here, leg): at for leg, at in goals.items()}, heads, turns, motion.fps
        )
        root[:, 2] -= drop
        heads[..., 2] -= drop[:, None]
        for leg, at in goals.items():
            limb = limb_called(here, leg)
            turns[:, list(limb.bones)] = feet.reach(here, limb, heads, turns, at)
            _carry(here, turns, limb, mapping)
        _lift(here, _heads(here, root, turns), turns, mapping)
    provenance = {**motion.provenance, "retargeted_from": motion.rig_digest}
    return Motion(motion.fps, here.bone_names, root, _local(here, turns), target.digest, provenance)


def limb_called(skeleton: Skeleton, name: str) -> Limb:
    return next(limb for limb in skeleton.limbs if limb.name == name)


def _turns(there: Skeleton, played: Posed, here: Skeleton, mapping: Mapping) -> np.ndarray:
    """(T, B, 3, 3) each target bone's turn away from rest, in the world."""
    quats = rot.quat_continuous(rot.matrix_to_quat(played.turns))
    out = np.empty((len(quats), len(here.bones), 3, 3))
    aligned = _alignments(there, here, mapping)
    for bone, name in enumerate(here.bone_names):
        weights = mapping.bones.get(name)
        if weights is None:
            above = here.parents[bone]
            out[:, bone] = out[:, above] if above >= 0 else np.eye(3)
            continue
        out[:, bone] = rot.quat_to_matrix(_mean(quats, there, weights)) @ aligned.get(bone, np.eye(3))
    return out


def _mean(quats: np.ndarray, there: Skeleton, weights: dict[str, float]) -> np.ndarray:
    """(T, 4) the weighted mean rotation of some bones."""
    bones = [there.bone_index(name) for name in weights]
    picked = quats[:, bones]
    near = np.where((picked * picked[:, :1]).sum(-1, keepdims=True) < 0, -picked, picked)
    return rot.quat_normalize((near * np.array(list(weights.values()))[:, None]).sum(1))


def _alignments(there: Skeleton, here: Skeleton, mapping: Mapping) -> dict[int, np.ndarray]:
    """Target bone -> the turn (3, 3) from its own rest to where the source's bones point at rest."""
    points = {}
    for limb in there.limbs:
        for bone, way in zip(limb.bones, geometry.directions(there, limb)):
            points[there.bone_names[bone]] = way
    out = {}
    for name in mapping.aligned:
        limb = limb_called(here, name)
        for bone, way in zip(limb.bones, geometry.directions(here, limb)):
            weights = mapping.bones.get(here.bone_names[bone], {})
            goal = sum((w * points[s] for s, w in weights.items() if s in points), np.zeros(3))
            if np.linalg.norm(goal) > 1e-6 and np.linalg.norm(way) > 0:
                out[bone] = geometry.between(way, goal)
    return out


def size_ratio(there: Skeleton, here: Skeleton, mapping: Mapping) -> float:
    """How much farther the target travels: by the height its legs carry it at, or their length where they do not stand;
    by the size of what is mapped where it has no legs."""
    ratios = []
    for leg, follows in mapping.legs.items():
        a, b = limb_called(there, follows), limb_called(here, leg)
        if leg in mapping.aligned:
            ratios.append(geometry.lengths(here, b).sum() / geometry.lengths(there, a).sum())
        else:
            p, q = geometry.points(there, a), geometry.points(here, b)
            ratios.append((q[0, 2] - q[-1, 2]) / max(p[0, 2] - p[-1, 2], 1e-3 * there.height))
    if ratios:
        return float(np.mean(ratios))
    theirs = [there.bone_index(name) for weights in mapping.bones.values() for name in weights]
    ours = [here.bone_index(name) for name in mapping.bones]
    spread = [
        np.linalg.norm(s.heads[b] - s.heads[b].mean(0), axis=1).mean()
        for s, b in ((there, theirs), (here, ours))
    ]
    return float(spread[1] / spread[0]) if min(spread) > 0 else here.height / there.height


def _root(
    there: Skeleton, played: Posed, here: Skeleton, turns: np.ndarray, mapping: Mapping, scale: float
) -> np.ndarray:
    """(T, 3) the target's root, such that the middle of its hips travels as the source's, in scale. Which bone is the
    root does not matter so."""
    ours = [limb_called(here, leg).bones[0] for leg in mapping.legs] or [0]
    theirs = [limb_called(there, leg).bones[0] for leg in mapping.legs.values()] or [0]
    middle = played.heads[:, theirs].mean(1)
    if set(mapping.legs) & set(mapping.aligned):
        wanted = scale * middle
    else:
        wanted = here.heads[ours].mean(0) + scale * (middle - there.heads[theirs].mean(0))
    at_zero = _heads(here, np.zeros((len(turns), 3)), turns)
    return wanted - at_zero[:, ours].mean(1)


def _heads(here: Skeleton, root: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """(T, B, 3)"""
    return here.pose(root, _local(here, turns)).heads


def _local(here: Skeleton, turns: np.ndarray) -> np.ndarray:
    """(T, B, 4) ``matrix_basis`` rotations of turns in the world."""
    above = np.where(here.parents[:, None, None] >= 0, turns[:, here.parents], np.eye(3))
    own = np.swapaxes(above @ here.rest, -1, -2) @ turns @ here.rest
    return rot.quat_continuous(rot.matrix_to_quat(own))


def _goals(
    there: Skeleton,
    played: Posed,
    follows: str,
    here: Skeleton,
    leg: str,
    heads: np.ndarray,
    turns: np.ndarray,
    mapping: Mapping,
    scale: float,
) -> np.ndarray:
    """(T, 3) where the foot of ``leg`` must be: the source's foot in scale, from where the target's stands at rest, and
    never lower than that."""
    theirs, ours = limb_called(there, follows), limb_called(here, leg)
    path = scale * feet.tips(there, theirs, played.heads, played.turns)
    stand = scale * geometry.end(there, theirs)
    if leg in mapping.aligned:
        # Its rest is no stand: keep it, on average, beside the body where the leg was put.
        goal = path + (feet.tips(here, ours, heads, turns) - path).mean(0) * [1, 1, 0]
        floor = stand[2]
    else:
        goal = path + geometry.end(here, ours) - stand
        floor = geometry.end(here, ours)[2]
    goal[:, 2] = np.maximum(goal[:, 2], floor)
    return goal


def _lift(here: Skeleton, heads: np.ndarray, turns: np.ndarray, mapping: Mapping) -> None:
    """Bend tails, arms and the like whose ends would be in the ground, because they hang lower than the source's."""
    for limb in here.limbs:
        if limb.name in mapping.legs or limb.kind not in HANGING:
            continue
        path = feet.tips(here, limb, heads, turns)
        floor = min(float(here.radii[limb.bones[-1]]), geometry.end(here, limb)[2])
        if path[:, 2].min() < floor:
            path[:, 2] = np.maximum(path[:, 2], floor)
            turns[:, list(limb.bones)] = feet.reach(here, limb, heads, turns, path)
            _carry(here, turns, limb, mapping)


def _carry(here: Skeleton, turns: np.ndarray, limb: Limb, mapping: Mapping) -> None:
    """Bones that hang on a limb and follow nothing keep their place on it."""
    inside = here.ancestors[:, limb.bones[0]]
    for bone in np.flatnonzero(inside):
        if bone not in limb.bones and here.bone_names[bone] not in mapping.bones:
            turns[:, bone] = turns[:, here.parents[bone]]
