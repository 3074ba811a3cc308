# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import pytest
import torch

from mocap import cli
from mocap.errors import BadInput
from mocap.reader import backbones, checkpoint, pretrain, start, team, train
from mocap.reader.config import CompactConfig
from tests.mocap.synthetic import TRAIN


@pytest.fixture(scope="module")
def begun(samples_once, small_networks, tmp_path_factory):
    """Some seconds on the stick creature's stream."""
    out = tmp_path_factory.mktemp("start") / "start.pt"
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(team, "size_for", lambda batch: 1)
        arguments = [str(samples_once.home), str(samples_once.home), "--out", str(out)]
        assert cli.run(pretrain.main, [*arguments, "--minutes", "0.08", "--batch", "4"]) == 0
    return out


def test_a_training_begins_where_the_start_ends(begun, stick, monkeypatch, capsys):
    trunk, seen = start.load(begun, backbones.CompactConfig()), {}
    assert all(value.dtype in (torch.float32, torch.int64) for value in trunk.values())
    first_epoch = train.Trainer.run_epoch

    def looked_at(self, *arguments):
        seen.update({name: value.clone() for name, value in self.net.trunk.state_dict().items()})
        return first_epoch(self, *arguments, workers=1)

    monkeypatch.setattr(train.Trainer, "run_epoch", lambda self, schedule, workers: looked_at(self, schedule))
    arguments = ["1", *TRAIN, "--creature", str(stick.home), "--start", str(begun)]
    assert cli.run(train.main, arguments) == 0
    assert all(torch.equal(seen[name], trunk[name]) for name in trunk)
    assert checkpoint.load(stick.reader).train.start == str(begun)
    assert cli.run(train.main, ["2", *TRAIN, "--creature", str(stick.home), "--start", "other.pt"]) == 2
    assert "was begun with --start" in capsys.readouterr().err


def test_a_start_that_is_there_is_not_replaced(begun, stick, capsys):
    before = begun.read_bytes()
    assert cli.run(pretrain.main, [str(stick.home), "--out", str(begun)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert begun.read_bytes() == before


def test_what_is_no_start_is_one_line(tmp_path, stick, capsys):
    (tmp_path / "text.pt").write_text("hello")
    with pytest.raises(BadInput, match="not a start"):
        start.load(tmp_path / "text.pt", CompactConfig())
    torch.save({"kind": "other"}, tmp_path / "other.pt")
    with pytest.raises(BadInput, match=r"one made by mocap\.reader\.pretrain"):
        start.load(tmp_path / "other.pt", CompactConfig())
    start.save(tmp_path / "wide.pt", CompactConfig(neck=128), {}, [], 0)
    with pytest.raises(BadInput, match="for a network of another shape"):
        start.load(tmp_path / "wide.pt", CompactConfig())
    arguments = ["1", *TRAIN, "--creature", str(stick.home), "--start", str(tmp_path / "none.pt")]
    assert cli.run(train.main, arguments) == 2
    assert "no such file (start)" in capsys.readouterr().err
