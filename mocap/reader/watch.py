# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A training that gets nowhere, noticed early, with the likeliest cause told from the evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import spearmanr

_PATIENCE = 4
"""Epochs over which the held-out error must fall by _PROGRESS (a share), while it is above _GOOD_PCT."""
_PROGRESS = 0.03
_GOOD_PCT = 3.0
_BAD_PCT = 6.0
"""A finished training with a larger error is worth a word."""
_LIKE_MEAN_POSE = 0.7
"""Above this share of the mean pose's error after _EARLY epochs a reader has learnt next to nothing."""
_EARLY = 3
_LOSS_FALL = 0.1
_GAP = 1.6
"""Held-out error over the error on training samples."""
_CORRELATION = 0.4
_RATIO = 1.5
"""Mean error of the worse third over that of the better third."""
_FEWEST = 12
_SWAPS_PCT = 5.0


class Evidence(NamedTuple):
    """What the held-out samples say after the last epoch; what was not measured stays empty.

    Errors in % of height: of the mean pose by view; of training and of held-out panels, one each. For the
    held-out panels also the distance of the pose from the mean one (``figures.pose_distance``) and the mean
    brightness (0 to 255) of the creature or the panel. swap_pct (V,): ``figures.swapped``.
    """

    mean_pose_pct: dict[str, float]
    train_pct: Sequence[float] = ()
    held_pct: Sequence[float] = ()
    pose_distance: Sequence[float] = ()
    brightness: Sequence[float] = ()
    swap_pct: Sequence[float] = ()
    finished: bool = False
    loss_bound: float | None = None
    """A loss that any training falls below (asked only where train_pct is empty); None: 0.9 of the first one."""


def warnings(history: list[dict[str, Any]], evidence: Evidence) -> list[str]:
    """Lines for people, none where all is well: first what is wrong, then each cause that the evidence
    supports, with its numbers and what to do.

    ``history`` has an entry an epoch: epoch, loss, views {name: {mean_pct}}.
    """
    trouble = _trouble(history, evidence)
    if trouble is None:
        return []
    causes = [line for look in _CAUSES if (line := look(history, evidence)) is not None]
    if causes and causes[0].startswith(_OFF):
        # A reader that learnt nothing errs everywhere: what else correlates means nothing.
        causes = causes[:1]
    return [trouble, *(causes or [_UNKNOWN])]


_OFF = "dots off the joints?"
_UNKNOWN = (
    "no cause stands out: look at reader_worst.jpg, give it more epochs, or show more in each (--pairs); "
    "the errors depend on neither pose, brightness nor side"
)


def _trouble(history: list[dict[str, Any]], evidence: Evidence) -> str | None:
    if not history:
        return None
    last = history[-1]
    if not np.isfinite(last["loss"]):
        return f"the loss is {last['loss']} in epoch {last['epoch']}: begin anew with --restart and --precision float32"
    for view, found in last["views"].items():
        error, base = found["mean_pct"], evidence.mean_pose_pct[view]
        if last["epoch"] >= _EARLY and not error < _LIKE_MEAN_POSE * base:
            return (
                f"{view}: after {last['epoch']} epochs the held-out error is {error:.1f}% of height, "
                f"always answering the mean pose gives {base:.1f}%: it has learnt next to nothing"
            )
    means = [float(np.mean([v["mean_pct"] for v in entry["views"].values()])) for entry in history]
    if len(means) > _PATIENCE and means[-1] > _GOOD_PCT:
        before, since = min(means[:-_PATIENCE]), min(means[-_PATIENCE:])
        if since > (1 - _PROGRESS) * before:
            return (
                f"the held-out error stands still: {before:.1f}% of height {_PATIENCE} epochs ago, "
                f"{since:.1f}% at best since then"
            )
    if evidence.finished and means[-1] > _BAD_PCT:
        return f"the training is over and the held-out error is still {means[-1]:.1f}% of height"
    return None


def _off_joints(history: list[dict[str, Any]], evidence: Evidence) -> str | None:
    """Not even what it trains on is read: the labels contradict the pictures."""
    first, last = history[0]["loss"], history[-1]["loss"]
    loss = f"the loss went from {first:.2f} to {last:.2f}"
    advice = "look whether the dots lie on the joints (python -m mocap.dataset.sheet); if not, render anew"
    if not len(evidence.train_pct):
        bound = (1 - _LOSS_FALL) * first if evidence.loss_bound is None else evidence.loss_bound
        if len(history) < _EARLY or last < bound:
            return None
        return f"{_OFF} In {len(history)} epochs {loss}, {bound:.2f} or less was expected: {advice}"
    train = float(np.mean(evidence.train_pct))
    base = float(np.mean(list(evidence.mean_pose_pct.values())))
    held = float(np.mean([view["mean_pct"] for view in history[-1]["views"].values()]))
    if train < _LIKE_MEAN_POSE * base or held > _GAP * train:
        return None
    return (
        f"{_OFF} Samples it trains on are read {train:.1f}% of height off, held-out ones {held:.1f}%, the mean pose "
        f"{base:.1f}%, and {loss}: {advice}"
    )


def _too_few(history: list[dict[str, Any]], evidence: Evidence) -> str | None:
    if not len(evidence.train_pct) or not len(evidence.held_pct):
        return None
    train, held = float(np.mean(evidence.train_pct)), float(np.mean(evidence.held_pct))
    if held < _GAP * train:
        return None
    return (
        f"too few samples? Those it trains on are read {train:.1f}% of height off, held-out ones {held:.1f}%: "
        f"render more (tools/dataset.sh); more epochs on these will not help"
    )


def _too_wide(history: list[dict[str, Any]], evidence: Evidence) -> str | None:
    found = _thirds(evidence.pose_distance, evidence.held_pct)
    if found is None:
        return None
    near, far, correlation = found
    return (
        f"limits too wide? Poses far from the mean one are read {far:.1f}% of height off, near ones {near:.1f}% "
        f"(rank correlation {correlation:.2f}): narrow the limits to what the creature does, or render more samples"
    )


def _too_dark(history: list[dict[str, Any]], evidence: Evidence) -> str | None:
    found = _thirds(-np.asarray(evidence.brightness, float), evidence.held_pct)
    if found is None:
        return None
    bright, dark, correlation = found
    return (
        f"pictures too dark? The darkest third is read {dark:.1f}% of height off, the brightest {bright:.1f}% "
        f"(rank correlation {-correlation:.2f}): render with more light, look at runs/<c>/dataset_samples.jpg"
    )


def _swaps(history: list[dict[str, Any]], evidence: Evidence) -> str | None:
    if not len(evidence.swap_pct) or max(evidence.swap_pct) < _SWAPS_PCT:
        return None
    told = ", ".join(f"{view} {share:.0f}%" for view, share in zip(history[-1]["views"], evidence.swap_pct))
    return (
        f"left taken for right? Paired joints read at their partner's place: {told}: render the samples painted, "
        f"with left and right limbs in opposite hues, and check the rig's pairs (joints with mirror in rig_info.json)"
    )


_CAUSES: tuple[Callable[[list[dict[str, Any]], Evidence], str | None], ...] = (
    _off_joints,
    _too_few,
    _too_wide,
    _swaps,
    _too_dark,
)


def _thirds(cause: Sequence[float], error: Sequence[float]) -> tuple[float, float, float] | None:
    """Mean error of the third with the least and with the most of ``cause``, and their rank correlation, where
    the error clearly rises with it."""
    cause, error = np.asarray(cause, float), np.asarray(error, float)
    if len(cause) < _FEWEST or len(cause) != len(error) or np.ptp(cause) == 0:
        return None
    order, third = np.argsort(cause), len(cause) // 3
    low, high = float(error[order[:third]].mean()), float(error[order[-third:]].mean())
    correlation = float(spearmanr(cause, error).statistic)
    if correlation < _CORRELATION or high < _RATIO * low:
        return None
    return low, high, correlation
