# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Forward kinematics, derived tables, and rig_info on disk."""

import json
from dataclasses import replace

import numpy as np
import pytest

from mocap import poses
from mocap import rotations as rot
from mocap.errors import BadInput
from mocap.rig_info import RigInfo
from mocap.skeleton import Skeleton
from tests.mocap import rigs


@pytest.fixture(scope="module")
def info() -> RigInfo:
    return rigs.rig_info()


def random_state(skeleton, count=5, seed=0):
    drawn = [poses.random_pose(skeleton, poses.sample_rng(seed, i)) for i in range(count)]
    return np.stack([p.root for p in drawn]), np.stack([p.quats for p in drawn])


def test_rest_pose_is_identity(info):
    skeleton = info.skeleton
    quats = np.zeros((1, len(skeleton.bones), 4))
    quats[..., 0] = 1
    posed = skeleton.pose(skeleton.heads[:1], quats)
    np.testing.assert_allclose(posed.joints[0], skeleton.joint_points, atol=1e-12)
    np.testing.assert_allclose(posed.heads[0], skeleton.heads, atol=1e-12)
    np.testing.assert_allclose(posed.turns[0], np.tile(np.eye(3), (len(skeleton.bones), 1, 1)), atol=1e-12)


def test_markers_are_no_part_of_the_skeleton():
    marked, plain = rigs.marked(), rigs.quadruped()
    assert marked.is_marker.sum() == 2 * len(plain.bones)
    assert marked.bare.joints == plain.joints
    assert plain.bare is plain
    np.testing.assert_array_equal(marked.axes, plain.axes)
    again = Skeleton.from_json(json.loads(json.dumps(marked.to_json())))
    assert again == marked
    for joint in marked.joints:
        if joint.mirror >= 0:
            image = marked.joints[joint.mirror]
            assert image.kind == joint.kind
            np.testing.assert_allclose(np.array(image.point) * (-1, 1, 1), joint.point, atol=1e-9)
    with pytest.raises(ValueError, match="at least one bone and one joint"):
        replace(marked, joints=tuple(j for j in marked.joints if j.kind == "marker"))


def test_markers_do_not_change_the_poses_that_are_drawn():
    for index in range(5):
        plain, marked = (
            poses.random_pose(skeleton, poses.sample_rng(0, index))
            for skeleton in (rigs.quadruped(), rigs.marked())
        )
        np.testing.assert_array_equal(plain.quats, marked.quats)
        np.testing.assert_array_equal(plain.root, marked.root)


def test_kinematics_match_blenders_matrix_chain(info):
    """pose_bone.matrix = parent.matrix @ parent.rest^-1 @ rest @ matrix_basis, with 4x4 matrices."""
    skeleton = info.skeleton
    root, quats = random_state(skeleton)
    posed = skeleton.pose(root, quats)
    rest = np.tile(np.eye(4), (len(skeleton.bones), 1, 1))
    rest[:, :3, :3], rest[:, :3, 3] = skeleton.rest, skeleton.heads
    for frame in range(len(root)):
        chain = np.empty_like(rest)
        for bone in range(len(rest)):
            basis = np.eye(4)
            basis[:3, :3] = rot.quat_to_matrix(quats[frame, bone])
            parent = skeleton.parents[bone]
            if parent < 0:
                chain[bone] = rest[bone] @ basis
                chain[bone, :3, 3] = root[frame]
            else:
                chain[bone] = chain[parent] @ np.linalg.inv(rest[parent]) @ rest[bone] @ basis
        np.testing.assert_allclose(posed.heads[frame], chain[:, :3, 3], atol=1e-9)
        turns = chain[:, :3, :3] @ np.swapaxes(skeleton.rest, -1, -2)
        np.testing.assert_allclose(posed.turns[frame], turns, atol=1e-9)


def test_bones_keep_their_length(info):
    skeleton = info.skeleton
    posed = skeleton.pose(*random_state(skeleton))
    child = np.flatnonzero(skeleton.parents >= 0)
    above = skeleton.parents[child]
    rest = np.linalg.norm(skeleton.heads[child] - skeleton.heads[above], axis=1)
    length = np.linalg.norm(posed.heads[:, child] - posed.heads[:, above], axis=-1)
    np.testing.assert_allclose(length, np.tile(rest, (5, 1)), atol=1e-12)


def test_a_bone_moves_only_what_hangs_below_it(info):
    skeleton = info.skeleton
    root, quats = random_state(skeleton, 1)
    before = skeleton.pose(root, quats).joints[0]
    bone = skeleton.bone_index("shin.L")
    turned = quats.copy()
    turned[:, bone] = rot.quat_multiply(turned[:, bone], rot.rotvec_to_quat(np.array([0.4, 0.3, 0.2])))
    moved = np.linalg.norm(skeleton.pose(root, turned).joints[0] - before, axis=1) > 1e-6
    names = {name for name, m in zip(skeleton.joint_names, moved) if m}
    assert names == {"hock.L", "foot.L", "foot.L.tip"}
    assert set(np.flatnonzero(moved)) <= set(np.flatnonzero(skeleton.ancestors[skeleton.joint_bones, bone]))


def test_axes_point_along_the_geometry_not_along_y(info):
    skeleton = info.skeleton
    bone = skeleton.bone_index("forearm.L")
    direction = skeleton.heads[skeleton.bone_index("paw.L")] - skeleton.heads[bone]
    along = skeleton.rest[bone] @ skeleton.axes[bone]
    np.testing.assert_allclose(along, direction / np.linalg.norm(direction), atol=1e-9)
    assert abs(skeleton.axes[bone] @ [0, 1, 0]) < 0.999


def test_mirror_and_limb_tables(info):
    skeleton = info.skeleton
    mirror = skeleton.joint_mirror
    paired = mirror >= 0
    np.testing.assert_array_equal(mirror[mirror[paired]], np.flatnonzero(paired))
    flipped = skeleton.joint_points[mirror[paired]] * [-1, 1, 1]
    np.testing.assert_allclose(skeleton.joint_points[paired], flipped, atol=1e-12)
    assert skeleton.limbs[skeleton.bone_limb[skeleton.bone_index("paw.R")]].name == "fore_leg.R"


def test_rig_info_round_trip_keeps_the_digest(info, tmp_path):
    info.save(tmp_path / "rig_info.json")
    back = RigInfo.load(tmp_path / "rig_info.json")
    assert back.digest == info.digest
    np.testing.assert_allclose(back.skeleton.limits, info.skeleton.limits, atol=1e-6)
    assert back.cm_per_metre == pytest.approx(80.0)


def test_digest_ignores_where_the_rig_came_from_but_not_its_bones(info):
    assert replace(info, source={"file": "elsewhere.glb"}).digest == info.digest
    bones = (replace(info.skeleton.bones[0], head=(0.0, 0.3, 0.65)), *info.skeleton.bones[1:])
    moved = replace(info, skeleton=Skeleton("quadruped", 1.0, bones, info.skeleton.joints))
    assert moved.digest != info.digest


def break_parent(data):
    data["skeleton"]["bones"][3]["parent"] = "neck"


def break_rest(data):
    data["skeleton"]["bones"][2]["rest"][0] = [2, 0, 0]


def break_limits(data):
    data["skeleton"]["bones"][2]["limits_deg"][1] = [20, -20]


def break_joint_kind(data):
    data["skeleton"]["joints"][1]["kind"] = "elbow"


def break_limb_side(data):
    data["skeleton"]["limbs"][0]["side"] = "left"


def break_names(data):
    data["skeleton"]["bones"][2]["name"] = "pelvis"


def break_height(data):
    data["skeleton"]["height_m"] = 0


def break_field(data):
    del data["height_cm"]


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (break_parent, "chest"),
        (break_rest, "ribs"),
        (break_limits, "Y limit"),
        (break_joint_kind, "elbow"),
        (break_limb_side, "torso"),
        (break_names, "same name"),
        (break_height, "height"),
        (break_field, "height_cm"),
    ],
)
def test_a_damaged_rig_info_is_named_in_one_line(info, tmp_path, damage, told):
    path = tmp_path / "rig_info.json"
    info.save(path)
    data = json.loads(path.read_text())
    damage(data)
    path.write_text(json.dumps(data))
    with pytest.raises(BadInput) as caught:
        RigInfo.load(path)
    assert str(path) in str(caught.value)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
