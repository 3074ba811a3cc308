# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Samples on disk -> cutouts in memory -> batches of degraded pictures with labels.

A batch is decided by (seed, epoch, step) alone, so a training that is stopped and resumed sees what an
uninterrupted one sees, and batches may be prepared by several threads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

import cv2
import numpy as np

from .. import cli, files, framing
from ..errors import BadInput
from ..layout import Layout
from ..rig_info import RigInfo
from . import augment, samples
from .backdrops import Backdrops

T = TypeVar("T")
HELD_OUT_EVERY = 25
"""One sample in this many (4%) is held out: those whose index it divides."""
_LOOSE_TIGHT = (0.92, 1.2)
_LOOSE_WHOLE = (0.85, 1.12)


@dataclass(frozen=True)
class SampleSet:
    """N samples of V views and J joints in memory.

    cutouts[n][v]; positions (N, V, J, 2) panel pixels; visible (N, V, J); indices (N,) on disk.
    ``digest`` covers the pictures and labels of all of them.
    """

    layout: Layout
    cutouts: list[list[augment.Cutout]]
    positions: np.ndarray
    visible: np.ndarray
    indices: np.ndarray
    digest: str

    @property
    def held_out(self) -> np.ndarray:
        """Rows that are never trained on."""
        return np.flatnonzero(self.indices % HELD_OUT_EVERY == 0)

    @property
    def training(self) -> np.ndarray:
        return np.flatnonzero(self.indices % HELD_OUT_EVERY != 0)


def load(folder: Path, rig: RigInfo) -> SampleSet:
    """Every whole sample of ``rig`` in ``folder``. Says how many torn ones were left out."""
    metas = samples.load_all(folder, rig.digest)
    torn = len(samples.indices(folder)) - len(metas)
    if torn:
        cli.say(f"{torn} torn samples are left out; tools/dataset.sh renders them again")
    loaded = gather(folder, rig, metas)
    if len(loaded.held_out) == 0 or len(loaded.training) == 0:
        raise BadInput(f"{folder}: {len(metas)} samples are too few; render at least {HELD_OUT_EVERY + 1}")
    return loaded


def gather(folder: Path, rig: RigInfo, metas: list[samples.SampleMeta]) -> SampleSet:
    """The pictures and labels of ``metas``, which are whole samples in ``folder``."""
    views = rig.layout.views
    return SampleSet(
        rig.layout,
        [
            [_cutout(folder, meta.index, view.name, view.size) for view in views]
            for meta in cli.track(metas, "loading samples", logged=False)
        ],
        np.array([[meta.views[view.name].positions for view in views] for meta in metas]),
        np.array([[meta.views[view.name].visible for view in views] for meta in metas]),
        np.array([meta.index for meta in metas]),
        files.digest_json([meta.digests for meta in metas]),
    )


def _cutout(folder: Path, index: int, view: str, size: tuple[int, int]) -> augment.Cutout:
    path = samples.picture_path(folder, index, view)
    picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if picture is None or picture.ndim != 3 or picture.shape[2] != 4 or picture.dtype != np.uint8:
        raise BadInput(f"{path}: an 8-bit picture with alpha was expected")
    if picture.shape[1::-1] != tuple(size):
        raise BadInput(
            f"{path}: is {picture.shape[1]}x{picture.shape[0]}, the layout has {size[0]}x{size[1]}"
        )
    return augment.Cutout.from_panel(cv2.cvtColor(picture, cv2.COLOR_BGRA2RGBA))


class Batch(NamedTuple):
    """pictures (B * V, S, S, 3) uint8; points (B * V, J, 2) input pixels; inside (B * V, J) bool."""

    pictures: np.ndarray
    points: np.ndarray
    inside: np.ndarray


class Batches:
    """The training batches of every epoch; ``batch`` counts samples, ``size`` is the input's side."""

    def __init__(
        self,
        data: SampleSet,
        bank: Backdrops,
        size: int,
        batch: int,
        seed: int,
        draws: int,
        whole_share: float,
    ) -> None:
        self.data, self.bank, self.size, self.seed = data, bank, size, seed
        self.batch, self.draws, self.whole_share = batch, draws, whole_share

    @property
    def steps(self) -> int:
        """Batches in an epoch. What does not fill the last one is left out, other samples each time."""
        return max(1, len(self.data.training) * self.draws // self.batch)

    def epoch(self, epoch: int, workers: int = 1) -> Iterator[Batch]:
        """The batches of ``epoch`` in order, prepared ahead by ``workers`` threads."""
        rng = np.random.default_rng([self.seed, epoch, 0xE9])
        rows = np.concatenate([rng.permutation(self.data.training) for _ in range(self.draws)])
        jobs = (
            (epoch, step, rows[step * self.batch : (step + 1) * self.batch]) for step in range(self.steps)
        )
        return ahead(lambda job: self._make(*job), jobs, workers)

    def _make(self, epoch: int, step: int, rows: np.ndarray) -> Batch:
        rng = np.random.default_rng([self.seed, epoch, step, 0xBA])
        views = len(self.data.layout.views)
        pictures = np.empty((len(rows) * views, self.size, self.size, 3), np.uint8)
        points = np.empty((len(rows) * views, self.data.positions.shape[2], 2), np.float32)
        for slot, row in enumerate(rows):
            whole = rng.random() < self.whole_share
            for view in range(views):
                at = slot * views + view
                pictures[at], points[at] = self._draw(row, view, whole, rng)
        inside = ((points >= 0) & (points <= self.size)).all(-1)
        return Batch(pictures, points, inside)

    def _draw(
        self, row: int, view: int, whole: bool, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        truth = self.data.positions[row, view]
        if whole:
            box, loose = framing.whole_box(self.data.layout.views[view].size), _LOOSE_WHOLE
        else:
            box, loose = framing.tight_box(truth), _LOOSE_TIGHT
        seen = augment.jittered(box, rng, self.size, loose)
        cutout = self.data.cutouts[row][view]
        picture = augment.picture(cutout, seen, (self.size, self.size), self.bank, rng)
        return picture, framing.apply(seen, truth)


def ahead(make: Callable[[object], T], jobs: Iterable[object], workers: int) -> Iterator[T]:
    """``map(make, jobs)`` in order, up to two jobs a worker ahead."""
    jobs = iter(jobs)
    with ThreadPoolExecutor(workers) as pool:
        waiting = deque(pool.submit(make, job) for job in islice(jobs, 2 * workers))
        try:
            while waiting:
                done = waiting.popleft()
                waiting.extend(pool.submit(make, job) for job in islice(jobs, 1))
                yield done.result()
        finally:
            for future in waiting:
                future.cancel()
