# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside Blender: the whole road by clicking. Adopt, poses, samples (cancelled and resumed), train, exam, apply.

Every picture is taken at the moment that it shows, and the longest time between two steps is told: it is how
long the window stood still at most.
"""

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import bpy
import inside
from inside import press, show, wait


def job():
    found = inside.part("addon.session").queue.jobs
    return found[-1] if found else None


def ended(seconds: float, name: str, state: str = "done") -> inside.Steps:
    """Until the newest job has ended; a picture of it half-way."""
    began, seen, pictured = time.monotonic(), set(), False
    while job().state not in ("done", "failed", "cancelled"):
        assert time.monotonic() - began < seconds, f"{name}: {job().message}"
        if job().progress.share is not None:
            seen.add(round(job().progress.share, 2))
        if not pictured and (job().progress.share or 0) > 0.25:
            inside.picture(f"job_{name}")
            pictured = True
        yield 0.1
    inside.say(name, job().state, f"{job().seconds:.0f} s", f"{len(seen)} shares seen", job().message)
    assert job().state == state, f"{name}: {job().message}\n" + "\n".join(job().lines)
    yield 1.8


def cancel_by_esc_and_resume() -> inside.Steps:
    yield from wait(lambda: (job().progress.share or 0) > 0.1, 120, "samples begun")
    inside.say("status bar:", inside.part("addon.jobs.clock").status())
    inside.picture("job_dataset")
    yield from inside.key("ESC")
    yield from ended(20, "dataset_cancelled", "cancelled")
    inside.picture("job_cancelled")
    yield from press("resume_job")
    yield from wait(lambda: job().state == "running", 5, "resumed")


def steps() -> inside.Steps:
    settings = bpy.context.scene.anymove
    yield from inside.open_tab()
    settings.project, settings.name = os.environ["ANYMOVE_PROJECT"], "wolf_gui"
    settings.rig_file = os.environ["ANYMOVE_RIG"]
    settings.hold_out, settings.height = "Walk", 92

    yield from show("creature")
    yield from press("adopt_rig")
    yield from ended(180, "creature")
    inside.picture("panel_creature")

    yield from show("studio")
    settings.pose_count = 8
    yield from press("render_poses")
    yield from ended(120, "studio")
    inside.picture("panel_studio")

    yield from show("dataset")
    settings.samples, settings.processes = 40, 2
    yield from press("render_dataset")
    yield from cancel_by_esc_and_resume()
    yield from ended(240, "dataset")
    road = inside.part("addon.session").road(bpy.context)
    assert road.samples == 40, road.samples
    inside.picture("panel_dataset")

    yield from show("reader")
    settings.epochs, settings.backbone = 1, "compact"
    yield from press("train_reader")
    # Loading a file and undoing in between must not touch the job.
    yield from wait(lambda: job().state == "running", 20, "training begun")
    with inside.over():
        bpy.ops.ed.undo_push(message="before")
        bpy.ops.mesh.primitive_cube_add()
        bpy.ops.ed.undo()
    assert job().state == "running"
    yield from ended(500, "reader")
    inside.picture("panel_reader")

    yield from show("exam")
    settings = bpy.context.scene.anymove
    settings.exam_frames = 8
    yield from press("sit_exam")
    yield from ended(400, "exam")
    inside.picture("panel_exam")

    yield from show("capture")
    settings.clip = str(Path(os.environ["ANYMOVE_PROJECT"]) / "runs/wolf_gui/exam/random1/clip.mp4")
    settings.calibrate = settings.pictures = False
    yield from press("capture_clip")
    yield from ended(300, "capture")
    inside.picture("panel_capture")

    yield from show("motion")
    yield from press("bring_in")
    assert bpy.context.object.type == "ARMATURE"
    yield from press("apply_to_rig")
    yield 1.0
    action = bpy.context.object.animation_data.action
    assert action is not None
    assert bpy.context.object.animation_data.action_slot is not None
    inside.say("action", action.name, tuple(action.frame_range))
    bpy.context.scene.frame_set(5)
    with inside.over():
        bpy.ops.view3d.view_selected()
    yield 1.5
    inside.picture("panel_motion")

    yield from show("guide")
    inside.picture("panel_guide")
    with inside.over():
        # Everything that was clicked into the scene can be undone.
        bpy.ops.ed.undo()
        bpy.ops.ed.undo()
    assert (
        bpy.context.object is None
        or bpy.context.object.type != "ARMATURE"
        or not bpy.context.object.animation_data
    )


inside.run(steps(), 1500)
