# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""An exam that was sat, and its parts."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from mocap import poses
from mocap.exam import film
from mocap.solve import solve
from mocap.solve.result import result_path
from tests.mocap import rigs
from tests.mocap.exam.sitting import FRAMES, track


@pytest.fixture(scope="module")
def info():
    return rigs.rig_info(size=200)


@pytest.fixture(scope="module")
def motion(info):
    return poses.random_motion(info.skeleton, 1, FRAMES, 24.0, info.digest)


@pytest.fixture
def rendered(info, motion, tmp_path):
    """What apply_motion leaves: a grey square that marks the frame number, on transparent ground."""
    folder = tmp_path / "truth"
    track(info, motion).save(folder / "joints.json")
    for view in ("front", "side"):
        (folder / view).mkdir(parents=True)
        for frame in range(FRAMES):
            picture = np.zeros((200, 200, 4), np.uint8)
            picture[40:160, 40:160] = (10 * frame, 10 * frame, 200 if view == "side" else 0, 255)
            cv2.imwrite(str(folder / view / f"{frame:05d}.png"), picture)
    return folder


@pytest.fixture
def sat(info, motion, rendered, tmp_path):
    """A whole exam on disk: rig, truth, readings, clip, solved joints."""
    info.save(tmp_path / "rig_info.json")
    made = replace(motion, provenance={"seed": 11})
    made.save(tmp_path / "truth.json")
    detections = rigs.detections(info, motion.joints(info.skeleton), noise=4.0, missing=0.1)
    detections.save(tmp_path / "det.npz")
    film.film(rendered, tmp_path / "clip.mp4", 24.0, "plain", 0)
    result = solve(detections, info)
    result.save(result_path(tmp_path / "solved.json"))
    solved = result.motion
    solved.save(tmp_path / "solved.json")
    track(info, solved).save(tmp_path / "solved" / "joints.json")
    return tmp_path
