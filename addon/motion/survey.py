# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find out what a rig's controls do, by trying them: which bones of the skeleton a control carries along.

Neither names nor the kind of constraint matter: Rigify, IK with or without pole, and FK controls are found alike, in
the state in which the rig is switched.
"""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Matrix

from ...mocap import rotations as rot
from ...mocap.skeleton import Skeleton
from . import binding, quiet

TURN = 0.1
"""Radians that a control is turned to see what follows."""
SHIFT = 0.02
"""Heights that it is moved."""
FAITHFUL = 0.02
"""A bone is carried when it follows but for this share."""
FELT = 4e-3
"""Radians that a bone must turn to count as stirred; single precision makes a tenth of it."""
AXIS = np.array([0.48, 0.6, 0.64])
"""No axis of anything."""


class Control(NamedTuple):
    name: str
    turns: frozenset[int]
    """Skeleton bones that turn as the control does."""
    moves: frozenset[int]
    """Skeleton bones that travel as the control does."""
    swings: frozenset[int]
    """Skeleton bones that travel in whatever way when it turns."""
    stirs: frozenset[int]
    """Skeleton bones that do anything when it turns or moves."""
    depth: int

    @property
    def carries(self) -> frozenset[int]:
        return self.turns | self.moves


class Plan(NamedTuple):
    """What to key, in the order in which it must be set."""

    levels: list[list[tuple[Control, int]]]
    """(control, the skeleton bone that it is to bring to its place)"""
    swivels: list[tuple[Control, list[int]]]
    """(control, the bones that nothing carries and that it stirs): knees and elbows."""
    tweaks: list[list[tuple[Control, int]]]
    """As ``levels``, after the swivels: what only moves a bone."""
    others: list[str]
    """Controls that stay at rest."""

    @property
    def used(self) -> list[str]:
        brought = [control.name for level in (*self.levels, *self.tweaks) for control, _ in level]
        return brought + [control.name for control, _ in self.swivels]


class Seen(NamedTuple):
    """Where the skeleton's bones are, armature space."""

    heads: np.ndarray
    """(B, 3)"""
    turns: np.ndarray
    """(B, 3, 3)"""


def look(rig: bpy.types.Object, names: list[str]) -> Seen:
    bpy.context.view_layer.update()
    matrices = np.array([np.array(rig.pose.bones[name].matrix) for name in names])
    turns = matrices[:, :3, :3]
    return Seen(matrices[:, :3, 3], turns / np.linalg.norm(turns, axis=1, keepdims=True))


def controls(rig: bpy.types.Object, bound: binding.Binding) -> list[Control]:
    """Those that do something, from the rig at rest. The pose is as before afterwards."""
    names = list(bound.skeleton.bone_names)
    size = bound.scale * bound.skeleton.height
    rest = look(rig, names)
    # A control may stand in a chain (Rigify's thigh_ik); a bone of the skeleton that does is no control.
    solved = _in_chains(rig) & set(names)
    out = []
    for bone in rig.pose.bones:
        if bone.name in solved or not _is_free(rig, bone):
            continue
        turned = _tried(rig, bone, names, Matrix.Rotation(TURN, 4, AXIS))
        moved = _tried(rig, bone, names, Matrix.Translation(SHIFT * size * AXIS))
        turns = moves = spins = swings = stirs = frozenset()
        if turned:
            away = turned.turns @ np.swapaxes(rest.turns, -1, -2)
            off = rot.angle_between(away, rot.exp_so3(TURN * AXIS))
            turns = _where(off < FAITHFUL * TURN)
            spins = _where(rot.angle_between(away, np.eye(3)) > FELT)
            swings = _where(np.linalg.norm(turned.heads - rest.heads, axis=1) > FELT * TURN * size)
        if moved:
            travel = moved.heads - rest.heads
            moves = _where(np.linalg.norm(travel - SHIFT * size * AXIS, axis=1) < FAITHFUL * SHIFT * size)
            stirs = _where(rot.angle_between(moved.turns, rest.turns) > FELT)
        stirs |= spins | moves
        if stirs:
            out.append(Control(bone.name, turns, moves, swings, stirs, len(bone.parent_recursive)))
    return out


def _where(flags: np.ndarray) -> frozenset[int]:
    return frozenset(int(i) for i in np.flatnonzero(flags))


def _in_chains(rig: bpy.types.Object) -> set[str]:
    """Bones that an IK solver turns."""
    out = set()
    for bone in rig.pose.bones:
        for constraint in bone.constraints:
            if constraint.type in quiet.CHAINS and not constraint.mute and constraint.influence > 0:
                out.update(link.name for link in quiet.chain(bone, constraint))
    return out


def _is_free(rig: bpy.types.Object, bone: bpy.types.PoseBone) -> bool:
    """An artist would grab it: shown, and nothing else moves it."""
    if bone.bone.hide or (bone.bone.collections and not any(c.is_visible for c in bone.bone.collections)):
        return False
    if any(not c.mute and c.influence > 0 for c in bone.constraints):
        return False
    path = bone.path_from_id() + "."
    drivers = rig.animation_data.drivers if rig.animation_data else []
    parts = ("location", "rotation", "scale")
    return not any(d.data_path.startswith(tuple(path + part for part in parts)) for d in drivers)


def _tried(rig: bpy.types.Object, bone: bpy.types.PoseBone, names: list[str], change: Matrix) -> Seen | None:
    """What a change of the control, in armature space about its head, does; None where it is locked."""
    turning = change.to_translation().length == 0
    if all(bone.lock_rotation) if turning else not can_move(bone):
        return None
    before = bone.matrix_basis.copy()
    at = bone.matrix.copy()
    head = Matrix.Translation(at.to_translation())
    bone.matrix = head @ change @ head.inverted() @ at if turning else change @ at
    seen = look(rig, names)
    bone.matrix_basis = before
    bpy.context.view_layer.update()
    return seen


def can_move(bone: bpy.types.PoseBone) -> bool:
    return not any(bone.lock_location) and not (bone.bone.use_connect and bone.parent)


def plan(bound: binding.Binding, found: list[Control], missed: frozenset[int] = frozenset()) -> Plan:
    """First what turns bones as it turns, and the goals of IK chains, which only move them; then the knees and elbows
    between. ``missed``: bones that these did not bring near enough, and that get a tweak where there is one. All others
    stay at rest."""
    skeleton = bound.skeleton
    everything = frozenset(range(len(skeleton.bones)))
    chosen = _anchored(skeleton, [c for c in found if c.turns], everything)
    turned = {bone for control in chosen.values() for bone in control.turns}
    swivels = _swivels([c for c in found if not c.turns], everything - turned)
    placed = {bone for control in chosen.values() for bone in control.moves}
    placed |= {bone for control, _ in swivels for bone in control.stirs}
    names = {control.name for control, _ in swivels}
    movers = _anchored(
        skeleton, [c for c in found if not c.turns and c.moves and c.name not in names], everything
    )
    goals = {anchor: c for anchor, c in movers.items() if anchor not in placed and anchor not in chosen}
    brought = {anchor for anchor, control in (chosen | goals).items() if anchor in control.moves}
    tweaks = {anchor: c for anchor, c in movers.items() if anchor in missed - brought}
    plan = Plan(_levels(chosen | goals), swivels, _levels(tweaks), [])
    return plan._replace(others=[c.name for c in found if c.name not in plan.used])


def _anchored(skeleton: Skeleton, able: list[Control], everything: frozenset[int]) -> dict[int, Control]:
    """Topmost bone carried -> the control to carry it by."""
    groups: dict[int, list[Control]] = {}
    for control in able:
        groups.setdefault(min(control.carries, key=lambda b: (skeleton.ancestors[b].sum(), b)), []).append(
            control
        )
    return {anchor: _best(group, everything) for anchor, group in groups.items()}


def _best(able: list[Control], everything: frozenset[int]) -> Control:
    """Of the controls that begin at the same bone: the one that carries most; but a master that carries everything
    stays where it is while another can do the same."""
    less = [c for c in able if c.carries != everything]
    if not less:
        return max(able, key=lambda c: c.depth)
    return max(less, key=lambda c: (len(c.turns & c.moves), len(c.carries), -c.depth))


def _levels(chosen: dict[int, Control]) -> list[list[tuple[Control, int]]]:
    """Who carries another's bone goes first."""
    order = sorted(chosen.items(), key=lambda item: -len(item[1].carries))
    level: dict[int, int] = {}
    for at, (anchor, _) in enumerate(order):
        above = [level[other] for other, control in order[:at] if anchor in control.carries | control.stirs]
        level[anchor] = 1 + max(above, default=-1)
    out: list[list] = [[] for _ in range(max(level.values(), default=-1) + 1)]
    for anchor, control in order:
        out[level[anchor]].append((control, anchor))
    return out


def _swivels(able: list[Control], loose: frozenset[int]) -> list[tuple[Control, list[int]]]:
    """For bones that only an IK solver turns: a control that swings them, most of them first, and hardly anything else:
    by its own turn, or as a pole by its place."""
    out, taken = [], set()
    does = {c: c.swings or (c.stirs if not c.moves else frozenset()) for c in able}
    for control in sorted(able, key=lambda c: (-len(does[c] & loose), c.depth)):
        here = does[control] & loose
        if not here or len(does[control] - loose) > len(here) or here & taken:
            continue
        out.append((control, sorted(here)))
        taken |= here
    return out
