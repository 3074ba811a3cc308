# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adopt a rig, or make one for a mesh without armature (docs/autorig.md):
blender -b -P rig_creature.py -- assets/<name> file.{glb,gltf,fbx,blend}"""

import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import anymove_package

parser = anymove_package.cli.Parser(prog="rig_creature.py", description=__doc__)
parser.add_argument("creature")
parser.add_argument("filepath")
parser.add_argument("--armature")
parser.add_argument("--facing", metavar="AXIS", help="where it looks in its file: -Y, +Y, -X, +X, -Z or +Z")
parser.add_argument("--up", metavar="AXIS", help="where its back points in its file; +Z where not given")
parser.add_argument("--height-cm", type=float)
parser.add_argument("--hold-out", metavar="CLIP,CLIP", help="clips that limits must not learn from")
parser.add_argument("--replace", action="store_true")
made = parser.add_argument_group("for a mesh without armature")
made.add_argument("--template", help="quadruped, biped, ... (default: as its extremities show)")
made.add_argument("--leg-pairs", type=anymove_package.cli.positive_int, help="of an insect or spider")
made.add_argument(
    "--landmark",
    action="append",
    metavar="NAME=x,y,z",
    help="a joint you know, in the file's world; repeatable",
)


def operator(values: dict) -> str:
    """A file with an armature is adopted, one without gets a rig; options of the other are refused."""
    which = importlib.import_module(f"{anymove_package.load().__name__}.addon.rig.autorig.which")
    name = which.operator_for(Path(values["filepath"]))
    foreign = ("armature", "hold_out", "up") if name == "build_rig" else ("template", "leg_pairs", "landmark")
    for option in foreign:
        if values.pop(option) is not None:
            there = "no armature" if name == "build_rig" else "an armature, which is adopted as it is"
            parser.error(f"--{option.replace('_', '-')}: the file has {there}")
    if name == "build_rig":
        values["landmarks"] = " ".join(values.pop("landmark") or [])
    return name


anymove_package.run(operator, parser)
