# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A motion as plain arrays (.npz), for one's own programs. No pickle: ``np.load(path)`` reads it as it is.

Fields (T frames, B bones, J joints, L leaf bones; world: Z up, facing -Y, metres; quaternions wxyz):
fps, rig_digest, height_cm, bone_names (B,), parents (B,) -1 for the root, rest_heads (B, 3), rest_turns (B, 3, 3),
leaf_bones (L,), leaf_ends (L, 3) at rest, joint_names (J,), root (T, 3), quats (T, B, 4) each bone's own
``matrix_basis``, heads (T, B, 3), turns (T, B, 4) each bone's orientation in the world, ends (T, L, 3),
joints (T, J, 3).
"""

from __future__ import annotations

import os
import zipfile

import numpy as np

from .. import files
from .. import rotations as rot
from ..errors import BadInput
from ..motion import Motion
from ..rig_info import RigInfo
from . import leaves

SCHEMA = 1


def write(path: str | os.PathLike, info: RigInfo, motion: Motion) -> None:
    skeleton, posed = info.skeleton, motion.pose(info.skeleton)
    ends = leaves.ends(skeleton)
    bones = np.array(list(ends), int)
    at_rest = np.array(list(ends.values())).reshape(-1, 3)
    arms = (at_rest - skeleton.heads[bones])[..., None]
    turns = rot.quat_continuous(rot.matrix_to_quat(posed.turns @ skeleton.rest))
    with files.atomic_path(path) as temporary:
        np.savez_compressed(
            temporary,
            schema=SCHEMA,
            fps=motion.fps,
            rig_digest=motion.rig_digest,
            height_cm=info.height_cm,
            bone_names=np.array(skeleton.bone_names),
            parents=skeleton.parents,
            rest_heads=skeleton.heads,
            rest_turns=skeleton.rest,
            leaf_bones=bones,
            leaf_ends=at_rest,
            joint_names=np.array(skeleton.joint_names),
            root=motion.root,
            quats=motion.quats,
            heads=posed.heads,
            turns=turns,
            ends=posed.heads[:, bones] + (posed.turns[:, bones] @ arms)[..., 0],
            joints=posed.joints,
        )


def read(path: str | os.PathLike) -> Motion:
    """The motion again. Raises BadInput."""
    target = files.existing_file(path, "motion")
    try:
        with np.load(target, allow_pickle=False) as data:
            stored = {name: data[name] for name in data.files}
    except (ValueError, OSError, zipfile.BadZipFile) as error:
        raise BadInput(f"{path}: not a motion in NPZ ({error})") from error
    files.check_schema({"schema": int(stored.get("schema", -1))}, SCHEMA, "motion", path)
    return files.parse(
        path,
        "motion",
        lambda: Motion(
            float(stored["fps"]),
            tuple(str(name) for name in stored["bone_names"]),
            stored["root"],
            stored["quats"],
            str(stored["rig_digest"]),
        ),
    )
