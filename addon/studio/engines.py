# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Set a scene's render engine up for label-true pictures: no colour look, transparent film, no stamps."""

from __future__ import annotations

import bpy

from ...mocap.errors import BadInput
from . import devices

ENGINES = ("auto", "workbench", "cycles")
CYCLES_SAMPLES = 8


def choose(asked: str, device: str = "auto") -> tuple[str, str]:
    """The engine to use and why, for "auto": Cycles where a GPU really renders, else Workbench. Raises BadInput
    where ``device`` cannot be had."""
    if asked == "workbench":
        if device != "auto":
            raise BadInput(
                f"--device {device}: Workbench knows no devices; leave it out or use --engine cycles"
            )
        return asked, "asked for"
    gpu = devices.use(device)
    if asked == "cycles":
        return (
            asked,
            f"asked for, on {gpu or 'the CPU'}{'' if gpu or device == 'cpu' else ': no GPU renders here'}",
        )
    if gpu:
        return "cycles", f"{gpu} renders here"
    return "workbench", "the CPU was asked for" if device == "cpu" else "no GPU renders here"


def on_gpu() -> bool:
    """Whether Cycles renders on a GPU, as ``choose`` left it."""
    return bpy.context.preferences.addons["cycles"].preferences.has_active_device()


def prepare(
    scene: bpy.types.Scene, engine: str, size: tuple[int, int], painted: bool, blurred: bool = False
) -> None:
    """``blurred``: several pixels or pictures will be averaged, so that none of them needs smooth edges."""
    render = scene.render
    render.resolution_x, render.resolution_y = size
    render.resolution_percentage = 100
    render.film_transparent = True
    render.use_compositing = render.use_sequencer = False
    render.use_file_extension = False
    render.dither_intensity = 0.0
    scene.view_settings.view_transform = "Standard"
    for stamp in ("date", "time", "render_time", "frame", "scene", "camera", "filename", "memory"):
        setattr(render, f"use_stamp_{stamp}", False)
    if engine == "workbench":
        _workbench(scene, painted, blurred)
    else:
        _cycles(scene)


def _workbench(scene: bpy.types.Scene, painted: bool, blurred: bool) -> None:
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.display.render_aa = "OFF" if blurred else "5"
    shading = scene.display.shading
    shading.light = "STUDIO"
    shading.color_type = "VERTEX" if painted else "TEXTURE"
    shading.show_cavity = shading.show_object_outline = False


def _cycles(scene: bpy.types.Scene) -> None:
    scene.render.engine = "CYCLES"
    scene.render.use_persistent_data = True
    cycles = scene.cycles
    cycles.device = "GPU" if on_gpu() else "CPU"
    cycles.samples = CYCLES_SAMPLES
    cycles.use_denoising = cycles.use_adaptive_sampling = False
    cycles.seed = 0
    cycles.max_bounces = 2


def share_samples(scene: bpy.types.Scene, moment: int, moments: int) -> None:
    """Cycles only: the pictures of one exposure share a picture's samples, each with noise of its own. At least
    two each, for one alone leaves holes in alpha."""
    scene.cycles.samples = max(2, -(-CYCLES_SAMPLES // moments))
    scene.cycles.seed = moment
