# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a creature stands: each step's files against those that they were made from."""

from __future__ import annotations

import json
import os
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ...mocap.dataset import samples
from ...mocap.errors import BadInput
from ...mocap.rig_info import CreaturePaths, RigInfo
from .step import DONE, MISSING, STALE, Step, changed, pictures_of

KEYS = ("creature", "studio", "dataset", "reader", "capture", "exam", "motion")


class Road(NamedTuple):
    """All steps of one creature."""

    home: Path
    creature: Step
    studio: Step
    dataset: Step
    reader: Step
    capture: Step
    exam: Step
    motion: Step
    info: RigInfo | None = None
    samples: int = 0
    clips: tuple[str, ...] = ()
    """The rig's own clips, that exams may use."""

    def step(self, key: str) -> Step:
        return getattr(self, key)


def look(home: Path) -> Road:
    """Read the creature's files. Some milliseconds to some tens of them: not for a draw function."""
    paths = CreaturePaths(home)
    creature, info = _creature(paths)
    count = _count(paths.dataset)
    dataset = _dataset(paths, info, count)
    reader = _reader(paths, info)
    capture, exam = _capture(paths), _exam(paths)
    motion = _motion(capture, exam)
    studio = _studio(paths, info)
    clips = info.clips if info else ()
    return Road(home, creature, studio, dataset, reader, capture, exam, motion, info, count, clips)


def _creature(paths: CreaturePaths) -> tuple[Step, RigInfo | None]:
    if not paths.rig_info.is_file():
        return Step(MISSING, "no rig adopted yet"), None
    try:
        info = _rig_info(str(paths.rig_info), changed(paths.rig_info))
    except BadInput as error:
        return Step(STALE, str(error)), None
    for needed in (paths.rigged, paths.skin):
        if not needed.is_file():
            return Step(STALE, f"{needed.name} is not there any more: adopt the rig again"), info
    bones = len(info.skeleton.bones)
    facts = (
        ("Bones, joints", f"{bones}, {len(info.skeleton.bare.joints)}"),
        ("Limbs", f"{len(info.skeleton.limbs)}"),
        ("Height", f"{info.height_cm:.0f} cm"),
        ("Clips", f"{len(info.clips)}"),
    )
    return Step(DONE, f"{bones} bones, {info.height_cm:.0f} cm tall", (), facts, paths.rigged), info


@lru_cache(maxsize=8)
def _rig_info(path: str, _when: float) -> RigInfo:
    info = RigInfo.load(path)
    # Found out here, in the thread that looks, and remembered.
    _ = info.digest
    return info


def _studio(paths: CreaturePaths, info: RigInfo | None) -> Step:
    poses, sheet = paths.runs / "poses.png", paths.reference
    shown = pictures_of(("Random poses", poses), ("Reference sheet", sheet))
    if info is None:
        return Step(MISSING, "adopt a rig first", shown)
    if not poses.is_file():
        return Step(MISSING, "random poses were not looked at yet", shown)
    if changed(poses) < changed(paths.rig_info):
        return Step(STALE, "the rig changed since the poses were rendered", shown)
    return Step(DONE, "poses rendered: do they look like the creature?", shown, (), poses)


def _count(folder: Path) -> int:
    """Samples by their names alone."""
    try:
        with os.scandir(folder) as entries:
            return sum(entry.name.endswith("_meta.json") for entry in entries)
    except OSError:
        return 0


def _dataset(paths: CreaturePaths, info: RigInfo | None, count: int) -> Step:
    shown = pictures_of(("Samples", paths.runs / "dataset_samples.jpg"))
    if info is None:
        return Step(MISSING, "adopt a rig first", shown)
    if not count:
        return Step(MISSING, "no samples rendered yet", shown)
    digest = _sample_digest(str(paths.dataset), changed(paths.dataset / "00000_meta.json"))
    if digest and digest != info.digest:
        return Step(STALE, f"{count} samples show the rig as it was before: move them away", shown)
    return Step(DONE, f"{count} samples", shown, (), paths.dataset)


@lru_cache(maxsize=8)
def _sample_digest(folder: str, _when: float) -> str:
    found = samples.any_meta(Path(folder))
    return found.rig_digest if found else ""


def _reader(paths: CreaturePaths, info: RigInfo | None) -> Step:
    shown = pictures_of(
        ("Curve", paths.runs / "reader_curve.png"), ("Worst readings", paths.runs / "reader_worst.jpg")
    )
    if not paths.reader.is_file():
        return Step(MISSING, "no reader trained yet", shown)
    figures = _json(paths.runs / "reader_figures.json")
    facts = _reader_facts(figures)
    if info is not None and changed(paths.reader) < changed(paths.rig_info):
        return Step(STALE, "the rig changed since it was trained: begin anew", shown, facts, paths.reader)
    epochs = len(figures.get("history", ()))
    told = f"trained for {epochs} epoch{'s' if epochs != 1 else ''}" if epochs else "trained"
    return Step(DONE, told, shown, facts, paths.reader)


def _reader_facts(figures: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    views = figures.get("views", {})
    return tuple(
        (f"Error, {view}", f"{found['mean_pct']:.1f}% of height")
        for view, found in views.items()
        if isinstance(found, dict) and "mean_pct" in found
    )


def _capture(paths: CreaturePaths) -> Step:
    newest = _newest((paths.runs / "capture").glob("*/solved.json"))
    if newest is None:
        return Step(MISSING, "no clip captured yet")
    folder = newest.parent
    shown = pictures_of(("Joints as read", folder / "overlay.mp4"))
    if changed(newest) < changed(paths.reader):
        return Step(STALE, f"{folder.name}: read by an earlier reader", shown, (), folder)
    return Step(DONE, f"{folder.name}: read and solved", shown, (), folder)


def _exam(paths: CreaturePaths) -> Step:
    newest = _newest((paths.runs / "exam").glob("*/score.json"))
    if newest is None:
        return Step(MISSING, "no exam sat yet")
    folder, score = newest.parent, _json(newest)
    shown = pictures_of(("Report", folder / "report.html"), ("Joints as read", folder / "overlay.mp4"))
    facts = tuple(
        (name, f"{score[key]:.{digits}f} {unit}")
        for name, key, unit, digits in (
            ("Mean error", "mean_cm", "cm", 1),
            ("Of height", "mean_pct", "%", 1),
            ("95% within", "p95_cm", "cm", 1),
            ("Rotation", "rotation_deg", "deg", 1),
        )
        if isinstance(score.get(key), (int, float))
    )
    if changed(newest) < changed(paths.reader):
        return Step(STALE, f"{folder.name}: sat by an earlier reader", shown, facts, folder)
    mean = score.get("mean_cm")
    return Step(
        DONE, folder.name if mean is None else f"{folder.name}: {mean:.1f} cm off", shown, facts, folder
    )


def _motion(capture: Step, exam: Step) -> Step:
    """What there is to put on a rig: the last capture's motion, else the last exam's."""
    for step, what in ((capture, "captured"), (exam, "the exam's")):
        solved = step.newest / "solved.json" if step.newest else None
        if solved is not None and solved.is_file():
            state = STALE if step.state == STALE else DONE
            return Step(state, f"{what} motion {step.newest.name} is ready", (), (), solved)
    return Step(MISSING, "no motion yet: capture a clip or sit an exam")


def _newest(found) -> Path | None:
    return max(found, key=changed, default=None)


def _json(path: Path) -> dict[str, Any]:
    """What a file of figures holds; empty where it is not there or half written."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}
