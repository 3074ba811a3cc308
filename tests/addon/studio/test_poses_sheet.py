# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The contact sheet of random poses shows what the samples will show."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from anymove.addon.studio import poses as sheet
from anymove.addon.studio import render
from anymove.mocap import poses
from anymove.mocap.rig_info import creature_paths

pytestmark = [pytest.mark.bpy, pytest.mark.rigs]


def test_every_view_of_every_pose_is_there(adopt, outcome):
    rig = adopt("Wolf")
    paths = creature_paths(rig.home)
    bpy.ops.anymove.render_poses(creature=str(rig.home), count=5, seed=3, engine="workbench")
    assert outcome().code == 0
    picture = render.read_png(paths.runs / "poses.png").astype(int)
    wide, high = rig.info.layout.sheet_size
    assert picture.shape == (2 * high, sheet.COLUMNS * wide, 4)
    for index in range(5):
        pose = poses.random_pose(rig.info.skeleton, poses.sample_rng(3, index))
        joints = rig.info.skeleton.pose(pose.root[None], pose.quats[None]).joints[0]
        for view in rig.info.layout.views:
            x = (index % sheet.COLUMNS) * wide + view.corner[0]
            y = (index // sheet.COLUMNS) * high
            panel = picture[y : y + view.size[1], x : x + view.size[0], :3]
            drawn = np.argwhere(np.abs(panel - sheet.BACKDROP[0]).max(-1) > 8)
            pixels = view.project(joints)[0]
            np.testing.assert_allclose(drawn.mean(0)[::-1], pixels.mean(0), atol=0.12 * view.size[0])
