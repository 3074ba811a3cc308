# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The figures of every epoch as TensorBoard events: tensorboard --logdir runs/<c>/tensorboard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import BadInput


def write(folder: Path, entry: dict[str, Any]) -> None:
    """Append an epoch of the history to the events in ``folder``: each number under its path, views/side/mean_pct.

    What was written of this and of later epochs before, by a training that was stopped, is purged.
    """
    epoch = int(entry["epoch"])
    with _summary_writer()(str(folder), purge_step=epoch) as out:
        for name, value in _numbers(entry):
            out.add_scalar(name, value, epoch)


def require() -> None:
    """Raise BadInput with one line where TensorBoard is not installed: better at the start than after an epoch."""
    _summary_writer()


def _summary_writer() -> type:
    # Imported here: it takes a second, and only trainings need it.
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise BadInput(
            "TensorBoard is not installed, and its event files were to be written: "
            "run tools/setup.sh, or pip install -r requirements.txt"
        ) from error
    return SummaryWriter


def _numbers(entry: dict[str, Any], above: str = "") -> Iterator[tuple[str, float]]:
    for key, value in entry.items():
        if isinstance(value, dict):
            yield from _numbers(value, f"{above}{key}/")
        elif isinstance(value, (int, float)) and f"{above}{key}" != "epoch":
            yield f"{above}{key}", float(value)
