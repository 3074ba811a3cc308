# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""How plausible random poses are, and what drawing one costs.

``python bench/poses.py assets/wolf/rigged/rig_info.json [more ...] [--count N] [--quick] [--json PATH]``

Intersecting: the share of poses in which two parts of the body stand deeper in each other than accepted
(mocap/poses/capsules.py), of the first candidates and of what is drawn in the end. Feet: heights above the
ground of all feet of grounded poses, lifted ones included.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mocap import cli, poses
from mocap.poses import capsules, feet
from mocap.rig_info import RigInfo
from mocap.skeleton import Skeleton


def measure(skeleton: Skeleton, count: int) -> dict[str, Any]:
    """Figures of the first ``count`` poses of seed 0."""
    poses.draw(skeleton, poses.sample_rng(0, 0))
    started = time.process_time()
    drawn = [poses.draw(skeleton, poses.sample_rng(0, index)) for index in range(count)]
    seconds = time.process_time() - started
    first, final = (
        np.array([getattr(d, name) for d in drawn]) for name in ("first_penetration", "penetration")
    )
    heights = _feet(skeleton, [d.pose for d in drawn if not d.airborne])
    return {
        "bones": len(skeleton.bones),
        "first_intersecting_pct": float(100 * (first > capsules.ACCEPTED).mean()),
        "intersecting_pct": float(100 * (final > capsules.ACCEPTED).mean()),
        "tries": float(np.mean([d.tries for d in drawn])),
        "foot_p50_pct": float(np.percentile(heights, 50)) if heights.size else None,
        "foot_p90_pct": float(np.percentile(heights, 90)) if heights.size else None,
        "ms": 1000 * seconds / count,
    }


def _feet(skeleton: Skeleton, grounded: list[poses.RandomPose]) -> np.ndarray:
    """(N, L) heights of the feet, percent of the creature's height; empty where it has no legs."""
    legs = feet.find(skeleton)
    if not len(legs.base):
        return np.zeros(0)
    posed = skeleton.pose(np.stack([p.root for p in grounded]), np.stack([p.quats for p in grounded]))
    return 100 * feet.soles(legs, posed) / skeleton.height


def main(argv: Sequence[str]) -> None:
    parser = cli.Parser("python bench/poses.py", description="Plausibility and cost of random poses.")
    parser.add_argument("rigs", metavar="RIG_INFO", type=Path, nargs="+")
    parser.add_argument("--count", type=cli.positive_int, default=1000)
    parser.add_argument("--quick", action="store_true", help="100 poses")
    cli.add_json_option(parser)
    args = parser.parse_args(argv)
    count = min(args.count, 100) if args.quick else args.count
    infos = [RigInfo.load(path) for path in args.rigs]
    rows = {info.skeleton.name: measure(info.skeleton, count) for info in cli.track(infos, "measuring")}
    cli.table(
        f"{count} random poses a rig",
        ("rig", "bones", "intersecting % first", "in the end", "tries", "foot p50 %", "foot p90 %", "ms"),
        [(name, *("-" if value is None else value for value in row.values())) for name, row in rows.items()],
    )
    cli.write_figures(args.json, {"count": count, "rigs": rows})


if __name__ == "__main__":
    sys.exit(cli.run(main))
