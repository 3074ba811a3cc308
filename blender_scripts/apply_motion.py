# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Put a motion on the rig: blender -b -P apply_motion.py -- rigged.blend rig_info.json motion.json OUT"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import anymove_package

parser = anymove_package.cli.Parser(prog="apply_motion.py", description=__doc__)
parser.add_argument("rigged")
parser.add_argument("rig_info")
parser.add_argument("motion")
parser.add_argument("output")
parser.add_argument("--views", help="views to film, a comma between: front,side")
parser.add_argument("--paint", action="store_true")
parser.add_argument("--blur", action="store_true")
parser.add_argument("--engine", choices=["auto", "workbench", "cycles"])
anymove_package.run("apply_motion", parser)
