# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Render a contact sheet of random poses: blender -b -P render_poses.py -- assets/<name>"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import anymove_package

parser = anymove_package.cli.Parser(prog="render_poses.py", description=__doc__)
parser.add_argument("creature")
parser.add_argument("--count", type=anymove_package.cli.positive_int)
parser.add_argument("--seed", type=anymove_package.cli.seed_number)
parser.add_argument("--engine", choices=["auto", "workbench", "cycles"])
anymove_package.run("render_poses", parser)
