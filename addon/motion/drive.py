# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Key a rig's controls, not its deform bones: constraints and drivers stay at work, and an artist can go on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from ...mocap import rotations as rot
from ...mocap.errors import BadInput
from ...mocap.motion import Motion
from ...mocap.skeleton import Skeleton
from . import apply, binding, survey

SWEEPS = 8
"""Times that all levels are set in each frame, at most."""
STALLED = 0.9
"""A sweep that leaves more than this share of the error was the last."""
CLOSE = 1e-5
"""Heights, and radians: near enough."""
FAR = 0.005
"""Heights: a bone that the main controls leave farther away than this gets its tweak."""
TRIED = 6
"""Frames on which that is decided."""
STEP = 1e-3
"""Finite differences of knees and elbows, radians and heights."""
DAMPING = 1e-6
"""Of the least squares, where the step's effect on the joints is in heights."""
LONGEST = 0.3
"""Radians and heights that a swivel goes in one step."""


class Driven(NamedTuple):
    applied: apply.Applied
    controls: list[str]
    """Those that were keyed."""


def put(
    rig: bpy.types.Object,
    skeleton: Skeleton,
    motion: Motion,
    placing: apply.Placing,
    progress: Callable[[Iterable[int], str, int], Iterable[int]],
) -> Driven:
    """As ``apply.put``, but by the controls. Raises BadInput where the rig has none that move the skeleton."""
    bound = binding.bind(rig, skeleton)
    apply.check_free(rig)
    target = binding.matrices(bound, motion.root, motion.quats)
    with _at_rest(rig):
        found = survey.controls(rig, bound)
        plan = survey.plan(bound, found)
        if not plan.levels:
            raise BadInput(
                f"armature {rig.name}: no control that can be seen moves its bones; show the controls' bone "
                "collections, or key the bones themselves"
            )
        tried = target[np.unique(np.linspace(0, len(target) - 1, TRIED).astype(int))]
        plan = survey.plan(bound, found, _missed(rig, bound, plan, tried))
        own = _solved(rig, bound, plan, target, progress)
    rest = binding.BoneChannels(np.zeros((1, 3)), np.array([[1.0, 0, 0, 0]]))
    own.update({bone.name: rest for bone in rig.pose.bones if bone.name not in own and _held(bone, plan)})
    return Driven(apply.write(rig, own, [], placing, motion.frames), plan.used)


def _held(bone: bpy.types.PoseBone, plan: survey.Plan) -> bool:
    """Must be keyed at rest: another control, or a bone that an earlier clip left posed."""
    return bone.name in plan.others or bone.matrix_basis != Matrix.Identity(4)


@contextlib.contextmanager
def _at_rest(rig: bpy.types.Object) -> Iterator[None]:
    """Every bone at rest and no action at work; all as before afterwards."""
    data = rig.animation_data_create()
    action, slot, nla = data.action, data.action_slot, data.use_nla
    before = apply.remembered(rig, [bone.name for bone in rig.pose.bones])
    try:
        data.action, data.use_nla = None, False
        for bone in rig.pose.bones:
            bone.matrix_basis = Matrix.Identity(4)
        bpy.context.view_layer.update()
        yield
    finally:
        data.use_nla = nla
        data.action = action
        if action and slot:
            data.action_slot = slot
        apply.put_back(rig, before)


def _solved(
    rig: bpy.types.Object,
    bound: binding.Binding,
    plan: survey.Plan,
    target: np.ndarray,
    progress: Callable[[Iterable[int], str, int], Iterable[int]],
) -> dict[str, binding.BoneChannels]:
    """Channels of the plan's controls over the frames of ``target`` (T, B, 4, 4)."""
    places, quats = [], []
    for frame in progress(range(len(target)), "set the controls", len(target)):
        _set_frame(rig, bound, plan, target[frame])
        bones = [rig.pose.bones[name] for name in plan.used]
        places.append([bone.location[:] for bone in bones])
        quats.append([bone.matrix_basis.to_quaternion()[:] for bone in bones])
    quats, places = rot.quat_continuous(np.array(quats)), np.array(places)
    return {name: binding.BoneChannels(places[:, at], quats[:, at]) for at, name in enumerate(plan.used)}


def _missed(
    rig: bpy.types.Object, bound: binding.Binding, plan: survey.Plan, target: np.ndarray
) -> frozenset[int]:
    """Bones that the plan leaves too far away in some frame of ``target``; the rig is at rest again."""
    far = np.zeros(len(bound.skeleton.bones))
    for goal in target:
        seen = _set_frame(rig, bound, plan, goal)
        off = np.linalg.norm(seen.heads - goal[:, :3, 3], axis=1) / (bound.scale * bound.skeleton.height)
        far = np.maximum(far, off)
    for name in plan.used:
        rig.pose.bones[name].matrix_basis = Matrix.Identity(4)
    bpy.context.view_layer.update()
    return frozenset(int(bone) for bone in np.flatnonzero(far > FAR))


def _set_frame(
    rig: bpy.types.Object, bound: binding.Binding, plan: survey.Plan, target: np.ndarray
) -> survey.Seen:
    """Set the controls for one frame, target (B, 4, 4); return where the bones are then.

    They start where they are, in the frame before; where that leads astray, from rest.
    """
    goal = survey.Seen(target[:, :3, 3], target[:, :3, :3])
    bones = [rig.pose.bones[name] for name in plan.used]
    off, seen = _sweep(rig, bound, plan, goal)
    if off > FAR:
        kept, first = [bone.matrix_basis.copy() for bone in bones], seen
        _pose(bones, [Matrix.Identity(4)] * len(bones))
        again, seen = _sweep(rig, bound, plan, goal)
        if again > off:
            _pose(bones, kept)
            seen = first
    return seen


def _pose(bones: list[bpy.types.PoseBone], bases: list[Matrix]) -> None:
    for bone, basis in zip(bones, bases):
        bone.matrix_basis = basis


def _sweep(
    rig: bpy.types.Object, bound: binding.Binding, plan: survey.Plan, goal: survey.Seen
) -> tuple[float, survey.Seen]:
    """Set all controls in turn until that helps no more; what is left of the error, and where the bones are."""
    names = list(bound.skeleton.bone_names)
    size = bound.scale * bound.skeleton.height
    tweaks = [rig.pose.bones[control.name] for level in plan.tweaks for control, _ in level]
    _pose(tweaks, [Matrix.Identity(4)] * len(tweaks))
    bones = [rig.pose.bones[name] for name in plan.used]
    seen = survey.look(rig, names)
    off = np.inf
    for _ in range(SWEEPS):
        kept, last = [bone.matrix_basis.copy() for bone in bones], seen
        seen = _bring_all(rig, names, plan.levels, seen, goal)
        _swivel(rig, names, plan.swivels, seen, goal, size)
        seen = _bring_all(rig, names, plan.tweaks, survey.look(rig, names), goal)
        before, off = off, _off(seen, goal, plan, size)
        if off > before:
            # Controls that work against each other: the sweep before was better.
            _pose(bones, kept)
            return before, last
        if off < CLOSE or off > STALLED * before:
            break
    return off, seen


def _bring_all(
    rig: bpy.types.Object,
    names: list[str],
    levels: list[list[tuple[survey.Control, int]]],
    seen: survey.Seen,
    goal: survey.Seen,
) -> survey.Seen:
    for level in levels:
        for control, anchor in level:
            _bring(rig.pose.bones[control.name], control, anchor, seen, goal)
        seen = survey.look(rig, names)
    return seen


def _bring(
    bone: bpy.types.PoseBone, control: survey.Control, anchor: int, seen: survey.Seen, goal: survey.Seen
) -> None:
    """Turn and move the control so that its anchor comes to its place."""
    at = np.array(bone.matrix)
    turn = np.eye(3)
    if anchor in control.turns:
        turn = goal.turns[anchor] @ seen.turns[anchor].T
    head = at[:3, 3]
    if anchor in control.moves:
        arm = seen.heads[anchor] - head
        carried = turn @ arm if anchor in control.turns else arm
        head = goal.heads[anchor] - carried
    at[:3, :3], at[:3, 3] = turn @ at[:3, :3], head
    _set(bone, at)


def _set(bone: bpy.types.PoseBone, matrix: np.ndarray) -> None:
    """As ``bone.matrix = matrix``, but locked channels and the scale stay as they are."""
    kept = [list(bone.location), list(bone.rotation_euler)]
    quat = bone.rotation_quaternion.copy()
    bone.matrix = Matrix(matrix)
    bone.scale = (1, 1, 1)
    for axis in range(3):
        if bone.lock_location[axis]:
            bone.location[axis] = kept[0][axis]
        if bone.lock_rotation[axis] and len(bone.rotation_mode) == 3:
            bone.rotation_euler[axis] = kept[1][axis]
    if all(bone.lock_rotation) and bone.rotation_mode == "QUATERNION":
        bone.rotation_quaternion = quat


def _swivel(
    rig: bpy.types.Object,
    names: list[str],
    swivels: list[tuple[survey.Control, list[int]]],
    seen: survey.Seen,
    goal: survey.Seen,
    size: float,
) -> None:
    """One Gauss-Newton step for every knee and elbow, all limbs at once."""
    if not swivels:
        return
    bones = [rig.pose.bones[control.name] for control, _ in swivels]
    start = [bone.matrix_basis.copy() for bone in bones]
    changes = []
    for axis in range(3):
        for (control, _), bone, basis in zip(swivels, bones, start):
            bone.matrix_basis = _nudged(control, bone, basis, STEP * np.eye(3)[axis], size)
        changes.append(survey.look(rig, names).heads)
        for bone, basis in zip(bones, start):
            bone.matrix_basis = basis
    for (control, loose), bone, basis in zip(swivels, bones, start):
        jacobian = (
            np.stack([(moved[loose] - seen.heads[loose]).ravel() / STEP for moved in changes], 1) / size
        )
        error = (goal.heads[loose] - seen.heads[loose]).ravel() / size
        push = np.linalg.solve(jacobian.T @ jacobian + DAMPING * np.eye(3), jacobian.T @ error)
        push *= min(1.0, LONGEST / max(np.linalg.norm(push), 1e-12))
        bone.matrix_basis = _nudged(control, bone, basis, push, size)


def _nudged(
    control: survey.Control, bone: bpy.types.PoseBone, basis: Matrix, by: np.ndarray, size: float
) -> Matrix:
    """Turned, about the axes that are not locked; a pole is moved."""
    if not control.swings:
        return Matrix.Translation(by * size) @ basis
    turn = Quaternion(rot.rotvec_to_quat(np.where(bone.lock_rotation, 0, by)))
    return basis @ turn.to_matrix().to_4x4()


def _off(seen: survey.Seen, goal: survey.Seen, plan: survey.Plan, size: float) -> float:
    """The worst of what was to be brought to its place, heights or radians."""
    anchors = [(c, anchor) for level in (*plan.levels, *plan.tweaks) for c, anchor in level]
    places = [anchor for c, anchor in anchors if anchor in c.moves] + [
        b for _, loose in plan.swivels for b in loose
    ]
    turned = [anchor for c, anchor in anchors if anchor in c.turns]
    worst = [0.0]
    if places:
        worst.append(np.linalg.norm(seen.heads[places] - goal.heads[places], axis=1).max() / size)
    if turned:
        worst.append(rot.angle_between(seen.turns[turned], goal.turns[turned]).max())
    return float(max(worst))
