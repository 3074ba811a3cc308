# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Look a rig over: blender -b -P doctor.py -- file.{glb,gltf,fbx,blend}"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import anymove_package

parser = anymove_package.cli.Parser(prog="doctor.py", description=__doc__)
parser.add_argument("filepath")
parser.add_argument("--armature")
parser.add_argument("--facing", metavar="AXIS", help="where it looks in its file: -Y, +Y, -X, +X, -Z or +Z")
parser.add_argument("--up", metavar="AXIS", help="where its back points in its file; +Z where not given")
parser.add_argument("--height-cm", type=float)
anymove_package.cli.add_json_option(parser)
anymove_package.run("doctor", parser)
