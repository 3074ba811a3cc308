# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import pytest
import torch

from mocap import cli
from mocap.errors import BadInput
from mocap.reader import backbones, checkpoint, pretrain, start, team, train
from mocap.reader.config import CompactConfig
from tests.mocap.synthetic import TRAIN

STEPS = ("--steps", "12", "--batch", "4")


@pytest.fixture(scope="module")
def begun(samples_once, small_networks, tmp_path_factory):
    """Some steps on the stick creature's stream, twice as if it were two creatures."""
    out = tmp_path_factory.mktemp("start") / "start.pt"
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(team, "size_for", lambda batch: 1)
        assert cli.run(pretrain.main, [*2 * [str(samples_once.home)], "--out", str(out), *STEPS]) == 0
    return out


def test_a_training_begins_where_the_start_ends(begun, stick, monkeypatch, capsys):
    common, seen = start.load(begun, backbones.CompactConfig(), 2), {}
    assert all(value.dtype in (torch.float32, torch.int64) for value in common.values())
    assert {name.split(".")[0] for name in common} == {"trunk", "masks", "traits", "joints"}
    first_epoch = train.Trainer.run_epoch

    def looked_at(self, *arguments):
        seen.update({name: value.clone() for name, value in self.net.state_dict().items()})
        return first_epoch(self, *arguments, workers=1)

    monkeypatch.setattr(train.Trainer, "run_epoch", lambda self, schedule, workers: looked_at(self, schedule))
    arguments = ["1", *TRAIN, "--creature", str(stick.home), "--start", str(begun)]
    assert cli.run(train.main, arguments) == 0
    assert all(torch.equal(seen[name], common[name]) for name in common)
    assert f"begins with {begun}" in capsys.readouterr().out
    assert checkpoint.load(stick.reader).train.start == str(begun)
    for other in ("other.pt", "none", "shipped"):
        assert cli.run(train.main, ["2", *TRAIN, "--creature", str(stick.home), "--start", other]) == 2
        assert "was begun with --start" in capsys.readouterr().err


def test_the_shipped_start_is_for_the_network_as_it_is_built():
    config = CompactConfig()
    common = start.load(start.SHIPPED, config, 2)
    net = backbones.build(config, 3, 4, 2)
    found = net.load_state_dict(common, strict=False)
    assert not found.unexpected_keys
    assert all(name.startswith(("heatmaps", "masks.out", "traits", "joints")) for name in found.missing_keys)


def test_a_start_that_does_not_fit_is_told_of(trained_once, stick, capsys):
    # The tests' networks have a smaller input than the shipped start is for.
    assert cli.run(train.main, ["1", *TRAIN, "--creature", str(stick.home)]) == 0
    assert "begins with noise: " in capsys.readouterr().out
    assert checkpoint.load(stick.reader).train.start is None


def test_stopped_and_run_again_it_is_the_same(begun, samples_once, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(team, "size_for", lambda batch: 1)
    monkeypatch.setattr(pretrain, "_KEPT_EVERY", 1)
    again, steps, done = tmp_path / "again.pt", pretrain.step_losses, []

    def stopping(*arguments):
        done.append(1)
        if len(done) == 10:
            raise KeyboardInterrupt
        return steps(*arguments)

    monkeypatch.setattr(pretrain, "step_losses", stopping)
    arguments = [*2 * [str(samples_once.home)], "--out", str(again)]
    assert cli.run(pretrain.main, [*arguments, *STEPS]) != 0
    assert not again.exists()
    assert cli.run(pretrain.main, [*arguments, "--steps", "16", "--batch", "4"]) == 2
    assert "was begun with other creatures, --steps, --batch or --begin" in capsys.readouterr().err
    assert cli.run(pretrain.main, [*arguments, *STEPS]) == 0
    assert "going on after step 8" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["again.pt"]
    one, other = (start.load(path, backbones.CompactConfig(), 2) for path in (begun, again))
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_an_earlier_start_goes_on(begun, samples_once, tmp_path, monkeypatch):
    monkeypatch.setattr(team, "size_for", lambda batch: 1)
    further = tmp_path / "further.pt"
    arguments = [str(samples_once.home), "--out", str(further), "--steps", "4", "--batch", "4"]
    assert cli.run(pretrain.main, [*arguments, "--begin", str(begun)]) == 0
    assert [part["steps"] for part in start.history(further)] == [12, 4]
    one, other = (start.load(path, backbones.CompactConfig(), 2) for path in (begun, further))
    name = "trunk.stage4.0.first.conv.weight"
    assert 0 < (one[name] - other[name]).norm() < 0.5 * one[name].norm()


def test_a_start_that_is_there_is_not_replaced(begun, stick, capsys):
    before = begun.read_bytes()
    assert cli.run(pretrain.main, [str(stick.home), "--out", str(begun)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert begun.read_bytes() == before


def test_what_is_no_start_is_one_line(tmp_path, stick, capsys):
    (tmp_path / "text.pt").write_text("hello")
    with pytest.raises(BadInput, match="not a start"):
        start.load(tmp_path / "text.pt", CompactConfig(), 2)
    torch.save({"kind": "other"}, tmp_path / "other.pt")
    with pytest.raises(BadInput, match=r"one made by mocap\.reader\.pretrain"):
        start.load(tmp_path / "other.pt", CompactConfig(), 2)
    start.save(tmp_path / "wide.pt", CompactConfig(neck=128), {}, [], 0, [])
    with pytest.raises(BadInput, match="for a network of another shape"):
        start.load(tmp_path / "wide.pt", CompactConfig(), 2)
    arguments = ["1", *TRAIN, "--creature", str(stick.home), "--start", str(tmp_path / "none.pt")]
    assert cli.run(train.main, arguments) == 2
    assert "no such file (start)" in capsys.readouterr().err
