# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""How well readers of several creatures read: samples rendered, a reader trained for each, one table.

python bench/creatures.py assets/wolf [assets/<c> ...] [--samples 1200] [--epochs 16] [--shifted 48] [--json PATH]

Adopted or built rigs are expected; what is there already (samples, a trained reader) is not made again. The figures
are those that each training measures in the end on all of its held-out samples.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from mocap import cli
from mocap.errors import AnymoveError, BadInput
from mocap.reader import checkpoint
from mocap.rig_info import creature_paths

ROOT = Path(__file__).resolve().parents[1]
_KEYS = ("mean_pct", "median_pct", "within_2_pct", "within_5_pct")
_HEADS = ("mean %", "median %", "within 2%", "within 5%", "swapped %")


def prepared(home: Path, options) -> dict[str, Any]:
    """Render and train what is missing; returns the reader's figures."""
    paths = creature_paths(home)
    toolkit("dataset", paths.home, options.samples, 2)
    if options.shifted:
        toolkit("dataset", paths.home, options.shifted, 2, "--set", "shifted")
    toolkit("train", paths.home, options.epochs)
    kept = checkpoint.load(paths.reader)
    return {
        "creature": paths.name,
        "start": kept.train.start or "none",
        "minutes": sum(epoch["seconds"] for epoch in kept.figures["history"]) / 60,
        **{key: value for key, value in kept.figures.items() if key != "history"},
    }


def toolkit(*arguments: object) -> None:
    command = [sys.executable, str(ROOT / "tools" / "anymove.py"), *map(str, arguments)]
    done = subprocess.run(command, check=False)
    if done.returncode:
        kind = BadInput if done.returncode == 2 else AnymoveError
        raise kind(
            f"tools/anymove.py {' '.join(map(str, arguments))} ended with {done.returncode}; see above"
        )


def _easy(found: dict[str, Any]) -> tuple[str, ...]:
    told = found["normalised_error"]
    rest = f"{found['part_iou_mean']:.0f}", f"{told['median']:.2f}" if told else "-"
    return (found["creature"], f"{found['minutes']:.1f}", *_errors(found), *rest)


def _others(found: dict[str, Any]) -> tuple[str, ...]:
    easy, hard = found["views"], found["hard"]["views"]
    ratio = " / ".join(f"{hard[view]['mean_pct'] / easy[view]['mean_pct']:.2f}" for view in easy)
    style = _both(found["shifted"]["views"], "mean_pct") if "shifted" in found else "-"
    return (found["creature"], *_errors(found["hard"]), ratio, style)


def _errors(found: dict[str, Any]) -> tuple[str, ...]:
    swapped = " / ".join(f"{share:.1f}" for share in found["swapped_pct"])
    return *(_both(found["views"], key) for key in _KEYS), swapped


def _both(views: dict[str, Any], key: str) -> str:
    places = 0 if key.startswith("within") else 1
    return " / ".join(f"{view[key]:.{places}f}" for view in views.values())


def main(argv: list[str]) -> None:
    parser = cli.Parser(prog="creatures.py", description=__doc__.splitlines()[0])
    parser.add_argument("creatures", nargs="+", type=Path, help="folders assets/<c> with an adopted rig")
    parser.add_argument("--samples", type=cli.positive_int, default=1200)
    parser.add_argument("--epochs", type=cli.positive_int, default=16)
    parser.add_argument(
        "--shifted", type=int, default=48, help="samples in another style to check on; 0: none"
    )
    cli.add_json_option(parser)
    options = parser.parse_args(argv)
    cli.need(options.shifted >= 0, f"--shifted is {options.shifted}, it must be 0 or more")
    found = [prepared(home, options) for home in options.creatures]
    heads = ("creature", "minutes", *_HEADS, "part IoU %", "normalised error")
    cli.table("easy panels; front / side, % of the creature's height", heads, map(_easy, found))
    heads = ("creature", *_HEADS, "hard : easy", "other style: mean %")
    cli.table("hard panels, and another style", heads, map(_others, found))
    cli.write_figures(options.json, {"creatures": found})


if __name__ == "__main__":
    sys.exit(cli.run(main))
