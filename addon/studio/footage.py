# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Film a rig that plays an action: one picture a frame and view."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...mocap import files
from ...mocap.errors import BadInput
from ...mocap.layout import VIEW_NAMES, Layout, View
from . import cameras, engines, lights, paint, render
from .stage import Stage

SHUTTER = 0.5
"""Share of a frame during which the shutter is open (180 degrees)."""


class Film(NamedTuple):
    views: tuple[str, ...]
    engine: str
    painted: bool
    blurred: bool


def record(
    stage: Stage, film: Film, folder: Path, motion_digest: str, positions: np.ndarray, first_frame: int = 1
) -> Iterator[int]:
    """Write folder/<view>/00000.png ... and yield the number of frames done so far.

    positions (T, J, 3): where the joints are, which tells how far each frame's limbs travel. Pictures
    are RGBA on a transparent film; the label's moment is the frame itself, the middle of the exposure.
    A film that was stopped goes on; pictures of another film (motion, rig or settings) are replaced.
    """
    views = named_views(stage.info.layout, film.views)
    _begin(folder, film, motion_digest, stage.info.digest)
    seen = cameras.add(stage.scene, stage.info.layout)
    if film.painted:
        paint.apply(stage.meshes, stage.info.skeleton)
    lights.add(stage.scene)
    travel = SHUTTER * _pixel_speed(stage, positions)
    for index in range(len(positions)):
        for view in views:
            path = folder / view.name / f"{index:05d}.png"
            if path.exists():
                continue
            whens = SHUTTER * render.exposure(travel[index]) if film.blurred else np.zeros(1)
            engines.prepare(stage.scene, film.engine, view.size, film.painted, blurred=len(whens) > 2)
            picture = render.blurred(
                lambda when, f=first_frame + index, v=view: _shot(stage, seen[v.name], f, when), whens
            )
            render.write_png(path, picture)
        yield index + 1


def _begin(folder: Path, film: Film, motion_digest: str, rig_digest: str) -> None:
    """Keep the pictures that are here where film.json says that they are of this film; else drop them."""
    wanted = {"motion_digest": motion_digest, "rig_digest": rig_digest, **film._asdict()}
    wanted["views"] = list(film.views)
    record_path = folder / "film.json"
    if record_path.exists() and files.read_json(record_path, "film") == wanted:
        return
    for view in VIEW_NAMES:
        for path in (folder / view).glob("[0-9][0-9][0-9][0-9][0-9].png"):
            path.unlink()
    files.write_json(record_path, wanted)


def _pixel_speed(stage: Stage, positions: np.ndarray) -> np.ndarray:
    """(T,) fastest joint of any view, pixels a frame."""
    pixels = stage.info.layout.project(positions)[0]
    if len(pixels) < 2:
        return np.zeros(len(pixels))
    return np.linalg.norm(np.gradient(pixels, axis=0), axis=-1).max((1, 2))


def named_views(layout: Layout, names: tuple[str, ...]) -> list[View]:
    """Raises BadInput where the layout has no view of a name."""
    known = {view.name: view for view in layout.views}
    for name in names:
        if name not in known:
            raise BadInput(f"--views: no view {name!r}; the layout has {', '.join(layout.names)}")
    return [known[name] for name in names]


def _shot(stage: Stage, camera, frame: int, when: float) -> np.ndarray:
    moment = frame + when
    stage.scene.frame_set(int(np.floor(moment)), subframe=float(moment - np.floor(moment)))
    return render.shoot(stage.scene, camera)


def sheet(stage: Stage, engine: str, backdrop: Iterable[int]) -> np.ndarray:
    """(H, W, 4) uint8: every view of the rest pose, painted, side by side on a plain backdrop."""
    seen = cameras.add(stage.scene, stage.info.layout)
    paint.apply(stage.meshes, stage.info.skeleton)
    lights.add(stage.scene)
    return panels(stage, seen, engine, backdrop, painted=True)


def panels(stage: Stage, seen: dict, engine: str, backdrop: Iterable[int], painted: bool) -> np.ndarray:
    """(H, W, 4) uint8: the stage as it stands through the cameras ``seen``, side by side."""
    width, height = stage.info.layout.sheet_size
    out = np.empty((height, width, 4), np.uint8)
    out[...] = (*backdrop, 255)
    for view in stage.info.layout.views:
        engines.prepare(stage.scene, engine, view.size, painted)
        picture = render.shoot(stage.scene, seen[view.name]).astype(np.float32)
        x, y = view.corner
        part = out[y : y + view.size[1], x : x + view.size[0]]
        alpha = picture[..., 3:] / 255
        part[..., :3] = np.rint(picture[..., :3] * alpha + part[..., :3] * (1 - alpha))
    return out
