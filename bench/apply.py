# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a motion takes onto a rig, and how exactly the rig follows it.

python bench/apply.py [--bones 60] [--frames 1000] [--quick] [--json PATH]

A branching rig is made, scaled by 100, and a smooth random motion is put on it, in each kind of rotation mode. The
least of three tries counts; the error is the largest over 50 frames, read through Blender's own evaluation.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import bpy  # the other imports need the paths that bpy adds  # isort: split
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "blender_scripts")]

import anymove_package  # noqa: E402

anymove_package.load()
from anymove.addon.motion import apply, verify  # noqa: E402
from anymove.mocap import cli  # noqa: E402
from anymove.mocap import rotations as rot  # noqa: E402
from anymove.mocap.motion import Motion  # noqa: E402
from anymove.mocap.skeleton import Bone, Joint, Skeleton  # noqa: E402

MODES = ("QUATERNION", "XYZ", "AXIS_ANGLE")
COLUMNS = ("rotation mode", "seconds", "keys", "worst % of height")


def main(argv: list[str]) -> None:
    parser = cli.Parser(prog="apply.py", description=__doc__.splitlines()[0])
    parser.add_argument("--bones", type=cli.positive_int, default=60)
    parser.add_argument("--frames", type=cli.positive_int, default=1000)
    parser.add_argument("--quick", action="store_true", help="100 frames")
    cli.add_json_option(parser)
    options = parser.parse_args(argv)
    frames = 100 if options.quick else options.frames
    rows = [_measure(mode, options.bones, frames) for mode in MODES]
    title = f"{options.bones} bones x {frames} frames, Blender {bpy.app.version_string}"
    cli.table(
        title, COLUMNS, [[row["mode"], row["seconds"], row["keys"], f"{row['worst']:.1e}"] for row in rows]
    )
    cli.write_figures(options.json, {"bones": options.bones, "frames": frames, "modes": rows})


def _measure(mode: str, bones: int, frames: int) -> dict:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    rig = _rig(bones, mode)
    skeleton = _skeleton(rig)
    motion = _motion(skeleton, frames)
    seconds = []
    for _ in range(3):
        began = time.perf_counter()
        made = apply.put(rig, skeleton, motion, apply.Placing("take"))
        seconds.append(time.perf_counter() - began)
    looked = [int(i) for i in np.linspace(0, frames - 1, min(50, frames))]
    off = verify.off(bpy.context.scene, rig, skeleton, motion, 1, looked)
    bag = made.action.layers[0].strips[0].channelbags[0]
    keys = sum(len(curve.keyframe_points) for curve in bag.fcurves)
    return {"mode": mode, "seconds": min(seconds), "keys": keys, "worst": 100 * off.worst}


def _rig(count: int, mode: str) -> bpy.types.Object:
    """Five chains on one root, each turned and rolled another way."""
    item = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
    bpy.context.scene.collection.objects.link(item)
    item.scale = (100, 100, 100)
    bpy.context.view_layer.objects.active = item
    bpy.ops.object.mode_set(mode="EDIT")
    rng = np.random.default_rng(3)
    made = []
    for index in range(count):
        bone = item.data.edit_bones.new(f"b{index:02d}")
        bone.parent = made[0 if index <= 5 else index - 5] if index else None
        bone.head = bone.parent.tail if index else (0, 0, 0.01)
        bone.tail = np.array(bone.head) + 0.002 * rng.normal(size=3)
        bone.roll = rng.uniform(-3, 3)
        made.append(bone)
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in item.pose.bones:
        bone.rotation_mode = mode
    return item


def _skeleton(rig: bpy.types.Object) -> Skeleton:
    names = [bone.name for bone in rig.data.bones]
    world = np.array(rig.matrix_world)
    free = ((-np.pi, np.pi),) * 3
    bones, joints = [], []
    for index, bone in enumerate(rig.data.bones):
        place = world @ np.array(bone.matrix_local)
        head, tail = tuple(place[:3, 3]), tuple((world @ [*bone.tail_local, 1])[:3])
        rest = tuple(map(tuple, place[:3, :3] / np.linalg.norm(place[:3, :3], axis=0)))
        parent = names.index(bone.parent.name) if bone.parent else -1
        bones.append(Bone(bone.name, parent, head, tail, rest, free, "free"))
        joints.append(Joint(bone.name, index, tail, "tip"))
    points = np.array([joint.point for joint in joints])
    return Skeleton("bench", float(np.ptp(points[:, 2])), tuple(bones), tuple(joints))


def _motion(skeleton: Skeleton, frames: int) -> Motion:
    rng = np.random.default_rng(4)
    at = np.linspace(0, frames / 24, frames)[:, None, None]
    size, speed, phase = rng.uniform(0.2, 1.0, (3, 1, len(skeleton.bones), 3))
    vectors = size * np.sin(2 * np.pi * (speed * at + phase))
    root = skeleton.heads[0] + 0.1 * skeleton.height * np.sin(at[:, :, 0] * [0.5, 0.7, 0.9])
    return Motion(24, skeleton.bone_names, root, rot.quat_continuous(rot.rotvec_to_quat(vectors)), "bench")


if __name__ == "__main__":
    sys.exit(cli.run(main))
