# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion onto the rig and through every format, and back: how far joints and leaf ends are from where they were.

python bench/round_trips.py [--rigs Wolf,Trex] [--frames 48] [--quick] [--json PATH]

Rigs come from ../shared/creatures. Each gets a random motion at 29.97 frames a second. ``rig``: onto the rig as its
file has it, read through Blender's own evaluation. The files are read by Blender's importers. Errors are the largest
over all frames and bones, in % of the height.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import bpy  # the other imports need the paths that bpy adds  # isort: split
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "blender_scripts"), str(ROOT / "tests" / "addon" / "motion")]

import anymove_package  # noqa: E402

anymove = anymove_package.load()
from anymove.addon.motion import verify  # noqa: E402
from anymove.mocap import cli, poses  # noqa: E402
from anymove.mocap.interchange import npz  # noqa: E402
from anymove.mocap.motion import Motion  # noqa: E402
from anymove.mocap.rig_info import RigInfo  # noqa: E402
from read_back import read_back  # noqa: E402

CREATURES = ROOT.parent / "shared" / "creatures"
FPS = 30000 / 1001
FORMATS = (".glb", ".fbx", ".usda", ".bvh", ".npz")
COLUMNS = ("rig", "through", "heads %", "leaf ends %", "frames", "fps", "bones lost")


def main(argv: list[str]) -> None:
    parser = cli.Parser(prog="round_trips.py", description=__doc__.splitlines()[0])
    parser.add_argument("--rigs", default="Wolf,Trex,KhronosFox,Spider,Snake")
    parser.add_argument("--frames", type=cli.positive_int, default=48)
    parser.add_argument("--quick", action="store_true", help="one rig, eight frames")
    cli.add_json_option(parser)
    options = parser.parse_args(argv)
    names = options.rigs.split(",")[: 1 if options.quick else None]
    rows = []
    with tempfile.TemporaryDirectory(prefix="anymove-trips-") as folder:
        for name in names:
            rows += _measure(name, Path(folder), 8 if options.quick else options.frames)
    shown = [
        ["" if cell is None else f"{cell:.1e}" if isinstance(cell, float) else cell for cell in row.values()]
        for row in rows
    ]
    cli.table("Round trips", COLUMNS, shown)
    cli.write_figures(options.json, {"trips": rows})


def _measure(name: str, folder: Path, frames: int) -> list[dict]:
    _empty()
    home = folder / name / "rigged"
    bpy.ops.anymove.adopt_rig(filepath=str(CREATURES / f"{name}.glb"), creature=str(folder / name))
    info = RigInfo.load(home / "rig_info.json")
    motion = poses.random_motion(info.skeleton, 4, frames, FPS, info.digest)
    rows = [_row(name, "rig", 100 * _onto_rig(name, home, info, motion, folder), None, frames, FPS, 0)]
    for suffix in FORMATS:
        path = folder / f"{name}{suffix}"
        motion.save(path.with_suffix(".json"))
        _empty()
        bpy.ops.anymove.export_motion(
            rigged=str(home / "rigged.blend"),
            rig_info=str(home / "rig_info.json"),
            motion=str(path.with_suffix(".json")),
            filepath=str(path),
        )
        if suffix == ".npz":
            again = npz.read(path)
            off = np.linalg.norm(again.joints(info.skeleton) - motion.joints(info.skeleton), axis=-1).max()
            rows.append(_row(name, "npz", 100 * off / info.skeleton.height, 0.0, again.frames, again.fps, 0))
            continue
        back = read_back(path, info, FPS)
        errors = (100 * back.head_error, 100 * back.leaf_error)
        rows.append(_row(name, suffix[1:], *errors, back.frames, back.fps, len(back.missing)))
    return rows


def _row(
    name: str, through: str, heads: float, leaves: float | None, frames: int, fps: float, lost: int
) -> dict:
    return dict(zip(COLUMNS, (name, through, float(heads), leaves, frames, f"{fps:.4f}", lost)))


def _onto_rig(name: str, home: Path, info: RigInfo, motion: Motion, folder: Path) -> float:
    """Worst joint, in heights."""
    _empty()
    bpy.ops.import_scene.gltf(filepath=str(CREATURES / f"{name}.glb"))
    rig = next(o for o in bpy.context.scene.objects if o.type == "ARMATURE")
    bpy.context.view_layer.objects.active = rig
    motion.save(folder / "take.json")
    bpy.ops.anymove.apply_to_rig(
        rig_info=str(home / "rig_info.json"), motion=str(folder / "take.json"), rate="MOTION"
    )
    every = list(range(motion.frames))
    return verify.off(bpy.context.scene, rig, info.skeleton, motion, 1, every).worst


def _empty() -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if not hasattr(bpy.types, "ANYMOVE_OT_adopt_rig"):
        anymove.register()


if __name__ == "__main__":
    sys.exit(cli.run(main))
