# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside a real Blender: steps from a generator, real mouse moves and clicks, pictures of the screen.

``blender --enable-event-simulate ... -P steps.py -- OUT``: each ``yield seconds`` hands control back to Blender.
"""

from __future__ import annotations

import faulthandler
import os
import struct
import sys
import time
import traceback
from collections.abc import Generator
from importlib import import_module
from pathlib import Path

import bpy
import numpy as np

Steps = Generator[float, None, object]
OUT = Path(sys.argv[sys.argv.index("--") + 1]) if "--" in sys.argv else Path()
MODULE = next((a.module for a in bpy.context.preferences.addons if a.module.endswith(".anymove")), "")
HEADER = 17
"""Middle of the first panel's header below the sidebar's top, pixels."""
_OPENED: set[str] = set()
_BEGAN = time.monotonic()


def part(name: str):
    """A module of the installed add-on."""
    return import_module(f"{MODULE}.{name}")


def say(*words) -> None:
    print(f"[{time.monotonic() - _BEGAN:6.1f}]", *words, flush=True)


def run(steps: Steps, limit: float) -> None:
    """Play ``steps``; ends Blender with 0, or with 1 where a step raised or ``limit`` seconds passed."""

    def tick() -> float:
        if time.monotonic() - _BEGAN > limit:
            say("out of time")
            _end(1)
        try:
            return next(steps)
        except StopIteration:
            say("passed")
            _end(0)
        except BaseException:
            traceback.print_exc()
            picture("failed")
            _end(1)
        return 0.1

    # A crash of Blender's tells what Python was doing.
    faulthandler.enable()
    bpy.context.preferences.view.show_splash = False
    bpy.app.timers.register(tick, first_interval=1.0, persistent=True)


def _end(code: int) -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    # quit_blender carries no exit code.
    os._exit(code)


def window() -> bpy.types.Window:
    return bpy.context.window_manager.windows[0]


def view() -> bpy.types.Area:
    return next(area for area in window().screen.areas if area.type == "VIEW_3D")


def sidebar() -> bpy.types.Region:
    return next(region for region in view().regions if region.type == "UI")


def over(region_type: str = "WINDOW"):
    area = view()
    region = next(region for region in area.regions if region.type == region_type)
    return bpy.context.temp_override(window=window(), area=area, region=region)


def wait(condition, seconds: float, what: str) -> Steps:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {seconds:g} s")
        yield 0.1


def open_tab() -> Steps:
    view().spaces.active.show_region_ui = True
    yield 0.4
    for _ in range(30):
        try:
            sidebar().active_panel_category = "Anymove"
            break
        except (TypeError, AttributeError):
            view().tag_redraw()
            yield 0.2
    assert sidebar().active_panel_category == "Anymove"
    yield 0.3


def show(name: str) -> Steps:
    """This panel alone, open: the sidebar is not high enough for all."""
    classes = part("addon.panels").CLASSES
    for cls in classes:
        if hasattr(bpy.types, cls.__name__):
            bpy.utils.unregister_class(cls)
    yield 0.1
    shown = next(cls for cls in classes if cls.__name__ == f"ANYMOVE_PT_{name}")
    bpy.utils.register_class(shown)
    yield from open_tab()
    if name not in _OPENED and "DEFAULT_CLOSED" in getattr(shown, "bl_options", ()):
        _OPENED.add(name)
        region = sidebar()
        yield from click(region.x + 70, region.y + region.height - HEADER)
    # The first drawing asks for the road; the next one shows it.
    yield 1.6


def show_all() -> Steps:
    for cls in part("addon.panels").CLASSES:
        if not hasattr(bpy.types, cls.__name__):
            bpy.utils.register_class(cls)
    yield from open_tab()


def move(x: int, y: int) -> Steps:
    window().event_simulate(type="MOUSEMOVE", value="NOTHING", x=x, y=y)
    yield 0.06


def click(x: int, y: int) -> Steps:
    yield from move(x, y)
    yield from move(x + 1, y)
    for value in ("PRESS", "RELEASE"):
        window().event_simulate(type="LEFTMOUSE", value=value, x=x + 1, y=y)
        yield 0.1


def key(kind: str) -> Steps:
    """Over the middle of the 3D view."""
    area = view()
    x, y = area.x + area.width // 3, area.y + area.height // 2
    yield from move(x, y)
    for value in ("PRESS", "RELEASE"):
        window().event_simulate(type=kind, value=value, x=x, y=y)
        yield 0.1


def find(operator: str, side: float = 0.5) -> Generator[float, None, tuple[int, int]]:
    """Where the button of bpy.ops.anymove.<operator> is: the mouse looks for it from the top, pressing nothing.
    ``side``: how far to the right."""
    region = sidebar()
    x = region.x + int((region.width - 20) * side)
    for y in range(region.y + region.height - 10, region.y + 4, -9):
        yield from move(x, y)
        yield from move(x + 1, y)
        bpy.context.window_manager.clipboard = ""
        with over("UI"):
            if bpy.ops.ui.copy_python_command_button.poll():
                bpy.ops.ui.copy_python_command_button()
        if bpy.context.window_manager.clipboard.startswith(f"bpy.ops.anymove.{operator}("):
            return x, y
    raise AssertionError(f"no button for {operator} in the sidebar")


def press(operator: str, side: float = 0.5) -> Steps:
    x, y = yield from find(operator, side)
    say("press", operator, (x, y))
    yield from click(x, y)
    yield 0.3


def aside() -> Steps:
    """The mouse out of the way, so that no tooltip is on the picture."""
    area = view()
    yield from move(area.x + area.width // 3, area.y + 60)
    yield from move(area.x + area.width // 3 + 2, area.y + 60)
    yield 0.5


def picture(name: str) -> None:
    """The whole screen as a PNG: Blender's own screenshot is black without a graphics card."""
    _write(name, _screen())


def panel_picture(name: str) -> Steps:
    """The sidebar as far as panels reach down."""
    yield from aside()
    region, screen = sidebar(), _screen()
    top, left = len(screen) - region.y - region.height, region.x
    part_of_it = screen[top : top + region.height, left : left + region.width - 28]
    # A panel's ground is not quite the view's: beside its buttons one sees how far it reaches.
    ground = part_of_it[:, 12, :3]
    same = (ground == ground[34]).all(1)
    end = next((row for row in range(34, len(same)) if not same[row : row + 12].any()), len(same))
    _write(name, part_of_it[: end + 4])


def _write(name: str, pixels: np.ndarray) -> None:
    (OUT / f"{name}.png").write_bytes(part("mocap.png").encode(pixels, 9))


def _screen() -> np.ndarray:
    """(H, W, 4) of the X server's own memory, an XWD file with 32 bits a pixel."""
    data = Path(os.environ["ANYMOVE_SCREEN"]).read_bytes()
    head = struct.unpack(">25I", data[:100])
    start, width, height, line, colours = head[0], head[4], head[5], head[12], head[19]
    rows = np.frombuffer(data, np.uint8, height * line, start + 12 * colours).reshape(height, line)
    pixels = rows[:, : 4 * width].reshape(height, width, 4)[..., [2, 1, 0, 3]]
    pixels[..., 3] = 255
    return pixels
