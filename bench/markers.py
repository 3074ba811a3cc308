# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What markers are worth with a real reader: solve the readings of finished exams with markers at several weights.

python bench/markers.py runs/fox/exam/Walk runs/fox/exam/random3 [--quick] [--json PATH]

Each folder is an exam as tools/exam.sh leaves it (truth.json, det.npz); its rig is assets/<c>/rigged beside runs/.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from mocap import cli
from mocap import rotations as rot
from mocap.detections import Detections
from mocap.motion import Motion
from mocap.rig_info import RigInfo
from mocap.solve.settings import Settings
from mocap.solve.solver import solve

WEIGHTS = (1e-6, 0.1, 0.25, 0.4, 1.0)
"""1e-6 leaves markers out."""


def measure(folder: Path, weights: tuple[float, ...]) -> list[dict[str, Any]]:
    home = folder.parents[3] / "assets" / folder.parents[1].name
    info = RigInfo.load(home / "rigged" / "rig_info.json")
    readings, truth = Detections.load(folder / "det.npz"), Motion.load(folder / "truth.json")
    cli.need(info.skeleton.is_marker.any(), f"{home}: its rig has no markers; adopt it again")
    rows = []
    for weight in weights:
        solved = solve(readings, info, Settings(marker_worth=weight)).motion
        skeleton = info.skeleton.bare
        apart = np.linalg.norm(solved.joints(skeleton) - truth.joints(skeleton), axis=-1)
        turned = rot.angle_between(*(rot.quat_to_matrix(m.quats) for m in (solved, truth)))
        rows.append(
            {
                "exam": f"{home.name} {folder.name}",
                "weight": weight,
                "mean_pct": 100 * float(apart.mean()) / skeleton.height,
                "rotation_deg": float(np.degrees(turned).mean()),
            }
        )
    return rows


def main(argv: list[str]) -> None:
    parser = cli.Parser(prog="markers.py", description=__doc__.splitlines()[0])
    parser.add_argument("exams", nargs="+", type=Path, help="folders runs/<c>/exam/<name>")
    parser.add_argument("--quick", action="store_true", help="without markers and with, one weight only")
    cli.add_json_option(parser)
    options = parser.parse_args(argv)
    weights = (WEIGHTS[0], Settings().marker_worth) if options.quick else WEIGHTS
    folders = [exam.absolute() for exam in options.exams]
    rows = [row for exam in cli.track(folders, "solving") for row in measure(exam, weights)]
    for weight in weights:
        same = [row for row in rows if row["weight"] == weight]
        means = {key: float(np.mean([row[key] for row in same])) for key in ("mean_pct", "rotation_deg")}
        rows.append({"exam": "mean of all", "weight": weight, **means})
    shown = [
        (row["exam"], f"{row['weight']:g}", row["mean_pct"], row["rotation_deg"])
        for row in sorted(rows, key=lambda row: row["exam"] == "mean of all")
    ]
    cli.table("Markers, by their weight", ("exam", "weight", "mean %", "rotation deg"), shown)
    cli.write_figures(options.json, {"rows": rows})


if __name__ == "__main__":
    sys.exit(cli.run(main))
