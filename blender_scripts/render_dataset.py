# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Render samples: blender -b -P render_dataset.py -- assets/<name> --first 0 --count 600"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import anymove_package

parser = anymove_package.cli.Parser(prog="render_dataset.py", description=__doc__)
parser.add_argument("creature")
parser.add_argument("--first", type=anymove_package.cli.seed_number, default=0)
parser.add_argument("--count", type=anymove_package.cli.positive_int, default=600)
parser.add_argument(
    "--step", type=anymove_package.cli.positive_int, default=1, help="every how many-th index"
)
parser.add_argument("--seed", type=anymove_package.cli.seed_number, default=0)
parser.add_argument("--engine", choices=["auto", "workbench", "cycles"])
parser.add_argument(
    "--device",
    choices=["auto", "optix", "cuda", "hip", "metal", "oneapi", "cpu"],
    help="what Cycles renders on; a named one must render",
)
parser.add_argument("--paint", choices=["painted", "mixed", "unpainted"])
parser.add_argument("--set", choices=["main", "shifted"])
parser.add_argument("--plan", action="store_true", help="only say which engine and device would render")
anymove_package.run("render_dataset", parser)
