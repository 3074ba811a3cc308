# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import pytest
import torch

from mocap import cli
from mocap.errors import BadInput
from mocap.reader import checkpoint, pretrain, start, team, train
from tests.mocap.synthetic import TRAIN


@pytest.fixture(scope="module")
def begun(samples_once, tmp_path_factory):
    """Some seconds on the stick creature's stream."""
    out = tmp_path_factory.mktemp("start") / "start.pt"
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(team, "size_for", lambda batch: 1)
        arguments = [str(samples_once.home), str(samples_once.home), "--out", str(out)]
        assert cli.run(pretrain.main, [*arguments, "--minutes", "0.08", "--batch", "4"]) == 0
    return out


def test_a_training_begins_where_the_start_ends(begun, stick, capsys):
    trunk = start.load(begun)
    assert all(value.dtype in (torch.float32, torch.int64) for value in trunk.values())
    patch = pytest.MonkeyPatch()
    seen = {}
    with patch.context() as during:
        during.setattr(train.Trainer, "start_from", lambda self, state: seen.update(state))
        arguments = ["1", *TRAIN, "--creature", str(stick.home), "--start", str(begun)]
        assert cli.run(train.main, arguments) == 0
    assert all(torch.equal(seen[name], trunk[name]) for name in trunk)
    assert checkpoint.load(stick.reader).train.start == str(begun)
    assert cli.run(train.main, ["2", *TRAIN, "--creature", str(stick.home), "--start", "other.pt"]) == 2
    assert "was begun with --start" in capsys.readouterr().err


def test_what_is_no_start_is_one_line(tmp_path, stick, capsys):
    (tmp_path / "text.pt").write_text("hello")
    with pytest.raises(BadInput, match="not a start"):
        start.load(tmp_path / "text.pt")
    torch.save({"kind": "other"}, tmp_path / "other.pt")
    with pytest.raises(BadInput, match=r"one made by mocap\.reader\.pretrain"):
        start.load(tmp_path / "other.pt")
    arguments = ["1", *TRAIN, "--creature", str(stick.home), "--start", str(tmp_path / "none.pt")]
    assert cli.run(train.main, arguments) == 2
    assert "no such file (start)" in capsys.readouterr().err
