# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the solver knows how wrong it is: true errors against estimated ones, by kind of trouble and by grade.

python bench/solver_trust.py [--rig RIG_INFO] [--clips Walk,Gallop] [--frames 96] [--quick] [--plot PATH] [--json PATH]

An estimate is right where 68% of the errors are within one of it; of a Gaussian in space 99.7% are then within two. By
default the solver allows for what a reader gets wrong alike through a whole clip; made-up readings err so in the last
kind of trouble only, so the others are solved without that allowance, too.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.solving import rigs, troubles
from bench.solving.troubles import Case, readings
from mocap import cli
from mocap.detections import Detections
from mocap.exam.readings import REFERENCE_PX
from mocap.motion import Motion
from mocap.rig_info import RigInfo, creature_paths
from mocap.solve import Settings, grades, solve
from mocap.solve.observations import height_px

CASES = (
    troubles.NOISE_2,
    troubles.NOISE_4,
    troubles.MIXED_4,
    troubles.MIXED_8,
    troubles.LASTING,
    troubles.LASTING_LONG,
    Case("4 px, 15/5, cameras off", troubles.mixed(4), "off"),
)
QUICK = (troubles.MIXED_4,)
BIASED = Case("4 px and 4 px that last", troubles.NOISE_4.trouble)
_BIAS_PX = 4.0
_BINS = 8


class Trusted(NamedTuple):
    """Joints of every frame of one solve, flat (N,): true and estimated errors in % of the height, and grades."""

    case: str
    allows: bool
    """The solver allowed for errors that last through a clip, as it does by default."""
    error: np.ndarray
    estimate: np.ndarray
    grade: np.ndarray


def biased(info: RigInfo, read: Detections, rng: np.random.Generator) -> Detections:
    """The readings with every joint of every view off by the same through the whole clip, normal, 4 px."""
    pixel = height_px(info.skeleton, info.layout) / REFERENCE_PX
    off = rng.normal(0, _BIAS_PX, read.positions.shape[1:]) * pixel[:, None, None]
    return replace(read, positions=read.positions + off)


def trusted(info: RigInfo, motion: Motion, case: Case, allows: bool) -> Trusted:
    read = readings(info, motion, case)
    if case is BIASED:
        read = biased(info, read, np.random.default_rng(0))
    settings = Settings() if allows else Settings(lasting_error=0.0)
    solved = solve(read, info, settings)
    which = ~info.skeleton.is_marker
    apart = solved.motion.joints(info.skeleton) - motion.joints(info.skeleton)
    error = np.linalg.norm(apart, axis=-1)[:, which].ravel()
    percent = 100 / info.skeleton.height
    estimate = solved.error[:, which].ravel()
    return Trusted(case.name, allows, percent * error, percent * estimate, solved.grades[:, which].ravel())


def merged(parts: Sequence[Trusted]) -> list[Trusted]:
    """One of each case and kind of solve, over all motions."""
    kinds = dict.fromkeys((part.case, part.allows) for part in parts)
    return [
        Trusted(*kind, *(np.concatenate(column) for column in zip(*(p[2:] for p in parts if p[:2] == kind))))
        for kind in kinds
    ]


def calibration(found: Trusted) -> list[dict[str, Any]]:
    """A row for all joints and one for every grade that occurs: how many there are, and what share of their errors is
    within one and two estimates."""
    ratio = found.error / found.estimate
    rows = []
    for name, which in [("all", np.ones(len(ratio), bool)), *_by_grade(found)]:
        if which.any():
            rows.append(
                {
                    "case": found.case,
                    "allows": found.allows,
                    "grade": name,
                    "share_pct": 100 * float(which.mean()),
                    "error_pct": float(found.error[which].mean()),
                    "estimate_pct": float(np.median(found.estimate[which])),
                    "within_1_pct": 100 * float((ratio[which] <= 1).mean()),
                    "within_2_pct": 100 * float((ratio[which] <= 2).mean()),
                }
            )
    return rows


def _by_grade(found: Trusted) -> list[tuple[str, np.ndarray]]:
    return [(name, found.grade == index) for index, name in enumerate(grades.NAMES)][::-1]


def curve(found: Trusted) -> tuple[np.ndarray, np.ndarray]:
    """(K,) median estimates of equally full bins, and (K,) the 68th percentile of the errors in each: equal, where the
    estimate is right."""
    order = np.argsort(found.estimate)
    bins = [part for part in np.array_split(order, _BINS) if len(part)]
    medians = [np.median(found.estimate[part]) for part in bins]
    return np.array(medians), np.array([np.percentile(found.error[part], 68) for part in bins])


def draw(path: Path, title: str, found: Sequence[Trusted]) -> None:
    """The curves of every case, without allowance to the left and with it to the right."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panes = pyplot.subplots(1, 2, figsize=(11, 5), sharex=True, sharey=True, layout="constrained")
    names = list(dict.fromkeys(one.case for one in found))
    for pane, allows in zip(panes, (False, True)):
        for one in found:
            if one.allows == allows:
                pane.loglog(*curve(one), "o-", ms=4, color=f"C{names.index(one.case)}", label=one.case)
        ends = np.array([0.15, 4.0])
        pane.loglog(ends, ends, "k", lw=1)
        pane.fill_between(ends, ends / 1.5, ends * 1.5, color="k", alpha=0.07, lw=0)
        kind = "with" if allows else "without"
        pane.set_title(f"{kind} allowance for errors that last through the clip", fontsize=10)
        pane.set_xlabel("estimated error, % of height")
        pane.grid(alpha=0.3, which="both")
        for axis in (pane.xaxis, pane.yaxis):
            axis.set_major_formatter("{x:g}")
    panes[0].set_ylabel("68% of the true errors are below, % of height")
    panes[1].legend(fontsize=8)
    figure.suptitle(title, fontsize=11)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=80)
    pyplot.close(figure)


def main(argv: Sequence[str]) -> None:
    parser = cli.Parser("python bench/solver_trust.py", description=__doc__.splitlines()[0])
    parser.add_argument("--rig", metavar="RIG_INFO", type=Path, help="default: the creature's")
    parser.add_argument("--creature", metavar="DIR", help="assets/<name>; default MOCAP_CREATURE")
    parser.add_argument("--clips", metavar="A,B", help="the rig's clips, besides a random motion")
    parser.add_argument("--frames", type=cli.positive_int, default=96)
    parser.add_argument(
        "--quick", action="store_true", help="a random motion, one kind of trouble, 48 frames"
    )
    parser.add_argument("--plot", metavar="PATH", type=Path, help="draw estimated against true errors")
    cli.add_json_option(parser)
    options = parser.parse_args(argv)
    path = options.rig or creature_paths(options.creature).rig_info
    info = RigInfo.load(path)
    frames = min(options.frames, 48) if options.quick else options.frames
    names = options.clips.split(",") if options.clips and not options.quick else []
    motions = [*rigs.motions(info, path, frames, names), rigs.random_motion(info, frames)]
    kinds = [(case, allows) for case in (QUICK if options.quick else CASES) for allows in (False, True)]
    kinds += [(BIASED, True)]
    work = [(motion, *kind) for kind in kinds for motion in motions]
    found = merged([trusted(info, *job) for job in cli.track(work, "solving")])
    rows = [row for one in found for row in calibration(one)]
    title = f"Estimated errors of {info.skeleton.name}: {', '.join((*names, 'random'))}, {frames} frames each"
    show(title, rows)
    if options.plot:
        draw(options.plot, title, found)
        cli.say(f"{options.plot}: estimated against true errors")
    cli.write_figures(options.json, {"rig_digest": info.digest, "frames": frames, "rows": rows})


def show(title: str, rows: Sequence[dict[str, Any]]) -> None:
    heads = ("trouble", "allowing", "grade", "joints %", "error %", "estimate %", "within 1", "within 2")
    keys = ("share_pct", "error_pct", "estimate_pct", "within_1_pct", "within_2_pct")
    lines = [
        (row["case"], "yes" if row["allows"] else "no", row["grade"], *(row[key] for key in keys))
        for row in rows
    ]
    cli.table(title, heads, lines)


if __name__ == "__main__":
    sys.exit(cli.run(main))
