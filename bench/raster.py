# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What a sample of the stream costs: milliseconds a view for skinning, z-buffer, colours, masks and labels.

python bench/raster.py assets/wolf [assets/<c> ...] [--samples 100] [--quick] [--json PATH]
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from mocap import cli, poses
from mocap.raster import lights
from mocap.raster.studio import Studio
from mocap.rig_info import creature_paths

_WARM = 2
"""Samples that are not counted: the first ones compile."""


def measure(home: Path, count: int) -> dict[str, Any]:
    paths = creature_paths(home)
    studio, spent = Studio.of(paths), defaultdict(float)
    rig, kept = studio.rig, studio.skin

    def timed(name: str, act):
        start = time.perf_counter()
        made = act()
        spent[name] += time.perf_counter() - start
        return made

    for index in range(-_WARM, count):
        if index == 0:
            spent.clear()
        rng = np.random.default_rng(index + _WARM)
        pose = timed("pose", lambda r=rng: poses.random_pose(rig.skeleton, r))
        posed = rig.skeleton.pose(pose.root[None], pose.quats[None])
        light = lights.random(rng)
        for view in rig.layout.views:
            points = timed("skin", lambda p=posed: studio.points(p))
            buffers = timed("z-buffer", lambda p=points, v=view: studio.buffers(p, v))
            timed("colours", lambda p=points, b=buffers, v=view, li=light: studio.colour(p, b, v, li))
            timed("masks", lambda b=buffers: studio.masks(b))
            timed("labels", lambda p=posed, b=buffers, v=view: studio.labels(p, b, v))
    views = count * len(rig.layout.views)
    return {
        "creature": paths.name,
        "triangles": len(kept.triangles),
        **{f"{name}_ms": 1000 * seconds / views for name, seconds in spent.items()},
        "view_ms": 1000 * sum(spent.values()) / views,
    }


def main(argv: list[str]) -> None:
    parser = cli.Parser(prog="raster.py", description=__doc__.splitlines()[0])
    parser.add_argument("creatures", nargs="+", type=Path, help="folders assets/<c>")
    parser.add_argument("--samples", type=cli.positive_int, default=100)
    parser.add_argument("--quick", action="store_true", help="ten samples")
    cli.add_json_option(parser)
    options = parser.parse_args(argv)
    found = [measure(home, 10 if options.quick else options.samples) for home in options.creatures]
    heads = ("creature", "triangles", "pose", "skin", "z-buffer", "colours", "masks", "labels", "all")
    rows = [tuple(v if isinstance(v, (str, int)) else f"{v:.2f}" for v in row.values()) for row in found]
    cli.table("Milliseconds a view, one thread (a pose is shared by the views)", heads, rows)
    cli.write_figures(options.json, found)


if __name__ == "__main__":
    sys.exit(cli.run(main))
