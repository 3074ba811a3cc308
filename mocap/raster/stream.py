# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""An endless stream of fresh training samples: random poses, drawn and labelled, each decided by its number."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import NamedTuple

import numpy as np

from .. import poses
from ..skeleton import Posed
from . import lights
from .studio import Shot, Studio

_SEED = 0x57E4
_BLUR_SHARE = 0.15
_EXPOSURE = (-1 / 3, 0.0, 1 / 3)
"""Moments of an exposure: three pictures are enough beside the smear that training adds."""


class Sample(NamedTuple):
    """One pose through every view; ``root_depth`` (V,): metres to the root bone's head along each view."""

    shots: tuple[Shot, ...]
    root_depth: np.ndarray


def draw(studio: Studio, seed: int, number: int, unpainted_share: float = 0.0) -> Sample:
    """Sample ``number`` of ``seed``: the poses of the renders, at other numbers than theirs."""
    rng = np.random.default_rng([seed, _SEED, number])
    skeleton = studio.skeleton
    pose = poses.random_pose(skeleton, rng)
    moments = _EXPOSURE if pose.blurred and rng.random() < 2 * _BLUR_SHARE else (0.0,)
    roots, quats = zip(*(pose.at(moment) for moment in moments))
    posed = skeleton.pose(np.array(roots), np.array(quats))
    painted = not rng.random() < unpainted_share
    light, middle = lights.random(rng), len(moments) // 2
    shots = tuple(studio.shot(posed, view, light, painted, middle) for view in studio.rig.layout.views)
    return Sample(shots, root_depths(studio, posed, middle))


def root_depths(studio: Studio, posed: Posed, frame: int = 0) -> np.ndarray:
    """(V,) metres along each view to the root bone's head."""
    return np.array([view.project(posed.heads[frame, 0])[1] for view in studio.rig.layout.views])


class Stream:
    """The samples of ``seed`` by number; the ``keep`` that were used last stay in memory. Safe for threads."""

    def __init__(self, studio: Studio, seed: int, keep: int, unpainted_share: float = 0.0) -> None:
        self.studio, self.seed, self.keep, self.unpainted_share = studio, seed, keep, unpainted_share
        self._held: OrderedDict[int, Sample] = OrderedDict()
        self._lock = threading.Lock()

    def sample(self, number: int) -> Sample:
        with self._lock:
            if number in self._held:
                self._held.move_to_end(number)
                return self._held[number]
        made = draw(self.studio, self.seed, number, self.unpainted_share)
        with self._lock:
            self._held[number] = made
            while len(self._held) > self.keep:
                self._held.popitem(last=False)
        return made


def number(turn: int, slot: int, slots: int, reuse: int, window: int, rng: np.random.Generator) -> int:
    """Which sample a slot of step ``turn`` shows: a new one every ``reuse`` steps, else one of those that it had
    before, of the ``window`` numbers before the newest. Each slot has numbers of its own (slot, slot + slots, ...),
    so that processes which share the slots of a batch draw no sample twice; and slots take turns with new ones."""
    newest = (turn + slot) // reuse
    if (turn + slot) % reuse:
        oldest = max(slot // reuse, newest - window // slots)
        newest = int(rng.integers(oldest, newest + 1))
    return newest * slots + slot
