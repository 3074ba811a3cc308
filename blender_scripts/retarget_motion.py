# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Copy a motion to another rig:
blender -b -P retarget_motion.py -- motion.json source/rig_info.json target/rig_info.json out.json"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import anymove_package

parser = anymove_package.cli.Parser(prog="retarget_motion.py", description=__doc__)
parser.add_argument("motion")
parser.add_argument("source", help="rig_info.json that the motion is for")
parser.add_argument("target", help="rig_info.json of the other rig")
parser.add_argument("output")
parser.add_argument("--mapping", help="which bone follows which (default: beside the target's rig_info.json)")
parser.add_argument("--align", choices=["auto", "always", "never"])
parser.add_argument("--no-feet", dest="feet", action="store_false", help="do not set feet down")
anymove_package.run("retarget_motion", parser)
