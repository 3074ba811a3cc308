# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Render the reference sheet: blender -b -P render_sheet.py -- assets/<name>"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import anymove_package

parser = anymove_package.cli.Parser(prog="render_sheet.py", description=__doc__)
parser.add_argument("creature")
parser.add_argument("--engine", choices=["auto", "workbench", "cycles"])
anymove_package.run("render_sheet", parser)
