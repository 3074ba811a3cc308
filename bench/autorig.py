# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""How near the auto-rig comes to artists' rigs: take the armature away, fit one, compare.

``python bench/autorig.py --creatures DIR [--only Wolf,Punk] [--quick] [--json PATH] [--sheet PICTURE]``

Joint error: distance between a joint of the template and the joint that starts at the same place of the body
in the artist's rig (bench/autorig_counterparts.py), in % of the mesh's height; "to bones" is the distance of
every fitted joint to the nearest bone of the artist's. Stretch: 99th percentile over all edges and 100 random poses of
an edge's length over its length at rest, once inside the fitted rig's own limits and, to compare the weights
alone, with every joint of either rig within 25 degrees.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from autorig_counterparts import CASES, Case
from autorig_sheet import sheet
from kit import blender, steps

from mocap import cli, pictures, poses
from mocap.errors import AnymoveError, BadInput
from mocap.fitting import body as bodies
from mocap.fitting import slots
from mocap.rig_info import RigInfo
from mocap.skeleton import Skeleton

POSES = 100
SAME_LIMIT = np.radians(25.0)
SHORTEST = 0.002
"""Edges shorter than this (in heights) are left out: their ratio says nothing about a tear."""


class Rigged(NamedTuple):
    info: RigInfo
    points: np.ndarray
    triangles: np.ndarray
    weights: np.ndarray
    """(V, B), columns in the order of info's bones."""

    @property
    def skeleton(self) -> Skeleton:
        return self.info.skeleton


class Result(NamedTuple):
    row: dict[str, Any]
    theirs: Rigged
    ours: Rigged


def measure(path: Path, case: Case, work: Path, count: int) -> Result:
    theirs_home, ours_home = work / "theirs", work / "ours"
    for home in (theirs_home, ours_home):
        home.mkdir(parents=True, exist_ok=True)
    steps.blender_script("rig_creature", theirs_home, path, f"--facing={case.facing}")
    theirs = _load(theirs_home, work / "theirs.npz", work / "bare.blend")
    started = time.monotonic()
    height = f"{theirs.info.height_cm:.6f}"
    steps.run(
        blender.script(
            "rig_creature", ours_home, work / "bare.blend", "--template", case.template, "--height-cm", height
        )
    )
    seconds = time.monotonic() - started
    ours = _load(ours_home, work / "ours.npz", None)
    return Result({**_figures(theirs, ours, case, count), "seconds": seconds}, theirs, ours)


def _load(home: Path, out: Path, bare: Path | None) -> Rigged:
    extra = ["--bare", str(bare)] if bare else []
    steps.run(blender.script("mesh_arrays", home / "rigged" / "rigged.blend", out, *extra))
    info = RigInfo.load(home / "rigged" / "rig_info.json")
    with np.load(out) as data:
        column = {name: i for i, name in enumerate(data["bones"])}
        order = [column[name] for name in info.skeleton.bone_names]
        return Rigged(info, data["points"], data["triangles"], data["weights"][:, order])


def _figures(theirs: Rigged, ours: Rigged, case: Case, count: int) -> dict[str, Any]:
    height = theirs.skeleton.height
    record = ours.info.source["autorig"]
    found, reference = fitted_joints(ours), joint_places(theirs.skeleton)
    pairs = {name: other for name, other in case.joints.items() if name in found}
    error = {name: float(np.linalg.norm(found[name] - reference[other])) for name, other in pairs.items()}
    near = [_to_bones(place, theirs.skeleton) for place in found.values()]
    extent = float(np.ptp(theirs.points, axis=0).max())
    body = bodies.read(theirs.points, theirs.triangles)
    return {
        "template": record["template"],
        "auto": _auto(body),
        "joint_error_pct": {name: 100 * value / height for name, value in error.items()},
        "mean_pct": 100 * float(np.mean(list(error.values()))) / height,
        "worst_pct": 100 * max(error.values()) / height,
        "mean_pct_of_extent": 100 * float(np.mean(list(error.values()))) / extent,
        "to_bones_pct": 100 * float(np.mean(near)) / height,
        "compared": len(error),
        "missing": sorted(set(case.joints) - set(found)),
        "outside": [name for name, at in found.items() if _outside(at, body)],
        "weights": ours.info.source["weights"],
        **_stretches(theirs, ours, count),
    }


def _outside(place: np.ndarray, body: bodies.Body) -> bool:
    """Farther than a voxel from the solid: its surface is known no better."""
    nearest = body.solid.points[body.solid.nearest(place)[0]]
    return bool(np.abs(nearest - place).max() > 1.5 * body.solid.size)


def fitted_joints(ours: Rigged) -> dict[str, np.ndarray]:
    """Every joint of the fit by name, clean world metres."""
    places = ours.info.source["autorig"]["joints"]
    return {name: np.array(entry["point"]) for name, entry in places.items()}


def joint_places(skeleton: Skeleton) -> dict[str, np.ndarray]:
    """Heads by bone name, and the ends of bones without children as ``<bone>_tip``."""
    out = {bone.name: np.array(bone.head) for bone in skeleton.bones}
    for index in set(range(len(skeleton.bones))) - set(skeleton.parents.tolist()):
        out[f"{skeleton.bones[index].name}_tip"] = np.array(skeleton.bones[index].tail)
    return out


def _to_bones(place: np.ndarray, skeleton: Skeleton) -> float:
    """Distance to the nearest bone (parent's head to own head, or to the tip)."""
    starts = [skeleton.heads[bone.parent] for bone in skeleton.bones[1:]]
    ends = [np.array(bone.head) for bone in skeleton.bones[1:]]
    for joint in skeleton.joints:
        if joint.kind == "tip":
            starts.append(skeleton.heads[joint.bone])
            ends.append(np.array(joint.point))
    a, b = np.array(starts), np.array(ends)
    along = b - a
    share = np.clip(((place - a) * along).sum(1) / np.maximum((along**2).sum(1), 1e-12), 0, 1)
    return float(np.linalg.norm(place - a - share[:, None] * along, axis=1).min())


def _auto(body: bodies.Body) -> str:
    try:
        return slots.choose(body)[0].name
    except BadInput:
        return "asks"


def _stretches(theirs: Rigged, ours: Rigged, count: int) -> dict[str, float]:
    same_ours, same_theirs = (_with_limits(rig.skeleton) for rig in (ours, theirs))
    own = stretch(ours, ours.skeleton, count)
    equal, artist = stretch(ours, same_ours, count), stretch(theirs, same_theirs, count)
    return {
        "stretch_p99": own,
        "stretch_p99_25deg": equal,
        "artist_stretch_p99_25deg": artist,
        "stretch_ratio": equal / artist,
    }


def _with_limits(skeleton: Skeleton) -> Skeleton:
    bones = tuple(replace(bone, limits=((-SAME_LIMIT, SAME_LIMIT),) * 3) for bone in skeleton.bones)
    return replace(skeleton, bones=bones)


def stretch(rig: Rigged, skeleton: Skeleton, count: int) -> float:
    """99th percentile of edge length over length at rest, over random poses inside ``skeleton``'s limits."""
    faces = rig.triangles
    edges = np.unique(
        np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), 1), axis=0
    )
    rest = np.linalg.norm(rig.points[edges[:, 0]] - rig.points[edges[:, 1]], axis=1)
    edges, rest = edges[rest > SHORTEST * skeleton.height], rest[rest > SHORTEST * skeleton.height]
    drawn = [poses.random_pose(skeleton, poses.sample_rng(11, index)) for index in range(count)]
    ratios = []
    for pose in drawn:
        posed = skeleton.pose(pose.root[None], pose.quats[None])
        offset = posed.heads[0] - np.einsum("bij,bj->bi", posed.turns[0], skeleton.heads)
        turn = np.einsum("vb,bij->vij", rig.weights, posed.turns[0])
        moved = np.einsum("vij,vj->vi", turn, rig.points) + rig.weights @ offset
        ratios.append(np.linalg.norm(moved[edges[:, 0]] - moved[edges[:, 1]], axis=1) / rest)
    return float(np.percentile(np.concatenate(ratios), 99))


def main(argv: Sequence[str]) -> None:
    parser = cli.Parser("python bench/autorig.py", description="The auto-rig against artists' rigs.")
    parser.add_argument("--creatures", metavar="DIR", type=Path, required=True, help="folder with the rigs")
    parser.add_argument("--only", metavar="A,B", help="some of the creatures")
    parser.add_argument("--quick", action="store_true", help="three creatures, 20 poses")
    parser.add_argument("--sheet", metavar="PICTURE", type=Path, help="draw what was fitted")
    cli.add_json_option(parser)
    args = parser.parse_args(argv)
    names = args.only.split(",") if args.only else ["Wolf", "Punk", "Trex"] if args.quick else list(CASES)
    unknown = [name for name in names if name not in CASES]
    cli.need(not unknown, f"--only {','.join(unknown)}: known are {', '.join(CASES)}")
    results = {}
    for name in cli.track(names, "measuring"):
        path = args.creatures / f"{name}.glb"
        cli.need(path.is_file(), f"{path}: no such file")
        with tempfile.TemporaryDirectory(prefix="anymove-autorig-") as work:
            try:
                results[name] = measure(path, CASES[name], Path(work), 20 if args.quick else POSES)
            except steps.StepFailed as error:
                raise AnymoveError(f"{path}: could not be rigged") from error
    show(results)
    cli.write_figures(args.json, {name: result.row for name, result in results.items()})
    if args.sheet:
        pictures.save_picture(args.sheet, sheet(results))


def show(results: dict[str, Result]) -> None:
    cli.table(
        "Auto-rig against artists' rigs: joint errors in % of height, stretch as p99",
        ("creature", "auto", "mean", "worst", "to bones", "joints", "way", "own", "25°", "artist", "s"),
        [
            (
                f"{name} ({row['template']})",
                "same" if row["auto"] == row["template"] else row["auto"],
                row["mean_pct"],
                row["worst_pct"],
                row["to_bones_pct"],
                f"{row['compared']}/{row['compared'] + len(row['missing'])}",
                row["weights"].split()[-1],
                row["stretch_p99"],
                row["stretch_p99_25deg"],
                row["artist_stretch_p99_25deg"],
                row["seconds"],
            )
            for name, (row, _, _) in results.items()
        ],
    )


if __name__ == "__main__":
    sys.exit(cli.run(main))
