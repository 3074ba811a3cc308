# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build a shipped creature: blender -b -P build_creature.py -- assets/<name>"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import anymove_package

parser = anymove_package.cli.Parser(prog="build_creature.py", description=__doc__)
parser.add_argument("creature")
parser.add_argument("--replace", action="store_true")
anymove_package.run("build_creature", parser)
