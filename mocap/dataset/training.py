# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Samples on disk and samples of the stream -> batches of degraded pictures with labels.

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

from .. import cli, files, framing, parts
from ..errors import BadInput
from ..raster import stream
from ..raster.studio import Shot, Studio
from ..rig_info import RigInfo
from . import augment, samples
from .backdrops import Backdrops

T = TypeVar("T")
HELD_OUT_EVERY = 25
"""One sample in this many (4%) is held out: those whose index it divides."""
MASK_STRIDE = 2
"""Input pixels to a pixel of the masks."""
_LOOSE_TIGHT = (0.92, 1.2)
_CROPPED_SHARE = 0.04
_LONE_SHARE = 0.04
"""Of the samples show nothing in one of their views, as clips of a single view do."""
_PANELS_OFF = 0.01
"""Deviation of how far a panel is from where, and from how large, it should be, in half panels."""


class Mask(NamedTuple):
    """The part that each pixel of a window shows, (h, w) uint8; ``corner`` (2,): panel pixel of its top-left."""

    parts: np.ndarray
    corner: np.ndarray


@dataclass(frozen=True)
class SampleSet:
    """N samples of V views and J joints in memory.

    cutouts[n][v], masks[n][v]; positions (N, V, J, 2) panel pixels; depth (N, V, J): along the view behind the root
    bone's head, in heights; visible (N, V, J); indices (N,) on disk. ``digest`` covers the pictures and labels of
    all of them.
    """

    rig: RigInfo
    cutouts: list[list[augment.Cutout]]
    masks: list[list[Mask]]
    positions: np.ndarray
    depth: np.ndarray
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


def nothing(studio: Studio) -> SampleSet:
    """No rendered samples: for batches that come from the stream alone."""
    views, joints = len(studio.rig.layout.views), len(studio.skeleton.joints)
    shape = (0, views, joints)
    return SampleSet(
        studio.rig,
        [],
        [],
        np.empty((*shape, 2)),
        np.empty(shape),
        np.empty(shape, bool),
        np.empty(0, int),
        files.digest_json([]),
    )


def load(folder: Path, studio: Studio) -> SampleSet:
    """Every whole sample of the studio's rig in ``folder``. Says how many torn ones were left out."""
    rig = studio.rig
    metas = samples.load_all(folder, rig.digest, studio.digest)
    torn = len(samples.indices(folder)) - len(metas)
    if torn:
        cli.say(f"{torn} torn samples are left out; tools/dataset.sh renders them again")
    loaded = gather(folder, studio, metas)
    if len(loaded.held_out) == 0 or len(loaded.training) == 0:
        raise BadInput(f"{folder}: {len(metas)} samples are too few; render at least {HELD_OUT_EVERY + 1}")
    return loaded


def gather(folder: Path, studio: Studio, metas: list[samples.SampleMeta]) -> SampleSet:
    """The pictures and labels of ``metas``, which are whole samples in ``folder``. Their masks are drawn here: a
    pose decides them."""
    rig = studio.rig
    views = rig.layout.views
    posed = rig.skeleton.pose(np.array([m.root for m in metas]), np.array([m.quats for m in metas]))
    cutouts, masks = [], []
    for row, meta in enumerate(cli.track(metas, "loading samples", logged=False)):
        cutouts.append([_cutout(folder, meta.index, view.name, view.size) for view in views])
        points = studio.points(posed, row)
        found = [studio.buffers(points, view) for view in views]
        masks.append([Mask(studio.masks(buffers), buffers.corner) for buffers in found])
    roots = np.stack([view.project(posed.heads[:, 0])[1] for view in views], 1)
    depth = np.array([[meta.views[view.name].depth for view in views] for meta in metas])
    return SampleSet(
        rig,
        cutouts,
        masks,
        np.array([[meta.views[view.name].positions for view in views] for meta in metas]),
        (depth - roots[..., None]) / rig.skeleton.height,
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


class Source(NamedTuple):
    """What one view of one sample gives to training, wherever it comes from; see SampleSet for the fields."""

    cutout: augment.Cutout
    mask: Mask
    positions: np.ndarray
    depth: np.ndarray
    visible: np.ndarray

    @classmethod
    def of_row(cls, data: SampleSet, row: int, view: int) -> Source:
        return cls(
            data.cutouts[row][view],
            data.masks[row][view],
            data.positions[row, view],
            data.depth[row, view],
            data.visible[row, view],
        )

    @classmethod
    def of_shot(cls, shot: Shot, root_depth: float, height: float) -> Source:
        cutout = augment.Cutout(shot.rgba, framing.halve(shot.rgba), shot.corner)
        positions, depth, visible = shot.labels
        return cls(cutout, Mask(shot.parts, shot.corner), positions, (depth - root_depth) / height, visible)


class Batch(NamedTuple):
    """N = B * V pictures, the views of a sample together.

    pictures (N, S, S, 3) uint8; points (N, J, 2) input pixels; inside, visible (N, J) bool; depth (N, J), in heights
    behind the root; masks (N, S / 2, S / 2) uint8; framings (N, 2, 3): from input pixels to the panel
    (framing.in_panel), a little off.
    """

    pictures: np.ndarray
    points: np.ndarray
    inside: np.ndarray
    visible: np.ndarray
    depth: np.ndarray
    masks: np.ndarray
    framings: np.ndarray


class Mix(NamedTuple):
    """How much of a batch comes from the stream: ``share`` of its samples, each used ``reuse`` times within the last
    ``window`` numbers."""

    share: float
    reuse: int = 3
    window: int = 1024


class Batches:
    """The training batches of every epoch. ``batch`` counts samples, ``size`` is the input's side, ``pairs`` the
    samples of one epoch, rendered and streamed together; ``slots``: only these of each batch are made."""

    def __init__(
        self,
        data: SampleSet,
        source: stream.Stream | None,
        mix: Mix,
        bank: Backdrops,
        size: int,
        batch: int,
        seed: int,
        pairs: int,
        whole_share: float,
        slots: range | None = None,
    ) -> None:
        self.data, self.stream, self.mix, self.bank = data, source, mix, bank
        self.size, self.seed, self.batch, self.whole_share = size, seed, batch, whole_share
        self.pairs = pairs
        self.slots = range(batch) if slots is None else slots
        self.streamed = round(batch * mix.share) if source else 0
        """Samples of each batch that come from the stream."""

    @property
    def steps(self) -> int:
        """Batches in an epoch."""
        return max(1, self.pairs // self.batch)

    def epoch(self, epoch: int, workers: int = 1) -> Iterator[Batch]:
        """The batches of ``epoch`` in order, prepared ahead by ``workers`` threads."""
        rows = self._rows(epoch)
        jobs = ((epoch, step, rows[step]) for step in range(self.steps))
        return ahead(lambda job: self._make(*job), jobs, workers)

    def _rows(self, epoch: int) -> np.ndarray:
        """(steps, rendered samples a step): every training row equally often, in one random order after another
        that goes on through the epochs."""
        count = self.batch - self.streamed
        if not count:
            return np.empty((self.steps, 0), int)
        training = self.data.training
        begin, end = epoch * self.steps * count, (epoch + 1) * self.steps * count
        first, last = begin // len(training), max(end - 1, begin) // len(training)
        orders = [
            np.random.default_rng([self.seed, turn, 0xE9]).permutation(training)
            for turn in range(first, last + 1)
        ]
        offset = begin - first * len(training)
        return np.concatenate(orders)[offset : offset + end - begin].reshape(self.steps, count)

    def _make(self, epoch: int, step: int, rows: np.ndarray) -> Batch:
        views, joints, side = len(self.data.rig.layout.views), self.data.positions.shape[2], self.size
        count = len(self.slots) * views
        batch = Batch(
            np.empty((count, side, side, 3), np.uint8),
            np.empty((count, joints, 2), np.float32),
            np.empty((count, joints), bool),
            np.empty((count, joints), bool),
            np.empty((count, joints), np.float32),
            np.empty((count, side // MASK_STRIDE, side // MASK_STRIDE), np.uint8),
            np.empty((count, 2, 3), np.float32),
        )
        backdrop = self._backdrop
        for place, slot in enumerate(self.slots):
            # Each slot has its own numbers, so that a batch is the same whoever makes which part of it.
            rng = np.random.default_rng([self.seed, epoch, step, slot, 0xBA])
            sources = self._sources(rows, epoch * self.steps + step, slot, rng)
            whole = rng.random() < self.whole_share
            unseen = int(rng.integers(views)) if views > 1 and rng.random() < _LONE_SHARE else None
            for view, source in enumerate(sources):
                at = place * views + view
                seen = self._framing(source, view, whole, rng)
                batch.pictures[at] = augment.picture(source.cutout, seen, (side, side), self.bank, rng)
                batch.points[at] = framing.apply(seen, source.positions)
                batch.inside[at] = ((batch.points[at] >= 0) & (batch.points[at] <= side)).all(-1)
                batch.visible[at] = source.visible & batch.inside[at]
                batch.depth[at] = source.depth
                batch.framings[at] = _told(seen, self.data.rig.layout.views[view].size, rng)
                batch.masks[at] = warped(source.mask, seen, batch.masks.shape[1], backdrop)
                if view == unseen:
                    batch.pictures[at], batch.masks[at] = framing.NOTHING, backdrop
                    batch.inside[at] = batch.visible[at] = False
        return batch

    @property
    def _backdrop(self) -> int:
        return parts.of(self.data.rig.skeleton).backdrop

    def _sources(self, rows: np.ndarray, turn: int, slot: int, rng: np.random.Generator) -> list[Source]:
        """The views of one slot of a batch: rendered samples first, then drawn ones."""
        views = range(len(self.data.rig.layout.views))
        if slot < len(rows):
            return [Source.of_row(self.data, rows[slot], view) for view in views]
        mix, drawn = self.mix, slot - len(rows)
        number = stream.number(turn, drawn, self.streamed, mix.reuse, mix.window, rng)
        found, height = self.stream.sample(number), self.data.rig.skeleton.height
        return [Source.of_shot(found.shots[v], found.root_depth[v], height) for v in views]

    def _framing(self, source: Source, view: int, whole: bool, rng: np.random.Generator) -> np.ndarray:
        """A whole panel, as the first pass sees it, or close to the creature, as the second does, now and then with
        a part of it outside."""
        if whole:
            return augment.scaled(self.data.rig.layout.views[view].size, rng, self.size)
        box = framing.tight_box(source.positions)
        if rng.random() < _CROPPED_SHARE:
            return augment.cropped(box, rng, self.size)
        return augment.jittered(box, rng, self.size, _LOOSE_TIGHT)


def _told(seen: np.ndarray, size: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Where the framing ``seen`` lies in its panel, a little off: panels of generated clips do not agree to the
    pixel, and a reader must not trust that they do."""
    out = framing.in_panel(seen, np.array(size)) * (1 + rng.normal(0, _PANELS_OFF))
    out[:, 2] += rng.normal(0, _PANELS_OFF, 2)
    return out


def warped(mask: Mask, view: np.ndarray, side: int, backdrop: int, stride: float = MASK_STRIDE) -> np.ndarray:
    """(side, side) uint8: a mask seen through the framing ``view``, ``stride`` input pixels to one of its own."""
    matrix = np.concatenate([view[:, :2], (view[:, :2] @ mask.corner + view[:, 2])[:, None]], 1) / stride
    # OpenCV counts from the centre of pixel (0, 0).
    matrix[:, 2] += matrix[:, :2].sum(1) * 0.5 - 0.5
    return cv2.warpAffine(
        mask.parts,
        matrix,
        (side, side),
        flags=cv2.INTER_NEAREST,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=backdrop,
    )


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
