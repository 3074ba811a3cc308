# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import pickle

import numpy as np
import pytest
import torch

from mocap.errors import BadInput
from mocap.reader import checkpoint
from mocap.rig_info import RigInfo
from tests.mocap import synthetic


def test_loads_as_plain_weights(trained):
    data = torch.load(trained.reader, weights_only=True)
    assert data["kind"] == "anymove.reader"
    assert data["schema"] == checkpoint.SCHEMA
    assert data["card"]["rig_digest"] == RigInfo.load(trained.rig_info).digest


def test_saving_what_was_loaded_reads_the_same(trained, tmp_path):
    one = checkpoint.load(trained.reader)
    one.save(tmp_path / "again.pt")
    two = checkpoint.load(tmp_path / "again.pt")
    panels = [[np.full((128, 128, 3), 90, np.uint8)] * 2]
    a, b = one.reader().read(panels), two.reader().read(panels)
    assert all((x == y).all() for x, y in zip(a, b))
    assert two.train == one.train
    assert two.card == one.card


class Evil:
    def __reduce__(self):
        return print, ("code ran",)


def test_files_that_are_no_reader(tmp_path, capsys):
    for name, data in (
        ("text.pt", b"hello"),
        ("empty.pt", b""),
        ("evil.pt", pickle.dumps(Evil(), protocol=2)),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(BadInput, match=f"{name}: not a reader"):
            checkpoint.load(tmp_path / name)
    torch.save({"evil": Evil()}, tmp_path / "evil2.pt")
    with pytest.raises(BadInput, match="not a reader"):
        checkpoint.load(tmp_path / "evil2.pt")
    assert "code ran" not in capsys.readouterr().out
    torch.save({"weights": torch.zeros(2)}, tmp_path / "other.pt")
    with pytest.raises(BadInput, match=r"other\.pt: not a reader"):
        checkpoint.load(tmp_path / "other.pt")
    with pytest.raises(BadInput, match="no such file"):
        checkpoint.load(tmp_path / "none.pt")


def test_another_schema_or_a_missing_field(trained, tmp_path):
    data = torch.load(trained.reader, weights_only=True)
    torch.save(data | {"schema": 99}, tmp_path / "new.pt")
    with pytest.raises(BadInput, match="schema 99, this version reads 6"):
        checkpoint.load(tmp_path / "new.pt")
    del data["card"]["layout"]
    torch.save(data, tmp_path / "half.pt")
    with pytest.raises(BadInput, match="lacks the field 'layout'"):
        checkpoint.load(tmp_path / "half.pt")


def test_another_rig_is_refused(trained):
    loaded = checkpoint.load(trained.reader)
    loaded.card.check_rig(RigInfo.load(trained.rig_info).digest, trained.reader)
    with pytest.raises(BadInput, match="trained on another rig or layout"):
        loaded.card.check_rig(synthetic.rig_info(96).digest, trained.reader)
