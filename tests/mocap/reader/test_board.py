# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import sys

import pytest

from mocap.errors import BadInput
from mocap.reader import board


def entry(epoch: int, error: float) -> dict:
    views = {"front": {"mean_pct": error, "hidden_pct": None}, "side": {"mean_pct": error / 2}}
    return {"epoch": epoch, "loss": 5.0 - epoch, "seconds": 3, "views": views, "note": "words"}


def read(folder) -> dict[str, list[tuple[int, float]]]:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder))
    events.Reload()
    return {name: [(e.step, e.value) for e in events.Scalars(name)] for name in events.Tags()["scalars"]}


def test_every_number_of_every_epoch_is_written(tmp_path):
    for epoch in (1, 2, 3):
        board.write(tmp_path, entry(epoch, 8.0 / epoch))
    found = read(tmp_path)
    assert set(found) == {"loss", "seconds", "views/front/mean_pct", "views/side/mean_pct"}
    assert found["loss"] == [(1, 4.0), (2, 3.0), (3, 2.0)]
    assert found["views/side/mean_pct"] == [(1, 4.0), (2, 2.0), (3, pytest.approx(4 / 3))]


def test_an_epoch_done_again_is_not_told_twice(tmp_path):
    """A training stopped within its third epoch's writing goes on after the first."""
    for epoch in (1, 2, 3):
        board.write(tmp_path, entry(epoch, 8.0))
    for epoch in (2, 3, 4):
        board.write(tmp_path, entry(epoch, 6.0))
    assert read(tmp_path)["views/front/mean_pct"] == [(1, 8.0), (2, 6.0), (3, 6.0), (4, 6.0)]


def test_one_line_where_tensorboard_is_missing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(BadInput, match=r"TensorBoard is not installed.*requirements\.txt$"):
        board.require()
    with pytest.raises(BadInput, match="TensorBoard is not installed"):
        board.write(tmp_path, entry(1, 8.0))
