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
    yield from inside.panel_picture("job_cancelled")
    yield from press("resume_job")
    yield from wait(lambda: job().state == "running", 5, "resumed")


def stood_still() -> None:
    """How long a tick keeps the window waiting, with a job running; and a look at the road."""
    clock, session, times = inside.part("addon.jobs.clock"), inside.part("addon.session"), []
    for _ in range(30):
        began = time.perf_counter()
        clock._tick()
        session.road(bpy.context)
        times.append(time.perf_counter() - began)
    inside.say(f"a tick takes {1000 * max(times):.1f} ms at most")
    assert max(times) < 0.05


def begin() -> inside.Steps:
    settings = bpy.context.scene.anymove
    yield from inside.open_tab()
    inside.picture("overview")
    settings.project, settings.name = os.environ["ANYMOVE_PROJECT"], "wolf"
    settings.rig_file = os.environ["ANYMOVE_RIG"]
    settings.hold_out, settings.height = "Walk", 92


def adopt() -> inside.Steps:
    yield from show("creature")
    yield from press("adopt_rig")
    yield from ended(180, "creature")
    yield from inside.panel_picture("panel_creature")


def studio() -> inside.Steps:
    yield from show("studio")
    bpy.context.scene.anymove.pose_count = 8
    yield from press("render_poses")
    yield from ended(120, "studio")
    yield from inside.panel_picture("panel_studio")


def dataset() -> inside.Steps:
    yield from show("dataset")
    settings = bpy.context.scene.anymove
    settings.samples, settings.processes = 40, 2
    yield from press("render_dataset")
    yield from cancel_by_esc_and_resume()
    yield from ended(240, "dataset")
    samples = inside.part("addon.session").road(bpy.context).samples
    assert samples == 40, samples
    yield from inside.panel_picture("panel_dataset")


def reader() -> inside.Steps:
    yield from show("reader")
    settings = bpy.context.scene.anymove
    settings.epochs, settings.backbone = 1, "compact"
    yield from press("train_reader")
    yield from wait(lambda: job().state == "running", 20, "training begun")
    # Undo in between must not touch the job.
    with inside.over():
        bpy.ops.ed.undo_push(message="before")
        bpy.ops.mesh.primitive_cube_add("EXEC_DEFAULT", True)
        bpy.ops.ed.undo()
    assert job().state == "running"
    stood_still()
    yield from ended(500, "reader")
    yield from inside.panel_picture("panel_reader")


def exam() -> inside.Steps:
    yield from show("exam")
    settings = bpy.context.scene.anymove
    settings.exam_frames = 8
    yield from press("sit_exam")
    yield from ended(900, "exam")
    yield from inside.panel_picture("panel_exam")


def capture() -> inside.Steps:
    yield from show("capture")
    settings = bpy.context.scene.anymove
    settings.clip = str(Path(os.environ["ANYMOVE_PROJECT"]) / "runs/wolf/exam/random1/clip.mp4")
    settings.calibrate = settings.pictures = False
    yield from press("capture_clip")
    yield from ended(300, "capture")
    yield from inside.panel_picture("panel_capture")


def motion() -> inside.Steps:
    yield from show("motion")
    with inside.over():
        bpy.ops.object.select_all(action="SELECT")
        bpy.ops.object.delete()
        bpy.ops.ed.undo_push(message="an empty scene")
    yield 0.3
    yield from press("bring_in")
    rig = bpy.context.object
    assert rig.type == "ARMATURE"
    yield from press("apply_to_rig")
    yield 1.0
    data = bpy.context.object.animation_data
    assert data.action is not None
    assert data.action_slot is not None
    inside.say("action", data.action.name, tuple(data.action.frame_range))
    bpy.context.scene.frame_set(5)
    with inside.over():
        bpy.ops.view3d.view_selected()
    yield 1.5
    yield from inside.panel_picture("panel_motion")
    inside.picture("applied")


def limits() -> inside.Steps:
    """Cones, joints, ghost and arrow over the rig, and the layout's cameras."""
    settings, rig = bpy.context.scene.anymove, bpy.context.object
    rig.hide_set(False)
    with inside.over():
        bpy.ops.object.mode_set(mode="POSE")
    for bone in rig.pose.bones:
        # Before Blender 5.0, selection belonged to the armature's bone.
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name in (
            "Head",
            "FrontUpperLeg.L",
            "BackLowerLeg.L",
            "Tail3",
        )
    rig.data.bones.active = rig.data.bones["FrontUpperLeg.L"]
    settings.show_limits = settings.show_joints = settings.show_ghost = settings.show_facing = True
    yield from show("rig")
    yield from inside.aside()
    inside.picture("limits")
    drawing = inside.part("addon.overlay.draw")
    began = time.perf_counter()
    with inside.over():
        shapes = drawing.shown(bpy.context)
    inside.say(f"overlay: {len(shapes)} shapes in {1000 * (time.perf_counter() - began):.1f} ms")
    assert len(shapes) >= 3 * 4 + 3
    with inside.over():
        bpy.ops.object.mode_set(mode="OBJECT")
    yield from show("studio")
    yield from press("look_through", 0.75)
    yield 1.0
    assert bpy.context.scene.camera.name == "Anymove side"
    assert inside.view().spaces.active.region_3d.view_perspective == "CAMERA"
    yield from inside.aside()
    inside.picture("look_side")


def preferences() -> inside.Steps:
    """The add-on's page, with what a check found."""
    with inside.over():
        began = time.perf_counter()
        bpy.ops.anymove.check_toolkit("INVOKE_DEFAULT")
        inside.say(f"a click that starts a job takes {1000 * (time.perf_counter() - began):.1f} ms")
    yield from ended(120, "check")
    with inside.over():
        bpy.ops.preferences.addon_show(module=inside.MODULE)
    yield 2.0
    inside.picture("preferences")


def results() -> inside.Steps:
    """A click on what came out opens it in an Image Editor; one on the log in a text editor."""
    yield from show("dataset")
    yield from press("show_picture")
    yield 2.0
    spaces = [
        area.spaces.active for window in bpy.context.window_manager.windows for area in window.screen.areas
    ]
    shown = [space.image for space in spaces if space.type == "IMAGE_EDITOR" and space.image]
    assert [Path(image.filepath).name for image in shown] == ["dataset_samples.jpg"]
    inside.picture("image_editor")


def end() -> inside.Steps:
    yield from inside.show_all()
    yield 1.6
    inside.picture("done")


def steps() -> inside.Steps:
    for part in (
        begin,
        adopt,
        studio,
        dataset,
        reader,
        exam,
        capture,
        motion,
        limits,
        end,
        results,
        preferences,
    ):
        yield from part()


if __name__ == "__main__":
    inside.run(steps(), 2400)
