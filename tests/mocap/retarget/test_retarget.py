# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A motion copied to rigs that differ in one respect each: where the answer is known, it is found."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from mocap import layout, poses, retarget
from mocap import rotations as rot
from mocap.cli import run
from mocap.errors import BadInput
from mocap.motion import Motion
from mocap.retarget import feet, geometry, proposal
from mocap.retarget.__main__ import main
from mocap.rig_info import RigInfo
from mocap.skeleton import Skeleton
from tests.mocap import rigs


def info_of(skeleton: Skeleton) -> RigInfo:
    return RigInfo(skeleton, layout.fit(skeleton.joint_points[None], skeleton.height), 100 * skeleton.height)


@pytest.fixture(scope="module")
def source():
    return info_of(rigs.quadruped())


@pytest.fixture(scope="module")
def motion(source):
    return poses.random_motion(source.skeleton, 5, 40, 24.0, source.digest)


def rebuilt(skeleton: Skeleton, points=None, rest=None, rename=None) -> RigInfo:
    """The skeleton with other points (a function of points), rest orientations (B, 3, 3) and names."""
    points, rename = points or (lambda p: p), rename or (lambda name: name)
    move = lambda p: tuple(map(float, points(np.array(p, float))))  # noqa: E731
    bones = [
        replace(
            bone,
            name=rename(bone.name),
            head=move(bone.head),
            tail=move(bone.tail),
            core=None,
            rest=bone.rest if rest is None else tuple(map(tuple, rest[index])),
        )
        for index, bone in enumerate(skeleton.bones)
    ]
    joints = [replace(joint, name=rename(joint.name), point=move(joint.point)) for joint in skeleton.joints]
    height = skeleton.height * float(points(np.array([0, 0, 1.0]))[2] - points(np.zeros(3))[2])
    return info_of(replace(skeleton, name="other", height=height, bones=tuple(bones), joints=tuple(joints)))


def copied(source, motion, target, align="auto", **options) -> Motion:
    mapping = retarget.propose(source, target, align)
    mapping.check(source, target, "mapping")
    return retarget.transfer(source, motion, target, mapping, **options)


def above_ground(source, motion) -> Motion:
    """Lifted until no foot is under its place at rest: what is set on the ground is meant to be changed."""
    skeleton = source.skeleton
    played = motion.pose(skeleton)
    legs = [limb for limb in skeleton.limbs if limb.kind == "leg"]
    low = [
        (feet.tips(skeleton, leg, played.heads, played.turns) - geometry.end(skeleton, leg))[:, 2].min()
        for leg in legs
    ]
    return replace(motion, root=motion.root - [0, 0, min(low)])


def test_same_rig_gives_the_same_motion(source, motion):
    lifted = above_ground(source, motion)
    made = copied(source, lifted, source)
    assert np.abs(made.joints(source.skeleton) - lifted.joints(source.skeleton)).max() < 1e-3


def test_other_names_roll_and_size(source, motion):
    lifted = above_ground(source, motion)
    skeleton = source.skeleton
    rng = np.random.default_rng(2)
    rest = skeleton.rest @ rot.exp_so3(rng.normal(size=(len(skeleton.bones), 3)))
    target = rebuilt(skeleton, lambda p: 2.5 * p, rest, lambda name: f"x_{len(name)}_{name[::-1]}")
    made = copied(source, lifted, target)
    wanted = 2.5 * lifted.joints(skeleton)
    wanted += made.joints(target.skeleton)[0].mean(0) - wanted[0].mean(0)
    assert np.abs(made.joints(target.skeleton) - wanted).max() < 1e-3 * target.skeleton.height


def test_other_rest_pose_is_aligned(source, motion):
    """The same animal, modelled with its limbs in another pose: the same movement in space."""
    lifted = above_ground(source, motion)
    skeleton = source.skeleton
    bent = np.tile([1.0, 0, 0, 0], (1, len(skeleton.bones), 1))
    rng = np.random.default_rng(3)
    legs = [bone for limb in skeleton.limbs if limb.kind == "leg" for bone in limb.bones]
    bent[0, legs] = rot.rotvec_to_quat(0.35 * rng.normal(size=(len(legs), 3)))
    posed = skeleton.pose(skeleton.heads[:1], bent)
    turn = posed.turns[0]
    bones, joints = [], []
    for index, bone in enumerate(skeleton.bones):
        head = posed.heads[0, index]
        tail = head + turn[index] @ (np.array(bone.tail) - bone.head)
        rest = turn[index] @ np.array(bone.rest)
        bones.append(
            replace(bone, head=tuple(head), tail=tuple(tail), core=None, rest=tuple(map(tuple, rest)))
        )
    for joint, at in zip(skeleton.joints, posed.joints[0]):
        joints.append(replace(joint, point=tuple(at)))
    target = info_of(replace(skeleton, bones=tuple(bones), joints=tuple(joints)))
    made = copied(source, lifted, target, align="always", set_feet=False)
    heads = made.pose(target.skeleton).heads
    wanted = lifted.pose(skeleton).heads
    assert np.abs(heads - wanted - (heads - wanted)[0].mean(0)).max() < 0.02
    kept = copied(source, lifted, target, align="never", set_feet=False).pose(target.skeleton).heads
    assert np.abs(kept - wanted - (kept - wanted)[0].mean(0)).max() > 0.05


@pytest.mark.parametrize("stretch", [(1, 1, 1.6), (0.7, 1.5, 0.8), (1, 1, 0.55)])
def test_feet_stand_and_do_not_sink(source, motion, stretch):
    target = rebuilt(source.skeleton, lambda p: p * np.array(stretch))
    mapping = retarget.propose(source, target)
    made = retarget.transfer(source, motion, target, mapping)
    told = retarget.figures(source, motion, target, made, mapping)
    loose = retarget.transfer(source, motion, target, mapping, set_feet=False)
    before = retarget.figures(source, motion, target, loose, mapping)
    assert told["slide_cm_s"] < 0.2 * before["slide_cm_s"] + 0.1
    assert told["sunk_cm"] < 1.0
    assert told["limb_deg"] < 12
    step = lambda m, i: np.abs(np.diff(m.joints(i.skeleton), 2, axis=0)).max() / i.skeleton.height  # noqa: E731
    assert step(made, target) < 3 * step(motion, source) + 0.02


def test_more_and_fewer_bones_are_matched_by_length():
    few, many = np.array([4.0, 4.0, 2.0]), np.array([1.0, 3.0, 4.0, 1.0, 1.0])
    table = proposal.grouped(many, few)
    assert (table > 0).tolist() == [
        [True, True, False, False, False],
        [False, False, True, False, False],
        [False, False, False, True, True],
    ]
    assert table.sum(1) == pytest.approx(1)
    assert (proposal.grouped(few, many) > 0).tolist() == (table > 0).T.tolist()


def test_curves_are_followed_by_place():
    table = proposal.along_curve(np.array([0.1, 0.5, 0.9]), np.array([0.0, 0.3, 1.0]))
    assert table == pytest.approx(np.array([[1, 0, 0], [0.5, 0.5, 0], [0, 0, 1]]))


def test_biped_and_quadruped_find_each_others_legs(source):
    """Arms follow front legs, and front legs arms."""
    fore = lambda limb: f"arm.{limb.side}" if limb.name.startswith("fore") else limb.name  # noqa: E731
    limbs = tuple(replace(limb, name=fore(limb)) for limb in source.skeleton.limbs)
    biped = info_of(replace(source.skeleton, limbs=limbs))
    down = retarget.propose(source, biped)
    assert down.bones["arm.L"] == {"arm.L": 1.0}
    assert down.bones["thigh.R"] == {"thigh.R": 1.0}
    assert len(down.legs) == 2
    up = retarget.propose(biped, source)
    assert set(up.bones) == set(down.bones)
    assert len(up.legs) == 2


def test_nothing_in_common_is_one_line(source):
    bare = info_of(replace(source.skeleton, limbs=()))
    with pytest.raises(BadInput, match="has no limb that"):
        retarget.propose(source, bare)


def test_without_legs_the_body_travels_in_scale(source, motion):
    tails = tuple(
        replace(limb, mirror=-1) for limb in source.skeleton.limbs if limb.kind in ("spine", "tail")
    )
    snake = info_of(replace(source.skeleton, limbs=tails))
    big = rebuilt(snake.skeleton, lambda p: 3 * p)
    mapping = retarget.propose(snake, big)
    assert mapping.legs == {}
    made = retarget.transfer(snake, motion, big, mapping)
    assert np.diff(made.root, axis=0) == pytest.approx(3 * np.diff(motion.root, axis=0), abs=1e-9)
    assert retarget.figures(snake, motion, big, made, mapping)["slide_cm_s"] is None


def write(tmp_path, source, motion, target) -> list[str]:
    source.save(tmp_path / "a" / "rig_info.json")
    target.save(tmp_path / "b" / "rig_info.json")
    motion.save(tmp_path / "walk.json")
    names = ("walk.json", "a/rig_info.json", "b/rig_info.json", "out.json")
    return [str(tmp_path / name) for name in names]


def test_command_proposes_once_and_uses_edits(source, motion, tmp_path, capsys):
    target = rebuilt(source.skeleton, lambda p: 1.2 * p, rename=lambda name: f"b_{name}")
    arguments = write(tmp_path, source, motion, target)
    assert run(main, [*arguments, "--json", str(tmp_path / "told.json")]) == 0
    said = capsys.readouterr().out
    assert "proposed" in said
    assert json.loads((tmp_path / "told.json").read_text())["slide_cm_s"] < 1
    mapping = tmp_path / "b" / f"from_{source.skeleton.name}.mapping.json"
    data = json.loads(mapping.read_text())
    for bone in ("b_tail1", "b_tail2", "b_tail3"):
        del data["bones"][bone]
    mapping.write_text(json.dumps(data))
    assert run(main, arguments) == 0
    made = Motion.load(arguments[-1])
    tail = target.skeleton.bone_index("b_tail2")
    assert np.abs(made.quats[:, tail] - [1, 0, 0, 0]).max() < 1e-7
    assert "used" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda d: d.update(source="0" * 32), "made for another source rig"),
        (lambda d: d["bones"].update(nose={"head": 1}), "there is no target bone 'nose'"),
        (lambda d: d["bones"].update(head={"nose": 1}), "there is no source bone 'nose'"),
        (lambda d: d["bones"].update(head={"head": -1}), "weights must be positive"),
        (lambda d: d["legs"].update(wheel="tail"), "there is no target limb 'wheel'"),
        (lambda d: d.pop("legs"), "lacks the field 'legs'"),
        (lambda d: d.update(schema=9), "schema 9"),
    ],
)
def test_spoilt_mapping_is_one_line(source, motion, tmp_path, capsys, spoil, words):
    arguments = write(tmp_path, source, motion, source)
    path = tmp_path / "m.json"
    retarget.propose(source, source).save(path)
    data = json.loads(path.read_text())
    spoil(data)
    path.write_text(json.dumps(data))
    assert run(main, [*arguments, "--mapping", str(path)]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert not (tmp_path / "out.json").exists()


def test_wrong_order_is_refused(source, motion, tmp_path, capsys):
    arguments = write(tmp_path, source, motion, source)
    assert run(main, [*arguments[:3], arguments[0]]) == 2
    assert "is the motion to copy" in capsys.readouterr().err
    assert run(main, arguments) == 0
    assert run(main, [*arguments, "--align", "always"]) == 2
    assert "exists already, and --align is for proposing one" in capsys.readouterr().err


def test_a_tail_that_hangs_lower_stays_out_of_the_ground(source, motion):
    """The target's tail reaches the ground already at rest; the source's swings down."""
    skeleton = source.skeleton
    tail = next(limb for limb in skeleton.limbs if limb.kind == "tail")
    sag = lambda p: p * [1, 1.4, 0.3] if p[1] > 0.43 else p  # noqa: E731
    target = rebuilt(skeleton, sag)
    quats = motion.quats.copy()
    down = rot.rotvec_to_quat(np.array([-1.2, 0, 0]))
    first = tail.bones[0]
    away = rot.quat_to_matrix(down)
    quats[:, first] = rot.matrix_to_quat(skeleton.rest[first].T @ away @ skeleton.rest[first])
    hanging = replace(motion, quats=quats)
    lowest = []
    for set_feet in (False, True):
        made = copied(source, hanging, target, set_feet=set_feet).pose(target.skeleton)
        end = next(limb for limb in target.skeleton.limbs if limb.kind == "tail")
        lowest.append(feet.tips(target.skeleton, end, made.heads, made.turns)[:, 2].min())
    assert lowest[0] < -0.02
    assert lowest[1] > -1e-3
