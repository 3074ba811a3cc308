# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The course of a training: epoch after epoch, checked on held-out samples, kept, drawn, and warned about."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from .. import cli, files
from ..dataset import held_out as panels
from ..dataset.backdrops import Backdrops
from ..dataset.training import SampleSet
from ..pictures import joint_colours, joint_radii
from ..rig_info import CreaturePaths
from . import board, checkpoint, figures, pictures, tables, watch
from .held_out import SEED, HeldOut, Judged, normalised
from .optimise import Schedule
from .reading import Card, Reader
from .trainer import Trainer
from .uncertainty import Uncertainty

_AT_MOST = 96
"""Held-out samples that are looked at in the end, easy and hard."""
_EVERY, _HARD_EVERY = 2, 4
"""After an epoch only every so many-th, always the same ones: reading them takes time from the training."""
_TRAINING_SAMPLES = 24
"""Samples that it trains on, read as held-out ones are, where a warning wants to tell the cause."""


class Course:
    """A trainer, what it is checked on, and where its outcome goes."""

    def __init__(
        self,
        trainer: Trainer,
        paths: CreaturePaths,
        shifted: SampleSet | None,
        earlier: checkpoint.Checkpoint | None,
        why: str,
    ) -> None:
        self.trainer, self.paths, self.why = trainer, paths, why
        data, rows = trainer.data, trainer.data.held_out[:_AT_MOST]
        bank = Backdrops(SEED, 48)
        self.easy = self._held(data, rows, panels.easy_panels(data, rows, bank))
        self.hard = self._held(data, rows, panels.hard_panels(data, rows, bank))
        self.few, self.few_hard = self.easy.every(_EVERY), self.hard.every(_HARD_EVERY)
        self.shifted = None
        if shifted is not None:
            every = np.arange(len(shifted.indices))
            self.shifted = self._held(shifted, every, panels.easy_panels(shifted, every, bank))
        self.baseline = self.easy.mean_pose(data.positions[data.training])
        self.history: list[dict[str, Any]] = list(earlier.figures["history"]) if earlier else []
        self.figures: dict[str, Any] = {}

    def _held(self, data: SampleSet, rows: np.ndarray, made: panels.Panels) -> HeldOut:
        return HeldOut(data, rows, made, self.trainer.studio.parts, self.trainer.backbone.input_size)

    def run(self, schedule: Schedule) -> dict[str, Any]:
        """The epochs that are left; returns the figures of the last one. reader.pt, the curve and the TensorBoard
        events are renewed after each epoch; the worst panels and the shifted set are looked at in the end."""
        while self.trainer.epochs_done < schedule.end:
            done = self.trainer.epochs_done
            cli.stage(f"epoch {done + 1} of {schedule.end}", done / schedule.end, (done + 1) / schedule.end)
            loss, seconds = self._train(schedule)
            reader = self.trainer.reader()
            judged, uncertainty = self._look(reader, self.few, self.few_hard)
            self._remember(loss, seconds)
            cli.say(tables.epoch_line(self.history[-1], schedule.end, self.baseline))
            finished = self.trainer.epochs_done >= schedule.end
            for line in watch.warnings(self.history, self._evidence(judged, reader, finished)):
                cli.say(f"warning: {line}")
            if finished:
                judged, uncertainty = self._look(reader, self.easy, self.hard)
                if self.shifted is not None:
                    self.figures["shifted"] = self._aside(self.shifted, reader, uncertainty)
            self._keep(schedule, uncertainty)
        self._draw_worst(judged)
        tables.show(self.figures, self.trainer.rig)
        cli.say(f"wrote {self.paths.reader}, reader_curve.png, reader_worst.jpg and tensorboard/")
        return self.figures

    def _train(self, schedule: Schedule) -> tuple[dict[str, float], float]:
        """One epoch: the mean of each loss, and seconds."""
        start = time.perf_counter()
        loss = self.trainer.run_epoch(schedule, workers=1 if self.trainer.device.type == "cpu" else 8)
        return loss, time.perf_counter() - start

    def _look(self, reader: Reader, easy: HeldOut, hard: HeldOut) -> tuple[Judged, Uncertainty]:
        """The figures of easy and hard panels, and the calibration that the easy ones give."""
        judged = easy.check(reader)
        uncertainty, told = easy.calibrated(judged)
        config = self.trainer.config
        self.figures = {
            **judged.figures,
            "normalised_error": told,
            "hard": self._aside(hard, reader, uncertainty),
            "mean_pose": self.baseline,
            "history": self.history,
            "pictures": {
                "rendered_share": 1 - config.stream,
                "drawn_share": config.stream,
                "pairs_an_epoch": self.trainer.batches.steps * config.batch,
            },
        }
        return judged, uncertainty

    def _remember(self, loss: dict[str, float], seconds: float) -> None:
        self.history.append(
            {
                "epoch": self.trainer.epochs_done,
                "loss": loss["heatmaps"],
                "losses": loss,
                "seconds": seconds,
                "views": self.figures["views"],
                "hard": self.figures["hard"]["views"],
                "part_iou": self.figures["part_iou_mean"],
            }
        )

    def _aside(self, held: HeldOut, reader: Reader, uncertainty: Uncertainty) -> dict[str, Any]:
        """Figures of another set, with the calibration of the easy one."""
        judged = held.check(reader)
        keys = ("samples", "views", "swapped_pct", "part_iou_mean", "limb_iou_mean", "visible_right_pct")
        told = normalised(uncertainty, held.claimed(judged.raw), judged.error)
        return {**{key: judged.figures[key] for key in keys}, "normalised_error": told}

    def _evidence(self, judged: Judged, reader: Reader, finished: bool) -> watch.Evidence:
        """What a warning may point to. Training samples are read only where the errors alone say that something is
        wrong: that costs a second."""
        marker, data = self.easy.skeleton.is_marker, self.trainer.data
        evidence = watch.Evidence(
            {view: found["mean_pct"] for view, found in self.baseline.items()},
            held_pct=(judged.error[..., ~marker].mean(-1) * 100).ravel(),
            pose_distance=figures.pose_distance(
                data.positions[data.training], self.few.truth, self.few.height_px
            ).ravel(),
            brightness=_brightness(data, self.few.rows),
            swap_pct=judged.figures["swapped_pct"],
            finished=finished,
        )
        if not watch.warnings(self.history, evidence):
            return evidence
        rows = data.training[:: max(1, len(data.training) // _TRAINING_SAMPLES)][:_TRAINING_SAMPLES]
        seen = self._held(data, rows, panels.easy_panels(data, rows, Backdrops(SEED, 48)))
        error = seen.check(reader).error[..., ~marker]
        return evidence._replace(train_pct=(error.mean(-1) * 100).ravel())

    def _keep(self, schedule: Schedule, uncertainty: Uncertainty) -> None:
        trainer = self.trainer
        checkpoint.Checkpoint(
            self._card(uncertainty),
            trainer.backbone,
            self.why,
            trainer.config,
            trainer.average.state,
            self.figures,
            trainer.state_dict(schedule),
        ).save(self.paths.reader)
        files.write_json(self.paths.runs / "reader_figures.json", self.figures, indent=1)
        pictures.save_curve(self.paths.runs / "reader_curve.png", self.history, self.baseline)
        board.write(self.paths.runs / "tensorboard", self.history[-1])

    def _card(self, uncertainty: Uncertainty) -> Card:
        rig, parts = self.trainer.rig, self.trainer.studio.parts
        return Card(
            self.paths.name,
            rig.digest,
            rig.skeleton.joint_names,
            tuple(joint.kind for joint in rig.skeleton.joints),
            tuple(tuple(int(c) for c in colour) for colour in joint_colours(rig)),
            parts.names,
            tuple(int(limb) for limb in parts.limb),
            rig.layout,
            tuple(float(value) for value in self.trainer.height_px),
            self.trainer.backbone.kind,
            self.trainer.backbone.input_size,
            uncertainty,
        )

    def _draw_worst(self, judged: Judged) -> None:
        rig, easy = self.trainer.rig, self.easy
        pictures.save_worst(
            self.paths.runs / "reader_worst.jpg",
            easy.panels,
            easy.truth,
            judged.raw.positions,
            easy.visible,
            joint_colours(rig),
            joint_radii(rig.skeleton.is_marker),
            pictures.Labels(
                easy.data.indices[easy.rows], rig.layout.names, rig.skeleton.joint_names, easy.height_px
            ),
        )


def _brightness(data: SampleSet, rows: np.ndarray) -> np.ndarray:
    """(N * V,) mean brightness of the creature's own pixels."""
    return np.array(
        [
            cutout.rgba[..., :3].sum() / max(1, 3 * int((cutout.rgba[..., 3] > 0).sum()))
            for row in rows
            for cutout in data.cutouts[row]
        ]
    )
