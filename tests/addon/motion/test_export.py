# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion through every format and back: heads and leaf ends to 1e-3 of the height, names and rate as they were."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from anymove.mocap import poses
from anymove.mocap.errors import BadInput
from anymove.mocap.interchange import leaves, npz
from anymove.mocap.motion import Motion

from tests.addon.motion.read_back import read_back

pytestmark = [pytest.mark.bpy, pytest.mark.rigs]

CLOSE = 1e-3
CASES = [(s, fps) for s in (".glb", ".fbx", ".usda", ".bvh") for fps in (24.0, 30000 / 1001, 60.0)]
CASES += [(".usdc", 24.0), (".usdz", 24.0)]


@pytest.fixture
def wolf(adopt):
    return adopt("Wolf")


def made(wolf, fps: float, frames: int = 40) -> Motion:
    return poses.random_motion(wolf.info.skeleton, 4, frames, fps, wolf.info.digest)


def export(wolf, motion, path, **options):
    motion.save(path.with_suffix(".json"))
    bpy.ops.anymove.export_motion(
        rigged=str(wolf.blend),
        rig_info=str(wolf.info_path),
        motion=str(path.with_suffix(".json")),
        filepath=str(path),
        **options,
    )
    return path


@pytest.mark.parametrize(("suffix", "fps"), CASES)
def test_round_trip(wolf, tmp_path, suffix, fps):
    motion = made(wolf, fps)
    path = export(wolf, motion, tmp_path / f"take{suffix}")
    back = read_back(path, wolf.info, fps)
    assert back.fps == pytest.approx(fps, rel=1e-5)
    assert back.frames == motion.frames
    assert back.missing == []
    assert back.head_error < CLOSE
    assert back.leaf_error < CLOSE
    assert (back.meshes > 0) == (suffix != ".bvh")
    if suffix == ".glb":
        assert back.actions == ["take"]


def test_npz_is_the_motion(wolf, tmp_path):
    motion = made(wolf, 23.976)
    path = export(wolf, motion, tmp_path / "take.npz")
    again = npz.read(path)
    assert again.bone_names == motion.bone_names
    assert again.rig_digest == motion.rig_digest
    assert again.fps == motion.fps
    data = np.load(path, allow_pickle=False)
    skeleton = wolf.info.skeleton
    assert np.abs(data["joints"] - motion.joints(skeleton)).max() < 1e-6
    # The world's arrays say the same as the local ones: ends from heads and turns alone.
    from anymove.mocap import rotations as rot

    leaf, turns = data["leaf_bones"], rot.quat_to_matrix(data["turns"])
    arms = np.einsum("bji,bj->bi", data["rest_turns"][leaf], data["leaf_ends"] - data["rest_heads"][leaf])
    ends = data["heads"][:, leaf] + np.einsum("tbij,bj->tbi", turns[:, leaf], arms)
    assert np.abs(ends - data["ends"]).max() < 1e-6
    assert set(leaf) == set(leaves.ends(skeleton))


def test_converted_in_place_without_mesh_or_leaves(wolf, tmp_path):
    motion = made(wolf, 24)
    path = export(
        wolf, motion, tmp_path / "take.glb", fps=60, in_place=True, mesh=False, leaves=False, name="Go"
    )
    wanted = motion.resample(60).in_place(wolf.info.skeleton)
    back = read_back(path, wolf.info, 60, wanted)
    assert (back.frames, back.meshes, back.actions) == (wanted.frames, 0, ["Go"])
    assert back.head_error < CLOSE
    assert back.extra == []


def test_open_file_is_untouched(wolf, tmp_path):
    names = {"objects", "actions", "armatures", "meshes", "scenes", "materials"}
    before = {name: [item.name for item in getattr(bpy.data, name)] for name in names}
    rate = bpy.context.scene.render.fps
    for suffix in (".glb", ".fbx", ".usdc"):
        export(wolf, made(wolf, 60), tmp_path / f"take{suffix}")
    assert {name: [item.name for item in getattr(bpy.data, name)] for name in names} == before
    assert bpy.context.scene.render.fps == rate


def test_unknown_format_is_one_line(wolf, tmp_path, outcome):
    with pytest.raises(RuntimeError, match=r"\.abc is no format of ours; use \.glb, \.fbx"):
        export(wolf, made(wolf, 24), tmp_path / "take.abc")
    assert outcome().code == 2


def test_damaged_npz_is_one_line(tmp_path):
    (tmp_path / "take.npz").write_bytes(b"no")
    with pytest.raises(BadInput, match="not a motion in NPZ"):
        npz.read(tmp_path / "take.npz")
