# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Which samples on disk are whole, what is odd about them, and what to do about it.

python -m mocap.dataset.check [--creature assets/<c>] [--set main|shifted] [--expect N] [--json PATH]
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from .. import cli, paint, skin
from ..errors import AnymoveError
from ..rig_info import RigInfo, creature_paths
from . import samples

FAULTS = {
    "missing": "not rendered yet: run tools/dataset.sh, it fills the gaps",
    "torn": "a picture is absent or differs from its digest: run tools/dataset.sh, it renders them again",
    "stale": "rendered from another rig or layout: move the folder away and render anew",
    "reskinned": "rendered from another mesh or paint than the rig's now: move the folder away and render anew",
}
DARK = 25.0
"""Mean luminance (of 255) of the creature's own pixels below which a picture teaches nothing."""
FAR_OUT = 0.25
"""Share of a sample's labels outside the panels that is worth a word."""
_PICTURE = re.compile(r"^(\d{5,})_([a-z]+)\.png$")
_LUMINANCE = np.array([0.0722, 0.7152, 0.2126])


class Looked(NamedTuple):
    """What whole samples look like: indices that are dark or empty, or reach far out of the panels."""

    dark: list[int]
    far_out: list[int]
    outside_share: float
    """Of all labels."""
    mixtures: dict[str, dict[str, int]]
    """Where samples of one folder differ in what should be one for all: counts by value."""


def faults(
    folder: Path, rig_digest: str, skin_digest: str, expected: int | None = None
) -> dict[str, list[int]]:
    """Indices by state: "whole" and each of FAULTS. All below the highest index found are expected, or all
    below ``expected``."""
    found = set(samples.indices(folder)) | _pictured(folder)
    count = expected if expected is not None else max(found, default=-1) + 1
    out: dict[str, list[int]] = {"whole": [], **{name: [] for name in FAULTS}}
    for index in cli.track(sorted(found | set(range(count))), "checking samples"):
        out[samples.fault(folder, index, rig_digest, skin_digest) or "whole"].append(index)
    return out


def _pictured(folder: Path) -> set[int]:
    """Indices with a picture: a sample whose meta file is absent is missing, not forgotten."""
    if not folder.is_dir():
        return set()
    return {int(found[1]) for path in folder.iterdir() if (found := _PICTURE.match(path.name))}


def left_over(folder: Path, views: Sequence[str]) -> list[str]:
    """Names of files that belong to no sample: pictures without a meta file, or of no view of the layout, and
    what an interrupted writing left."""
    if not folder.is_dir():
        return []
    known = set(samples.indices(folder))
    names = []
    for path in folder.iterdir():
        found = _PICTURE.match(path.name)
        of_a_sample = found and int(found[1]) in known and found[2] in views
        if not of_a_sample and not path.name.endswith("_meta.json"):
            names.append(path.name)
    return sorted(names)


def look(folder: Path, rig: RigInfo, whole: Sequence[int]) -> Looked:
    """Look at every picture and label of the ``whole`` samples."""
    dark, far_out, outside = [], [], []
    counts = {name: Counter() for name in ("seed", "engine", "paint")}
    for index in cli.track(whole, "looking at samples"):
        meta = samples.read_meta(samples.meta_path(folder, index))
        counts["seed"][str(meta.seed)] += 1
        counts["engine"][meta.engine] += 1
        counts["paint"]["painted" if meta.painted else "unpainted"] += 1
        pictures = [samples.picture_path(folder, index, view.name) for view in rig.layout.views]
        if any(brightness(path) < DARK for path in pictures):
            dark.append(index)
        share = float(np.mean([_outside(meta.views[v.name].positions, v.size) for v in rig.layout.views]))
        outside.append(share)
        if share > FAR_OUT:
            far_out.append(index)
    mixtures = {name: dict(counter) for name, counter in counts.items() if len(counter) > 1}
    return Looked(dark, far_out, float(np.mean(outside)) if outside else 0.0, mixtures)


def brightness(path: Path) -> float:
    """Mean luminance of the pixels that are wholly the creature's; 0 where there are none. A shadow on the
    floor is never whole."""
    picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if picture is None or picture.ndim != 3 or picture.shape[2] != 4:
        return 0.0
    own = picture[picture[..., 3] > 250][:, :3]
    return float((own @ _LUMINANCE).mean()) if len(own) else 0.0


def _outside(positions: np.ndarray, size: tuple[int, int]) -> float:
    return float(((positions < 0) | (positions > np.array(size))).any(1).mean())


def remarks(looked: Looked, leftovers: list[str]) -> list[str]:
    """What is odd but spoils nothing by itself, and what to do."""
    said = []
    if looked.dark:
        said.append(
            f"{len(looked.dark)} samples ({_some(looked.dark)}) are nearly black or empty; delete their files and "
            "run tools/dataset.sh again"
        )
    if looked.far_out:
        said.append(
            f"{len(looked.far_out)} samples ({_some(looked.far_out)}) have more than {FAR_OUT:.0%} of their labels "
            "outside the panels; the layout is too narrow for these poses: adopt the rig again"
        )
    for name, counts in looked.mixtures.items():
        told = ", ".join(f"{count} x {value}" for value, count in sorted(counts.items()))
        if name != "paint":
            said.append(
                f"samples of more than one {name} lie together: {told}; render them to one folder each"
            )
        else:
            said.append(f"paint differs, as --paint mixed makes it: {told}")
    if leftovers:
        said.append(
            f"{len(leftovers)} files belong to no sample ({_some(leftovers)}); run tools/dataset.sh, or delete them"
        )
    return said


def main(argv: Sequence[str]) -> None:
    parser = cli.Parser(prog="python -m mocap.dataset.check", description="Check the samples on disk.")
    parser.add_argument("--creature", metavar="DIR", help="assets/<c>; default: MOCAP_CREATURE")
    parser.add_argument("--set", choices=("main", "shifted"), default="main")
    parser.add_argument(
        "--expect", type=cli.positive_int, metavar="N", help="how many samples there should be"
    )
    cli.add_json_option(parser)
    arguments = parser.parse_args(argv)
    paths = creature_paths(arguments.creature)
    folder = paths.shifted if arguments.set == "shifted" else paths.dataset
    rig = RigInfo.load(paths.rig_info)
    own = paint.digest(skin.load(paths.skin, rig.skeleton), rig.skeleton)
    found = faults(folder, rig.digest, own, arguments.expect)
    looked = look(folder, rig, found["whole"])
    leftovers = left_over(folder, rig.layout.names)
    rows = [("whole", len(found["whole"]), "", "usable")]
    rows += [(name, len(found[name]), _some(found[name]), advice) for name, advice in FAULTS.items()]
    cli.table(f"Samples in {folder}", ("state", "count", "which", "what to do"), rows)
    cli.say(f"labels outside the panels: {looked.outside_share:.2%}")
    for remark in remarks(looked, leftovers):
        cli.say(f"note: {remark}")
    states = {name: {"count": len(x), "indices": x} for name, x in found.items()}
    cli.write_figures(arguments.json, {**states, **looked._asdict(), "left_over": leftovers})
    wrong = {name: len(found[name]) for name in FAULTS if found[name]}
    if wrong or not found["whole"]:
        told = ", ".join(f"{count} {name}" for name, count in wrong.items()) or "none there"
        raise AnymoveError(f"{folder}: {told}; {len(found['whole'])} whole")


def _some(indices: Sequence[object]) -> str:
    shown = ", ".join(str(index) for index in indices[:5])
    return shown + (", ..." if len(indices) > 5 else "")


if __name__ == "__main__":
    sys.exit(cli.run(main))
