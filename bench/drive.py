# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drive the controls of Rigify's rigs with random motions, and read their deform bones again.

python bench/drive.py [--rigs human,wolf] [--frames 24] [--quick] [--json PATH]

The motion is made for the deform bones alone, inside the limits found for them, so that it holds poses which the
controls cannot quite reach. ``heads``: how far the deform bones' heads are from the motion, in % of the height;
``turn``: their rotation, degrees.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import bpy  # the other imports need the paths that bpy adds  # isort: split
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "blender_scripts"), str(ROOT / "tests" / "addon" / "rig")]

import anymove_package  # noqa: E402

anymove = anymove_package.load()
import rigify_rigs  # noqa: E402
from anymove.addon.motion import apply, binding, drive, survey  # noqa: E402
from anymove.mocap import cli, poses  # noqa: E402
from anymove.mocap import rotations as rot  # noqa: E402
from anymove.mocap.rig_info import RigInfo  # noqa: E402

COLUMNS = ("rig", "bones", "keyed", "heads mean %", "95% %", "worst %", "turn deg", "s", "s/frame")


def main(argv: list[str]) -> None:
    parser = cli.Parser(prog="drive.py", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--rigs", default=",".join(rigify_rigs.METARIGS), help="Rigify's metarigs, a comma between"
    )
    parser.add_argument("--frames", type=cli.positive_int, default=24)
    parser.add_argument("--quick", action="store_true", help="one rig, four frames")
    cli.add_json_option(parser)
    options = parser.parse_args(argv)
    names = options.rigs.split(",")[: 1 if options.quick else None]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    anymove.register()
    with tempfile.TemporaryDirectory(prefix="anymove-drive-") as folder:
        rows = [_measure(name, Path(folder), 4 if options.quick else options.frames) for name in names]
    cli.table("Driven controls", COLUMNS, [[row[c] for c in COLUMNS] for row in rows])
    cli.write_figures(options.json, {"rigs": rows})


def _measure(name: str, folder: Path, frames: int) -> dict:
    path = rigify_rigs.generate(name, folder / f"{name}.blend")
    bpy.ops.anymove.adopt_rig(filepath=str(path), creature=str(folder / name))
    info = RigInfo.load(folder / name / "rigged" / "rig_info.json")
    motion = poses.random_motion(info.skeleton, 4, frames, 24, info.digest)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    rig = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    began = time.perf_counter()
    done = drive.put(rig, info.skeleton, motion, apply.Placing("take"), lambda items, what, total: items)
    seconds = time.perf_counter() - began
    heads, turns = _off(rig, binding.bind(rig, info.skeleton), motion)
    figures = (heads.mean(), np.percentile(heads, 95), heads.max(), turns.mean())
    return dict(
        zip(
            COLUMNS,
            (
                name,
                len(motion.bone_names),
                len(done.controls),
                *map(float, figures),
                seconds,
                seconds / frames,
            ),
        )
    )


def _off(rig: bpy.types.Object, bound: binding.Binding, motion) -> tuple[np.ndarray, np.ndarray]:
    """(T, B) distance of the heads, % of the height; (T, B) angle, degrees."""
    target = binding.matrices(bound, motion.root, motion.quats)
    heads, turns = [], []
    for frame in range(motion.frames):
        bpy.context.scene.frame_set(frame + 1)
        seen = survey.look(rig, list(motion.bone_names))
        heads.append(np.linalg.norm(seen.heads - target[frame, :, :3, 3], axis=1))
        turns.append(rot.angle_between(seen.turns, target[frame, :, :3, :3]))
    return 100 * np.array(heads) / (bound.scale * bound.skeleton.height), np.degrees(turns)


if __name__ == "__main__":
    sys.exit(cli.run(main))
