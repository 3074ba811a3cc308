# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A team of processes trains what one process trains."""

import numpy as np
import pytest
import torch

from mocap import cli, machine
from mocap.errors import AnymoveError
from mocap.reader import checkpoint, team, train
from tests.mocap.synthetic import TRAIN


def run(paths, processes: int, epochs: int = 1) -> int:
    arguments = [*TRAIN[: TRAIN.index("--threads")], *TRAIN[TRAIN.index("--threads") + 2 :]]
    return cli.run(
        train.main,
        [str(epochs), *arguments, "--processes", str(processes), "--creature", str(paths.home), "--restart"],
    )


def _halves(of: team.Team, folder: str) -> None:
    """Averages gradients of a tiny network and keeps them."""
    torch.manual_seed(0)
    net = torch.nn.Linear(3, 2)
    pictures = torch.arange(12.0).reshape(4, 3)
    net(pictures[list(of.share(4))]).square().mean().backward()
    of.average_gradients(list(net.parameters()))
    torch.save([w.grad for w in net.parameters()], f"{folder}/{of.rank}.pt")


def test_averaged_gradients_are_those_of_the_whole_batch(tmp_path):
    alone = tmp_path / "alone"
    alone.mkdir()
    _halves(team.Team(), str(alone))
    with team.lead(2, _halves, (str(tmp_path),)) as lead:
        _halves(lead, str(tmp_path))
    whole = torch.load(alone / "0.pt")
    for rank in range(2):
        shared = torch.load(tmp_path / f"{rank}.pt")
        assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(whole, shared))


def _fails(of: team.Team) -> None:
    if of.rank:
        raise MemoryError("no room for the samples")
    of.average_gradients(_with_gradient())


def _with_gradient() -> list[torch.nn.Parameter]:
    weight = torch.nn.Parameter(torch.ones(2))
    weight.sum().backward()
    return [weight]


def test_a_member_that_dies_ends_the_training_with_its_reason():
    told = "a training process ended: MemoryError: no room for the samples"
    with pytest.raises(AnymoveError, match=told), team.lead(2, _fails, ()) as lead:
        _fails(lead)


def test_two_processes_train_and_go_on(stick, capsys):
    assert run(stick, 2, epochs=1) == 0
    out = capsys.readouterr().out
    assert "2 processes of one thread share each batch" in out
    assert out.count("epoch 1/1") == 1
    loaded = checkpoint.load(stick.reader)
    assert loaded.train.processes == 2
    assert loaded.state["step"] == 3
    arguments = [*TRAIN[: TRAIN.index("--threads")], *TRAIN[TRAIN.index("--threads") + 2 :]]
    assert cli.run(train.main, ["2", *arguments, "--creature", str(stick.home)]) == 0
    later = checkpoint.load(stick.reader)
    assert later.state["epoch"] == 2
    assert later.figures["history"][1]["loss"] < later.figures["history"][0]["loss"]


def test_a_batch_that_cannot_be_shared_is_one_line(stick, capsys):
    assert run(stick, 3) == 2
    assert "--processes 3 cannot share a batch of 8 evenly" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("batch", "cores", "free", "wanted"),
    [(8, 2, 9e9, 2), (8, 6, 9e9, 4), (9, 2, 9e9, 1), (8, 4, 3100, 2), (8, 4, None, 4), (8, 1, None, 1)],
)
def test_how_many_processes(monkeypatch, batch, cores, free, wanted):
    monkeypatch.setattr(machine, "cores", lambda: cores)
    monkeypatch.setattr(machine, "free_memory_mb", lambda: free)
    assert team.size_for(batch) == wanted


def test_slots_are_shared_without_overlap():
    shares = [list(team.Team(rank, 3).share(8)) for rank in range(3)]
    assert sorted(np.concatenate(shares).tolist()) == list(range(8))
