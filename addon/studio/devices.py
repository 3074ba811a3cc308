# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which device Cycles really renders on: each is made to render a small picture before it is believed."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ...mocap import machine
from ...mocap.errors import BadInput

CHOICES = ("auto", "optix", "cuda", "hip", "metal", "oneapi", "cpu")
_GPU_TYPES = ("OPTIX", "CUDA", "HIP", "METAL", "ONEAPI")
# Under WSL the driver announces OptiX, but its libraries are often not there: CUDA is tried before it.
_WSL_TYPES = ("CUDA", "OPTIX", "HIP", "METAL", "ONEAPI")


def use(asked: str) -> str | None:
    """Let Cycles render on the device ``asked`` for; the GPU type, or None for the CPU. "auto" takes the
    first GPU that renders. Raises BadInput where a named one does not render."""
    if asked == "cpu":
        _leave_gpus()
        return None
    found = rendering_gpu(gpu_types() if asked == "auto" else (asked.upper(),))
    if found is None and asked != "auto":
        known = rendering_gpu() or "the CPU only"
        raise BadInput(
            f"--device {asked}: nothing renders on it here (this machine renders on {known}); "
            "use --device auto, or look at the graphics driver"
        )
    return found


def gpu_types() -> tuple[str, ...]:
    return _WSL_TYPES if machine.is_wsl() else _GPU_TYPES


def rendering_gpu(kinds: Iterable[str] | None = None) -> str | None:
    """The first Cycles device type of ``kinds`` that rendered a small picture just now, or None."""
    cycles = bpy.context.preferences.addons.get("cycles")
    if cycles is None:
        return None
    for kind in gpu_types() if kinds is None else kinds:
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
    _leave_gpus()
    return None


def current() -> str:
    """What ``use`` left Cycles on, as one of CHOICES."""
    kind = bpy.context.preferences.addons["cycles"].preferences.compute_device_type
    return "cpu" if kind == "NONE" else kind.lower()


def _leave_gpus() -> None:
    cycles = bpy.context.preferences.addons.get("cycles")
    if cycles is not None and hasattr(cycles.preferences, "compute_device_type"):
        cycles.preferences.compute_device_type = "NONE"


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
