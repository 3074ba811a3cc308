# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each chain of bones is: spine, neck, head, jaw, tail, legs, arms, wings, fins, fingers. Pure numpy.

Everything is judged by place, shape and hierarchy. Names are asked only where shape cannot tell: an ear
from a horn, a folded wing from an arm.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from . import names as words
from . import shapes

STANDS = 0.12
"""A limb that comes down to this height (in heights) stands on the ground."""
SHORT = 0.06
"""A part shorter than this, in heights, is a feature of what it sits on."""
ARM = 0.15
"""A shorter limb of the trunk is no arm."""
FACE = ("eye", "lid", "brow", "forehead", "temple", "cheek", "nose", "lip", "jaw", "chin", "tooth", "teeth")
"""Words for parts of a face that are never limbs."""
TAIL = 0.2
"""A tail of one bone reaches at least this far behind the hind legs, in heights; else it is the rump."""


class Part(NamedTuple):
    """A chain (with what hangs on it) and what it is."""

    kind: str
    side: str
    bones: list[int]
    holder: int = -1
    """Index of the limb's own part that fingers and toes belong to, else -1."""


@dataclass(frozen=True)
class Anatomy:
    """B bones in skeleton order, in heights; the creature faces -Y and stands on z = 0."""

    names: list[str]
    parents: list[int]
    sides: list[str]
    partner: list[int]
    heads: np.ndarray
    """(B, 3)"""
    tips: np.ndarray
    """(B, 3) far end of the bone's own skin, NaN where it has none."""
    points: np.ndarray
    """(V, 3)"""
    weights: np.ndarray
    """(V, B) rows sum to one."""

    @cached_property
    def owner(self) -> np.ndarray:
        """(V,) the bone that each point follows most."""
        return self.weights.argmax(1)

    @cached_property
    def below(self) -> list[list[int]]:
        """Each bone and all under it."""
        out = [[b] for b in range(len(self.parents))]
        for bone in range(len(self.parents) - 1, 0, -1):
            out[self.parents[bone]].extend(out[bone])
        return [sorted(bones) for bones in out]

    @cached_property
    def children(self) -> list[list[int]]:
        out: list[list[int]] = [[] for _ in self.parents]
        for bone, parent in enumerate(self.parents):
            if parent >= 0:
                out[parent].append(bone)
        return out

    def ends(self, bones: list[int]) -> np.ndarray:
        """(E, 3) heads and tips of bones."""
        tips = self.tips[bones]
        return np.concatenate([self.heads[bones], tips[np.isfinite(tips).all(1)]])

    def reach(self, bones: list[int]) -> float:
        """From the first bone's head to the farthest end."""
        return float(np.linalg.norm(self.ends(bones) - self.heads[bones[0]], axis=1).max())

    def path(self, bone: int) -> list[int]:
        """From the root down to bone."""
        out = [bone]
        while self.parents[out[-1]] >= 0:
            out.append(self.parents[out[-1]])
        return out[::-1]

    def named(self, bones: list[int], *hints: str) -> bool:
        return any(hint in words.tokens(self.names[bone]) for bone in bones for hint in hints)


def parts(body: Anatomy) -> list[Part]:
    """Every bone in exactly one part; the middle first, then the sides in the order of their bones."""
    starts = [
        b
        for b, side in enumerate(body.sides)
        if side and (body.parents[b] < 0 or body.sides[body.parents[b]] != side)
    ]
    head_path = body.path(_head_end(body))
    sided = {start: _sided_kind(body, start, head_path) for start in starts}
    sided = _agreed(body, _legs_in_the_air(body, sided))
    middle = _middle(body, sided, head_path)
    out = [part for part in middle if part.bones]
    in_head = [p for p in middle if p.kind in ("head", "neck")]
    for start, kind in sided.items():
        if kind == "feature":
            host = next((p for p in in_head if body.parents[start] in p.bones), None)
            host = host or next((p for p in out if body.parents[start] in p.bones), out[0])
            host.bones.extend(body.below[start])
            host.bones.sort()
        else:
            out += _with_digits(body, Part(kind, body.sides[start], body.below[start]), len(out))
    return out


def _head_end(body: Anatomy) -> int:
    """The middle bone whose end lies farthest forward; on upright bodies, farthest up."""
    middle = [b for b, side in enumerate(body.sides) if not side]
    size = np.ptp(body.points, axis=0)
    forward, up = (1.0, 0.3) if size[1] > 0.8 * size[2] else (0.3, 1.0)
    return max(
        middle, key=lambda b: float((up * body.ends([b])[:, 2] - forward * body.ends([b])[:, 1]).max())
    )


def _sided_kind(body: Anatomy, start: int, head_path: list[int]) -> str:
    """leg, arm, wing, fin, ear, horn, other, sheet (wing or fin); "feature" where it does not stand out."""
    bones = body.below[start]
    reach, ends = body.reach(bones), body.ends(bones)
    lowest = float(ends[:, 2].min())
    drop = float(body.heads[start][2]) - lowest
    stands = lowest < STANDS and reach > SHORT
    flat = reach > SHORT and _is_sheet(body, bones)
    for hint, kind in (("wing", "wing"), ("fin", "fin"), ("flipper", "fin")):
        if body.named(bones, hint) and reach > SHORT:
            return kind
    if stands and (not flat or (len(bones) >= 3 and drop > STANDS + SHORT)):
        return "leg"
    if flat and not _on_head(body, start, head_path):
        return "sheet"
    long = len(bones) > 2 and reach > ARM
    if reach < SHORT or (not long and (body.named(bones, *FACE) or not _stands_out(body, bones))):
        return "feature"
    if _on_head(body, start, head_path):
        return "horn" if body.named(bones, "horn", "antler") else "ear"
    return "arm" if reach > ARM and len(bones) > 1 else "other"


def _stands_out(body: Anatomy, bones: list[int]) -> bool:
    """True where the far end lies well away from the skin of the middle line: ears do, cheeks and breasts do
    not."""
    ends = body.ends(bones)
    away = np.linalg.norm(ends - body.heads[bones[0]], axis=1)
    middle = [bone for bone, side in enumerate(body.sides) if not side]
    rest = body.points[np.isin(body.owner, middle) & (body.weights[:, bones].sum(1) < 0.2)]
    if not len(rest):
        return True
    return float(np.linalg.norm(rest - ends[away.argmax()], axis=1).min()) > 0.3 * float(away.max())


def _is_sheet(body: Anatomy, bones: list[int]) -> bool:
    """True where most of the skin is flat, bone by bone (a bent leg is flat only as a whole)."""
    skins = [body.points[body.owner == bone] for bone in bones]
    flat = sum(len(skin) for skin in skins if shapes.is_sheet(skin))
    return flat > 0.5 * max(sum(map(len, skins)), 1)


def _head_bones(body: Anatomy, head_path: list[int]) -> list[int]:
    """The last part of the way to the head's end: from where features (ears, eyes, a jaw) branch off, else
    its last bone."""
    last = len(head_path) - 1
    for index in range(len(head_path) - 1, 0, -1):
        bone = head_path[index]
        branches = [c for c in body.children[bone] if c not in head_path]
        if any(not _is_feature(body, c, bone) for c in branches):
            break
        if any(_holder(body, c, head_path) == index for c in branches):
            last = index
    return body.below[head_path[last]]


def _holder(body: Anatomy, start: int, path: list[int]) -> int:
    """Index in path of the bone that a branch sits on: its parent, or the next one where it sits at the
    parent's end."""
    index = path.index(body.parents[start])
    if index + 1 < len(path):
        own, following = (np.linalg.norm(body.heads[start] - body.heads[path[i]]) for i in (index, index + 1))
        onward = body.ends([path[index + 1]])[-1] - body.heads[path[index]]
        behind = (
            (body.heads[path[index + 1]] - body.heads[start]) @ onward / max(np.linalg.norm(onward), 1e-9)
        )
        index += bool(following < own and behind < SHORT)
    return index


def _on_head(body: Anatomy, start: int, head_path: list[int]) -> bool:
    """Hangs on a bone of the head, or sits at its root; arms and shoulders do not count."""
    head = _head_bones(body, head_path)
    parent = body.parents[start]
    if parent in head:
        return True
    sits = parent in head_path and head_path[_holder(body, start, head_path)] in head
    return sits and _is_feature(body, start, parent)


def _is_feature(body: Anatomy, start: int, bone: int) -> bool:
    """A branch that does not stand and is no longer than what lies ahead of it; shoulders and arms are."""
    branch = body.below[start]
    ahead = float(np.ptp(body.ends(body.below[bone]), axis=0).max())
    stands = bool(body.sides[start]) and body.ends(branch)[:, 2].min() < STANDS
    is_arm = bool(body.sides[start]) and len(branch) > 2 and body.reach(branch) > ARM
    return not stands and not is_arm and body.reach(branch) < min(0.45, 0.75 * ahead)


def _legs_in_the_air(body: Anatomy, kinds: dict[int, str]) -> dict[int, str]:
    """Hovering creatures: where nothing stands and several pairs of arms hang, these are legs. Sheets are
    wings on what has legs or arms, else fins."""
    if "leg" not in kinds.values():
        arms = [s for s, kind in kinds.items() if kind in ("arm", "other")]
        if len(arms) >= 4:
            kinds = {s: "leg" if s in arms else kind for s, kind in kinds.items()}
    limbs = {"leg", "arm", "wing"} & set(kinds.values())
    return {s: ("wing" if limbs else "fin") if kind == "sheet" else kind for s, kind in kinds.items()}


_ORDER = ("leg", "wing", "arm", "fin", "horn", "ear", "other", "feature")


def _agreed(body: Anatomy, kinds: dict[int, str]) -> dict[int, str]:
    """Both sides of a pair are the same: the more telling of the two."""
    out = dict(kinds)
    for start, kind in kinds.items():
        twin = body.partner[start]
        if twin in kinds:
            out[start] = min(kind, kinds[twin], key=_ORDER.index)
    return out


def _middle(body: Anatomy, sided: dict[int, str], head_path: list[int]) -> list[Part]:
    """Spine (or body), neck, head, jaw, tail, and fins of the middle line."""
    middle = [b for b, side in enumerate(body.sides) if not side]
    limbs = [s for s, kind in sided.items() if kind in ("leg", "arm", "wing")]
    hold = max((_hold(body, head_path, s) for s in limbs), default=-1)
    # The root is never the head, nor is what holds a limb.
    first = max(head_path.index(_head_bones(body, head_path)[0]), hold + 1, 1)
    head = [b for b in body.below[head_path[first]] if b in middle] if first < len(head_path) else []
    tail = _tail(body, middle, limbs, head_path)
    jaw = _jaw(body, head, head_path)
    head = [b for b in head if b not in jaw]
    neck = [] if not limbs else [b for b in head_path[hold + 1 : first] if b not in tail]
    taken = {*tail, *neck, *head, *jaw}
    fins = _middle_fins(body, [b for b in middle if b not in taken and b != 0]) if not limbs else []
    taken |= {b for bones in fins for b in bones}
    trunk = [b for b in middle if b not in taken]
    # What is left over (a mane, a chest) goes with the part that it hangs on.
    for bone in [b for b in trunk if body.parents[b] in neck]:
        neck += [b for b in body.below[bone] if b in trunk]
    trunk = [b for b in trunk if b not in neck]
    return [
        Part("spine" if len(trunk) > 1 else "body", "", trunk),
        Part("neck", "", neck),
        Part("head", "", head),
        Part("jaw", "", jaw),
        Part("tail", "", tail),
        *[Part("fin", "", bones) for bones in fins],
    ]


def _hold(body: Anatomy, path: list[int], start: int) -> int:
    """Index in path of the last bone that belongs to the trunk because a limb starts there: the limb's
    ancestor in the path, or further on as far as bones still begin behind the limb's root."""
    above = body.parents[start]
    while above >= 0 and above not in path:
        above = body.parents[above]
    index = path.index(above) if above >= 0 else 0
    while index + 2 < len(path):
        begin, end = body.heads[path[index + 1]], body.heads[path[index + 2]]
        if (body.heads[start] - begin) @ (end - begin) <= 0:
            break
        index += 1
    return index


def _tail(body: Anatomy, middle: list[int], limbs: list[int], head_path: list[int]) -> list[int]:
    """Bones of the middle line from behind the hindmost limb to the rear end."""
    others = [b for b in middle if b not in head_path]
    if not others:
        return []
    end = max(others, key=lambda b: float(body.ends([b])[:, 1].max()))
    path = body.path(end)
    fork = next(i for i, bone in enumerate(path) if bone not in head_path)
    hips = max((float(body.heads[s][1]) for s in limbs), default=-np.inf)
    if float(body.ends([end])[:, 1].max()) < hips + (TAIL if len(path) - fork == 1 else SHORT):
        return []
    if limbs:
        held = [path.index(body.parents[s]) + 1 for s in limbs if body.parents[s] in path]
        start = max([fork, *held])
    else:
        # Without legs the tail is what lies behind the middle of the flesh.
        middle_y = float(np.median(body.points[:, 1]))
        behind = (i for i in range(fork, len(path)) if body.heads[path[i]][1] >= middle_y)
        start = next(behind, len(path) - 1)
    return [b for b in body.below[path[start]] if b in middle] if start < len(path) else []


def _jaw(body: Anatomy, head: list[int], head_path: list[int]) -> list[int]:
    """A branch of the head that ends forward and below the rest of it."""
    if not head:
        return []
    rest = {b for b in head if b in head_path}
    branches = [b for b in head if body.parents[b] in rest and b not in rest]
    low = [
        b
        for b in branches
        if body.reach(body.below[b]) > SHORT
        and body.ends(body.below[b])[:, 1].min() < body.heads[b][1] - 0.03
        and body.ends(body.below[b])[:, 2].mean() < body.ends(sorted(rest))[:, 2].max()
    ]
    if not low:
        return []
    chosen = min(low, key=lambda b: float(body.ends(body.below[b])[:, 2].mean()))
    return [b for b in body.below[chosen] if b in head]


def _middle_fins(body: Anatomy, bones: list[int]) -> list[list[int]]:
    """Branches of the middle line that are sheets of skin: dorsal and tail fins."""
    out = []
    for bone in bones:
        branch = body.below[bone]
        if any(bone in known for known in out) or any(b not in bones for b in branch):
            continue
        skin = body.points[np.isin(body.owner, branch)]
        if len(branch) <= 2 and len(skin) and shapes.is_sheet(skin):
            out.append(branch)
    return out


def _with_digits(body: Anatomy, limb: Part, place: int) -> list[Part]:
    """A leg or an arm whose end branches into three or more chains (or two long ones): these are its toes
    or fingers."""
    if limb.kind not in ("leg", "arm"):
        return [limb]
    for bone in limb.bones:
        chains = [body.below[c] for c in body.children[bone]]
        small = all(body.reach(chain) < 0.4 * body.reach(limb.bones) for chain in chains)
        if small and (len(chains) >= 3 or (len(chains) == 2 and min(map(len, chains)) >= 2)):
            digits = [b for chain in chains for b in chain]
            kind = "toe" if limb.kind == "leg" else "finger"
            hand = limb._replace(bones=[b for b in limb.bones if b not in digits])
            return [hand, *[Part(kind, limb.side, chain, place) for chain in chains]]
    return [limb]
