# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""How well a motion was copied: do the feet slide or sink, does the pose say the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import rotations as rot
from ..motion import Motion
from ..rig_info import RigInfo
from ..skeleton import Limb, Posed, Skeleton
from . import feet, geometry
from .carry import limb_called, size_ratio
from .mapping import Mapping

GROUND = 0.02
"""A foot stands while its tip is lower than this, in heights, over its lowest place in the clip."""


def figures(
    source: RigInfo, motion: Motion, target: RigInfo, made: Motion, mapping: Mapping
) -> dict[str, Any]:
    """Feet (None without legs), over the frames in which the source's foot stands: slide_cm_s, mean speed along the
    ground of the target's foot against the source's in scale (a clip in place moves its feet backwards by itself);
    missed_pct, how far aside the foot is from its place, 95% of frames, % of height; sunk_cm, deepest under where it
    stands at rest. Pose: limb_deg, mean angle by which a limb (first joint to end) points otherwise than the source's,
    each measured from its own rest."""
    here, there = target.skeleton, source.skeleton
    ours, theirs = made.pose(here), motion.pose(there)
    scale = size_ratio(there, here, mapping)
    out: dict[str, Any] = {"scale": scale, "slide_cm_s": None, "missed_pct": None, "sunk_cm": None}
    slides, missed, sunk = [], [], []
    for leg, follows in mapping.legs.items():
        a, b = limb_called(there, follows), limb_called(here, leg)
        path = feet.tips(there, a, theirs.heads, theirs.turns)
        own = feet.tips(here, b, ours.heads, ours.turns)
        stands = path[:, 2] < path[:, 2].min() + GROUND * there.height
        off = own - scale * path
        both = stands[1:] & stands[:-1]
        slides.append(np.linalg.norm(np.diff(off[:, :2], axis=0), axis=1)[both] * made.fps)
        # Where the foot belongs is only known up to a constant: its middle.
        missed.append(np.linalg.norm((off - np.median(off, axis=0))[:, :2], axis=1))
        sunk.append(max(0.0, geometry.end(here, b)[2] - own[:, 2].min()))
    if slides:
        cm = target.cm_per_metre
        out["slide_cm_s"] = cm * float(np.concatenate(slides).mean()) if np.concatenate(slides).size else 0.0
        out["missed_pct"] = 100 * float(np.percentile(np.concatenate(missed), 95)) / here.height
        out["sunk_cm"] = cm * max(sunk)
    angles = [
        _limb_angle(
            there,
            limb_called(there, follows),
            theirs,
            here,
            limb_called(here, name),
            ours,
            name in mapping.aligned,
        )
        for name, follows in limb_pairs(there, here, mapping).items()
    ]
    out["limb_deg"] = float(np.degrees(np.concatenate(angles)).mean()) if angles else None
    out["bones"], out["followed"] = len(here.bones), len(mapping.bones)
    return out


def limb_pairs(there: Skeleton, here: Skeleton, mapping: Mapping) -> dict[str, str]:
    """Target limb -> the source limb that most of its bones follow."""
    home = {there.bone_names[bone]: limb.name for limb in there.limbs for bone in limb.bones}
    out = {}
    for limb in here.limbs:
        votes: dict[str, float] = {}
        for bone in limb.bones:
            for name, weight in mapping.bones.get(here.bone_names[bone], {}).items():
                if name in home:
                    votes[home[name]] = votes.get(home[name], 0) + weight
        if votes:
            out[limb.name] = max(votes, key=votes.get)
    return out


def _limb_angle(
    there: Skeleton, a: Limb, theirs: Posed, here: Skeleton, b: Limb, ours: Posed, aligned: bool
) -> np.ndarray:
    """(T,) radians."""
    rests, ways = [], []
    for skeleton, limb, played in ((there, a, theirs), (here, b, ours)):
        rest = geometry.points(skeleton, limb)
        rests.append(rest[-1] - rest[0])
        ways.append(feet.tips(skeleton, limb, played.heads, played.turns) - played.heads[:, limb.bones[0]])
    turn = geometry.between(np.broadcast_to(rests[0], ways[0].shape), ways[0])
    wanted = ways[0] if aligned else turn @ rests[1]
    return rot.angle_between(geometry.between(ways[1], wanted), np.eye(3))


def lines(told: dict[str, Any]) -> list[str]:
    """For people."""
    out = [f"{told['followed']} of {told['bones']} bones follow; travel scaled by {told['scale']:.2f}"]
    if told["slide_cm_s"] is not None:
        out.append(
            f"feet: slide {told['slide_cm_s']:.2g} cm/s, 95% within {told['missed_pct']:.2g}% of the height of their "
            f"place, {told['sunk_cm']:.2g} cm under the ground at worst"
        )
    if told["limb_deg"] is not None:
        out.append(f"pose: limbs point within {told['limb_deg']:.1f} degrees of the source's on average")
    return out
