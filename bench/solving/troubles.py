# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What can be wrong with a clip's readings and its views. Pixels are for a creature 400 px high (1 px is 0.25%)."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mocap.detections import Detections
from mocap.exam.readings import REFERENCE_PX, Trouble, made_up_readings, turned_away
from mocap.motion import Motion
from mocap.rig_info import RigInfo
from mocap.solve import Settings
from mocap.solve.cameras import OFFSET, SCALE, YAW, Cameras
from mocap.solve.observations import height_px, pivot

OFF = (0.05, 12.0, 4.0)
"""The side view's constant fault: share by which it is larger, pixels by which it is lower, degrees of turn."""
DRIFT = (0.03, 10.0)
"""How much larger and lower the side view gets from the first frame to the last, in a straight line."""


class Case(NamedTuple):
    """Readings with ``trouble``, taken by views that have ``fault`` ("", "off" or "drift"), of which the detections
    know nothing. ``given``: the solver is told that the views keep to the layout."""

    name: str
    trouble: Trouble
    fault: str = ""
    given: bool = False

    @property
    def settings(self) -> Settings:
        return Settings(calibrate=not self.given)

    @property
    def exchanges(self) -> bool:
        """Limbs were exchanged when the readings were made up, so an exchange that is found may be right."""
        return self.trouble.swapped > 0


def mixed(noise_px: float) -> Trouble:
    """15% missing and 5% grossly wrong: one half strays anywhere, the other belongs to limbs that are exchanged with
    their mirror in one view for runs of 3 to 15 frames."""
    return Trouble(noise_px, missing=0.15, gross=0.025, swapped=0.025)


CLEAN = Case("clean", Trouble(0))
NOISE_2 = Case("2 px", Trouble(2))
NOISE_4 = Case("4 px", Trouble(4))
MIXED_4 = Case("4 px, 15/5", mixed(4))
MIXED_8 = Case("8 px, 15/5", mixed(8))
LASTING = Case("4 px, AR(1) 0.8", Trouble(4, correlation=0.8))
LASTING_LONG = Case("4 px, AR(1) 0.95", Trouble(4, correlation=0.95))
GIVEN = Case("2 px, cameras known", Trouble(2), given=True)
VIEWS_OFF = Case("2 px, cameras off", Trouble(2), "off")
VIEWS_DRIFT = Case("2 px, cameras drifting", Trouble(2), "drift")

CASES = (CLEAN, NOISE_2, NOISE_4, MIXED_4, MIXED_8, LASTING, LASTING_LONG, GIVEN, VIEWS_OFF, VIEWS_DRIFT)
QUICK = (CLEAN, NOISE_2, MIXED_4)


def readings(info: RigInfo, motion: Motion, case: Case, seed: int = 0) -> Detections:
    """What was read of ``motion``; markers on the far side of their bone are not. The same ``seed`` gives the same
    noise whatever the views' fault is, so that cases compare."""
    joints = motion.joints(info.skeleton)
    read = made_up_readings(info, joints, case.trouble, motion.fps, seed, turned_away(info, motion))
    if not case.fault:
        return read
    middle = pivot(info.skeleton)
    right, _ = Cameras.nominal(info.layout, middle, len(joints)).project(joints)
    wrong, _ = Cameras.of(info.layout, middle, faults(info, case.fault, len(joints))).project(joints)
    return replace(read, positions=read.positions + wrong - right)


def faults(info: RigInfo, fault: str, frames: int) -> np.ndarray:
    """(T, V, 3) faults of the views, as mocap.solve.cameras takes them: all in the last view, against the others."""
    heights = height_px(info.skeleton, info.layout)
    out = np.zeros((frames, len(heights), 3))
    pixel = heights[-1] / REFERENCE_PX
    if fault == "off":
        larger, lower, turned = OFF
        out[:, -1, YAW] = np.radians(turned)
        way = np.ones(frames)
    elif fault == "drift":
        larger, lower = DRIFT
        way = np.linspace(-0.5, 0.5, frames)
    else:
        raise ValueError(f"fault is {fault!r}, it must be 'off' or 'drift'")
    out[:, -1, SCALE] = np.log1p(larger * way)
    out[:, -1, OFFSET] = lower * pixel * way
    return out
