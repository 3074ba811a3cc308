# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A contact sheet of rendered samples: what training will see, with the joints drawn on.

python -m mocap.dataset.sheet [--creature assets/<c>] [--set main|shifted] [--count 12] [--degraded]
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from .. import cli
from ..pictures import draw_joints, grid, joint_colours, joint_radii, save_picture
from ..raster.studio import Studio
from ..rig_info import creature_paths
from . import held_out, samples, training
from .augment import compose
from .backdrops import Backdrops

_GREY = 96
_COLUMNS = 3


def sheet(folder: Path, studio: Studio, count: int, degraded: bool) -> np.ndarray:
    """RGB picture of ``count`` samples spread over the dataset, both views side by side. Joints are dots
    in their limb's colour, markers small ones, hollow where they are not visible."""
    rig = studio.rig
    metas = samples.load_all(folder, rig.digest, studio.digest)
    chosen = [metas[at] for at in np.unique(np.linspace(0, len(metas) - 1, count).astype(int))]
    data = training.gather(folder, studio, chosen)
    if degraded:
        panels = held_out.easy_panels(data, np.arange(len(chosen)), Backdrops(0, 48))
    else:
        panels = [
            [_plain(cutout, view.size) for cutout, view in zip(row, rig.layout.views)] for row in data.cutouts
        ]
    colours, radii = joint_colours(rig), joint_radii(rig.skeleton.is_marker)
    tiles = []
    for row, meta in enumerate(chosen):
        for view, panel in enumerate(panels[row]):
            draw_joints(panel, data.positions[row, view], colours, data.visible[row, view], radii)
        tile = np.hstack(panels[row])
        told = {"blurred": meta.blurred, "shadows": meta.shadows, "unpainted": not meta.painted}
        label = " ".join([f"{meta.index:05d}", meta.engine, *(word for word, is_so in told.items() if is_so)])
        cv2.putText(tile, label, (8, 20), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (255, 255, 255), 1, cv2.LINE_AA)
        tiles.append(tile)
    return grid(tiles, _COLUMNS)


def _plain(cutout, size: tuple[int, int]) -> np.ndarray:
    rgba = cutout.warp(np.eye(2, 3), tuple(size))
    return compose(rgba, np.full((size[1], size[0], 3), _GREY, np.uint8))


def main(argv: Sequence[str]) -> None:
    parser = cli.Parser(prog="python -m mocap.dataset.sheet", description="Contact sheet of the samples.")
    parser.add_argument("--creature", metavar="DIR", help="assets/<c>; default: MOCAP_CREATURE")
    parser.add_argument("--set", choices=("main", "shifted"), default="main")
    parser.add_argument("--count", type=cli.positive_int, default=12)
    parser.add_argument("--degraded", action="store_true", help="on backdrops, degraded as for training")
    arguments = parser.parse_args(argv)
    paths = creature_paths(arguments.creature)
    folder = paths.shifted if arguments.set == "shifted" else paths.dataset
    target = paths.runs / f"{folder.name}_samples.jpg"
    save_picture(target, sheet(folder, Studio.of(paths), arguments.count, arguments.degraded))
    cli.say(f"wrote {target}")


if __name__ == "__main__":
    sys.exit(cli.run(main))
