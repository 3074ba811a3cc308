# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A contact sheet of random poses, unpainted: are they plausible? To be looked at before rendering samples."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...mocap import poses
from ..motion.pose import set_pose
from . import cameras, footage, lights
from .stage import Stage

COLUMNS = 4
BACKDROP = (128, 128, 128)


def tiles(stage: Stage, engine: str, seed: int, count: int) -> Iterator[np.ndarray]:
    """(H, W, 4) uint8 sheets of all views, one for each of the first ``count`` poses that ``seed`` gives."""
    seen = cameras.add(stage.scene, stage.info.layout)
    lights.add(stage.scene)
    for index in range(count):
        pose = poses.random_pose(stage.info.skeleton, poses.sample_rng(seed, index))
        set_pose(stage.rig, stage.info.skeleton, pose.root, pose.quats)
        stage.update()
        yield footage.panels(stage, seen, engine, BACKDROP, painted=False)


def grid(sheets: list[np.ndarray], columns: int = COLUMNS) -> np.ndarray:
    """Sheets of one size laid in rows; what the last row lacks is black."""
    blank = np.zeros_like(sheets[0])
    blank[..., 3] = 255
    cells = sheets + [blank] * (-len(sheets) % columns)
    return np.vstack([np.hstack(cells[at : at + columns]) for at in range(0, len(cells), columns)])
