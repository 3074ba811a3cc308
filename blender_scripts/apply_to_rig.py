# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Put a motion on a rig of yours: blender -b shot.blend -P apply_to_rig.py -- rig_info.json motion.json out.blend"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import anymove_package

parser = anymove_package.cli.Parser(prog="apply_to_rig.py", description=__doc__)
parser.add_argument("rig_info")
parser.add_argument("motion")
parser.add_argument("save_copy", metavar="out.blend", help="a copy of the file, with the motion in it")
parser.add_argument("--armature", help="its name, where the active object is not the rig")
parser.add_argument("--name", help="the Action's name (default: the clip's)")
parser.add_argument("--start", type=int, help="frame at which it begins (default 1)")
parser.add_argument(
    "--rate", choices=["SCENE", "MOTION"], help="convert to the scene's rate, or set the scene's"
)
parser.add_argument("--in-place", action="store_true", help="without travel")
parser.add_argument("--controls", action="store_true", help="key the rig's controls, not its deform bones")
parser.add_argument("--nla", action="store_true", help="as a strip on an NLA track of its own")
parser.add_argument(
    "--scene-range", action="store_true", help="set the scene's start and end to the motion's"
)
parser.add_argument("--make-override", action="store_true", help="override the rig where it is linked")
anymove_package.run("apply_to_rig", parser)
