# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside Blender: every panel of a creature that has everything, as pictures for the docs."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import bpy
import inside


def steps() -> inside.Steps:
    settings = bpy.context.scene.anymove
    yield from inside.open_tab()
    yield 1.0
    inside.picture("overview")
    settings.project, settings.name = os.environ["ANYMOVE_PROJECT"], os.environ["ANYMOVE_CREATURE"]
    for name in ("guide", "creature", "studio", "dataset", "reader", "capture", "exam", "motion"):
        yield from inside.show(name)
        region = inside.sidebar()
        inside.say(name, region.width, region.height)
        inside.picture(f"panel_{name}")


inside.run(steps(), 120)
