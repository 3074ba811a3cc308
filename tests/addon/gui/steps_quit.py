# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside Blender: start a job, load another file, quit. What becomes of the job, the preference decides."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import bpy
import inside
from steps_road import job


def steps() -> inside.Steps:
    session, orders = inside.part("addon.session"), inside.part("addon.jobs.job")
    settings = bpy.context.preferences.addons[inside.MODULE].preferences
    settings.on_quit = os.environ["ANYMOVE_ON_QUIT"]
    program = "import time, pathlib; print('on', flush=True); time.sleep(8); pathlib.Path('finished').touch()"
    session.queue.add(orders.Order("Sleep", "test", [sys.executable, "-c", program], str(inside.OUT)))
    yield from inside.wait(lambda: "on" in job().lines, 20, "the job begun")
    bpy.ops.wm.read_homefile(app_template="")
    yield 1.0
    assert job().state == "running"
    assert inside.part("addon.jobs.clock").status().startswith("Anymove: sleep")
    inside.say("passed")
    bpy.ops.wm.quit_blender()
    yield 10.0


inside.run(steps(), 60)
