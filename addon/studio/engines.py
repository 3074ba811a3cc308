# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Set a scene's render engine up for label-true pictures: no colour look, transparent film, no stamps."""

from __future__ import annotations

import bpy

ENGINES = ("auto", "workbench", "cycles")
CYCLES_SAMPLES = 8
_GPU_TYPES = ("OPTIX", "CUDA", "HIP", "METAL", "ONEAPI")


def choose(asked: str) -> tuple[str, str]:
    """The engine to use and why, for "auto": Cycles where a GPU really renders, else Workbench."""
    if asked == "workbench":
        return asked, "asked for"
    gpu = rendering_gpu()
    if asked == "cycles":
        return asked, f"asked for, on {gpu or 'the CPU: no GPU renders here'}"
    return ("cycles", f"{gpu} renders here") if gpu else ("workbench", "no GPU renders here")


def rendering_gpu() -> str | None:
    """The Cycles device type that rendered a tiny picture just now, or None."""
    cycles = bpy.context.preferences.addons.get("cycles")
    if cycles is None:
        return None
    for kind in _GPU_TYPES:
        try:
            devices = cycles.preferences.get_devices_for_type(kind)
            if not devices:
                continue
            cycles.preferences.compute_device_type = kind
        except (TypeError, ValueError):
            continue
        for device in devices:
            device.use = device.type == kind
        if _renders_on_gpu():
            return kind
    if hasattr(cycles.preferences, "compute_device_type"):
        cycles.preferences.compute_device_type = "NONE"
    return None


def _renders_on_gpu() -> bool:
    scene = bpy.data.scenes.new("Anymove GPU Check")
    data = bpy.data.cameras.new("Anymove GPU Check")
    camera = bpy.data.objects.new(data.name, data)
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples = "GPU", 1
    scene.render.resolution_x = scene.render.resolution_y = 8
    try:
        bpy.ops.render.render(scene=scene.name)
    except RuntimeError:
        return False
    else:
        return True
    finally:
        bpy.data.batch_remove([camera, data, scene])


def prepare(
    scene: bpy.types.Scene, engine: str, size: tuple[int, int], painted: bool, blurred: bool = False
) -> None:
    """``blurred``: several pictures will be averaged, so that none of them needs smooth edges."""
    render = scene.render
    render.resolution_x, render.resolution_y = size
    render.resolution_percentage = 100
    render.film_transparent = True
    render.use_compositing = render.use_sequencer = False
    render.image_settings.file_format = "PNG"
    render.image_settings.color_mode = "RGBA"
    render.image_settings.color_depth = "8"
    render.image_settings.compression = 0
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
    cycles.device = (
        "GPU" if bpy.context.preferences.addons["cycles"].preferences.has_active_device() else "CPU"
    )
    cycles.samples = CYCLES_SAMPLES
    cycles.use_denoising = cycles.use_adaptive_sampling = False
    cycles.seed = 0
    cycles.max_bounces = 2
