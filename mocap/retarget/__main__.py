# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Copy a motion to another rig:
``python -m mocap.retarget motion.json source/rig_info.json target/rig_info.json out.json``"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from .. import cli
from . import lines
from .files import Order, copy
from .proposal import ALIGN


def main(argv: Sequence[str]) -> None:
    parser = cli.Parser(
        "python -m mocap.retarget", description="Copy a motion to another rig (docs/motion.md)."
    )
    parser.add_argument("motion", type=Path, metavar="motion.json")
    parser.add_argument(
        "source", type=Path, metavar="source/rig_info.json", help="the rig that the motion is for"
    )
    parser.add_argument("target", type=Path, metavar="target/rig_info.json")
    parser.add_argument("out", type=Path, metavar="out.json")
    parser.add_argument(
        "--mapping",
        type=Path,
        help="which bone follows which: used where it exists, else proposed and written there "
        "(default: from_<source>.mapping.json beside the target's rig_info.json)",
    )
    parser.add_argument(
        "--align", choices=ALIGN, help="limbs whose rest is another pose than the source's (default auto)"
    )
    parser.add_argument("--no-feet", action="store_true", help="do not set feet down where the source's are")
    cli.add_json_option(parser)
    args = parser.parse_args(argv)
    done = copy(
        Order(args.source, args.motion, args.target, args.out, args.mapping, args.align, not args.no_feet)
    )
    cli.say(
        f"{done.mapping}: {'proposed; edit it and run again where a limb goes wrong' if done.proposed else 'used'}"
    )
    for line in lines(done.figures):
        cli.say(line)
    cli.write_figures(args.json, done.figures)
    cli.say(f"wrote {args.out}")


if __name__ == "__main__":
    sys.exit(cli.run(main))
