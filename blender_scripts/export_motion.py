# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion for other programs: blender -b -P export_motion.py -- rigged.blend rig_info.json motion.json take.glb"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import anymove_package

parser = anymove_package.cli.Parser(prog="export_motion.py", description=__doc__)
parser.add_argument("rigged")
parser.add_argument("rig_info")
parser.add_argument("motion")
parser.add_argument(
    "filepath", metavar="FILE", help="take.glb, .fbx, .usd, .usda, .usdc, .usdz, .bvh or .npz"
)
parser.add_argument("--name", help="the clip's name in the file (default: its own)")
parser.add_argument("--fps", type=float, help="convert to this many frames a second")
parser.add_argument("--in-place", action="store_true", help="without travel")
parser.add_argument("--no-mesh", dest="mesh", action="store_false", help="the armature only")
parser.add_argument("--no-leaves", dest="leaves", action="store_false", help="no end bones")
anymove_package.run("export_motion", parser)
