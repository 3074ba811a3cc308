# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Which samples on disk are whole, and what to do about the others.

python -m mocap.dataset.check [--creature assets/<c>] [--expect N] [--json PATH]
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from .. import cli
from ..errors import AnymoveError
from ..rig_info import RigInfo, creature_paths
from . import samples

FAULTS = {
    "missing": "not rendered yet: run tools/dataset.sh, it fills the gaps",
    "torn": "a picture is absent or differs from its digest: run tools/dataset.sh, it renders them again",
    "stale": "rendered from another rig or layout: move the folder away and render anew",
}


def faults(folder: Path, rig_digest: str, expected: int | None = None) -> dict[str, list[int]]:
    """Indices by state: "whole", "missing", "torn", "stale". All below the highest index found are
    expected, or all below ``expected``."""
    found = set(samples.indices(folder)) | _pictured(folder)
    count = expected if expected is not None else max(found, default=-1) + 1
    out: dict[str, list[int]] = {"whole": [], **{name: [] for name in FAULTS}}
    for index in cli.track(sorted(found | set(range(count))), "checking samples"):
        out[samples.fault(folder, index, rig_digest) or "whole"].append(index)
    return out


def _pictured(folder: Path) -> set[int]:
    """Indices with a picture: a sample whose meta file is absent is missing, not forgotten."""
    if not folder.is_dir():
        return set()
    names = (path.stem.split("_")[0] for path in folder.glob("*_*.png"))
    return {int(name) for name in names if name.isdigit()}


def main(argv: Sequence[str]) -> None:
    parser = cli.Parser(prog="python -m mocap.dataset.check", description="Check the samples on disk.")
    parser.add_argument("--creature", metavar="DIR", help="assets/<c>; default: MOCAP_CREATURE")
    parser.add_argument(
        "--expect", type=cli.positive_int, metavar="N", help="how many samples there should be"
    )
    cli.add_json_option(parser)
    arguments = parser.parse_args(argv)
    paths = creature_paths(arguments.creature)
    found = faults(paths.dataset, RigInfo.load(paths.rig_info).digest, arguments.expect)
    rows = [("whole", len(found["whole"]), "", "usable")]
    rows += [(name, len(found[name]), _some(found[name]), advice) for name, advice in FAULTS.items()]
    cli.table(f"Samples in {paths.dataset}", ("state", "count", "which", "what to do"), rows)
    cli.write_figures(arguments.json, {name: {"count": len(x), "indices": x} for name, x in found.items()})
    wrong = {name: len(found[name]) for name in FAULTS if found[name]}
    if wrong or not found["whole"]:
        told = ", ".join(f"{count} {name}" for name, count in wrong.items()) or "none there"
        raise AnymoveError(f"{paths.dataset}: {told}; {len(found['whole'])} whole")


def _some(indices: list[int]) -> str:
    shown = ", ".join(str(index) for index in indices[:5])
    return shown + (", ..." if len(indices) > 5 else "")


if __name__ == "__main__":
    sys.exit(cli.run(main))
