# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Copy clips between real rigs: how the feet stand and what the limbs say, with and without setting feet down.

python bench/retarget.py [--pairs Wolf:Stag,Wolf:KhronosFox] [--assets DIR] [--sheets DIR] [--quick] [--json PATH]

Rigs are adopted from ../shared/creatures into DIR (kept there for the next time), or a temporary folder. Slide counts
while the source's foot stands, against the source's own; ``sunk`` is the deepest place of a foot under its stand;
``limbs`` the mean angle between where a limb points and where the source's does. --sheets draws a contact sheet of
each: the source above, the copy below.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import bpy  # the other imports need the paths that bpy adds  # isort: split
import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "blender_scripts")]

import anymove_package  # noqa: E402

anymove = anymove_package.load()
from anymove.addon.motion import action  # noqa: E402
from anymove.addon.studio import cameras, footage, lights, stage  # noqa: E402
from anymove.mocap import cli, retarget  # noqa: E402
from anymove.mocap.motion import Motion  # noqa: E402
from anymove.mocap.rig_info import RigInfo  # noqa: E402

CREATURES = ROOT.parent / "shared" / "creatures"
CLIPS = {
    "Wolf:Stag": ("Walk", "Gallop", "Eating", "Attack"),
    "Trex:Velociraptor": ("TRex_Walk", "TRex_Run", "TRex_Attack"),
    "Wolf:KhronosFox": ("Walk", "Gallop", "Eating", "Attack"),
}
COLUMNS = ("pair", "clip", "feet", "slide cm/s", "aside %", "sunk cm", "limbs deg", "jitter", "source's")
SHOTS = 6
BACKDROP = (225, 225, 225)


def main(argv: list[str]) -> None:
    parser = cli.Parser(prog="retarget.py", description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", default=",".join(CLIPS), help="SOURCE:TARGET, a comma between")
    parser.add_argument("--assets", type=Path, help="where the adopted rigs are, or will be")
    parser.add_argument("--sheets", type=Path, metavar="DIR", help="draw contact sheets into it")
    parser.add_argument("--quick", action="store_true", help="the first pair's first clip only")
    cli.add_json_option(parser)
    options = parser.parse_args(argv)
    pairs = options.pairs.split(",")[: 1 if options.quick else None]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    anymove.register()
    rows = []
    with tempfile.TemporaryDirectory(prefix="anymove-retarget-") as folder:
        assets = options.assets or Path(folder)
        for pair in pairs:
            homes = [_adopted(assets, name) for name in pair.split(":")]
            clips = CLIPS.get(pair) or RigInfo.load(homes[0] / "rig_info.json").clips
            for clip in clips[: 1 if options.quick else None]:
                rows += _measure(pair, homes, clip, options.sheets)
    cli.table("Copied motions", COLUMNS, [[row[column] for column in COLUMNS] for row in rows])
    cli.write_figures(options.json, {"copies": rows})


def _adopted(assets: Path, name: str) -> Path:
    home = assets / name
    if not (home / "rigged" / "rig_info.json").exists():
        bpy.ops.anymove.adopt_rig(filepath=str(CREATURES / f"{name}.glb"), creature=str(home))
    return home / "rigged"


def _measure(pair: str, homes: list[Path], clip: str, sheets: Path | None) -> list[dict]:
    source, target = (RigInfo.load(home / "rig_info.json") for home in homes)
    motion = Motion.load(homes[0] / "clips" / f"{clip}.json")
    mapping = retarget.propose(source, target)
    rows = []
    for feet in (False, True):
        made = retarget.transfer(source, motion, target, mapping, feet)
        told = retarget.figures(source, motion, target, made, mapping)
        figures = (told["slide_cm_s"], told["missed_pct"], told["sunk_cm"], told["limb_deg"])
        jitter = (_jitter(target, made), _jitter(source, motion))
        rows.append(dict(zip(COLUMNS, (pair, clip, "set" if feet else "as is", *figures, *jitter))))
    if sheets:
        path = sheets / f"{pair.replace(':', '_')}_{clip}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        strips = [_strip(homes[0], source, motion), _strip(homes[1], target, made)]
        width = max(strip.shape[1] for strip in strips)
        wide = [cv2.resize(s, (width, round(s.shape[0] * width / s.shape[1]))) for s in strips]
        cv2.imwrite(str(path), np.concatenate(wide), [cv2.IMWRITE_JPEG_QUALITY, 85])
    return rows


def _jitter(info: RigInfo, motion: Motion) -> float:
    """Mean second difference of the joints, % of the height."""
    return 100 * float(np.abs(np.diff(motion.joints(info.skeleton), 2, axis=0)).mean()) / info.skeleton.height


def _strip(home: Path, info: RigInfo, motion: Motion) -> np.ndarray:
    """(H, W, 3) BGR: the side view at evenly spaced frames."""
    with stage.opened(home / "rigged.blend", info) as opened:
        seen = cameras.add(opened.scene, info.layout)
        lights.add(opened.scene)
        action.write(opened.rig, info, motion, "sheet")
        side = next(view for view in info.layout.views if view.name == "side")
        (x, y), (width, height) = side.corner, side.size
        shots = []
        for frame in np.linspace(0, motion.frames - 1, SHOTS).round().astype(int):
            opened.scene.frame_set(int(frame) + 1)
            picture = footage.panels(opened, seen, "workbench", BACKDROP, painted=False)
            shots.append(picture[y : y + height, x : x + width, 2::-1])
    return np.concatenate(shots, 1)


if __name__ == "__main__":
    sys.exit(cli.run(main))
