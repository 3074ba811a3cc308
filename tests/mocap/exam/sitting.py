# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of the exam share."""

import av
import numpy as np

from mocap.exam.exam import Exam
from mocap.motion import JointTrack

FRAMES = 24


def track(info, motion) -> JointTrack:
    joints = motion.joints(info.skeleton)
    return JointTrack(motion.fps, info.skeleton.joint_names, joints, info.digest, motion.quats)


def exam_of(info, truth, solved, detections=None, **more) -> Exam:
    return Exam(info, truth, solved, detections, 1, {}, **more)


def score_arguments(folder) -> list[str]:
    tracks = [str(folder / name / "joints.json") for name in ("truth", "solved")]
    return ["score", *tracks, "--rig", str(folder / "rig_info.json")]


def decode(path) -> tuple[np.ndarray, float]:
    with av.open(str(path)) as container:
        rate = float(container.streams.video[0].average_rate)
        return np.stack([f.to_ndarray(format="rgb24") for f in container.decode(video=0)]), rate
