# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Random poses for training and random smooth motions for the exam, plausible and inside the joint limits."""

from .draw import Drawn, draw, random_pose, sample_rng
from .motion import random_motion
from .pose import RandomPose

__all__ = ["Drawn", "RandomPose", "draw", "random_motion", "random_pose", "sample_rng"]
