# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import copy

import pytest
import torch

from mocap.reader import backbones
from mocap.reader.config import CompactConfig, TrainConfig
from mocap.reader.optimise import Average, FlatMuon, Optimisers, Schedule

CONFIG = TrainConfig(batch=2, pairs=4, muon_lr=0.1, adamw_lr=4e-3, backbone_lr=1e-4)


def net() -> backbones.ReaderNet:
    torch.manual_seed(0)
    return backbones.build(CompactConfig(input_size=64), 3, 4, 2)


def test_muon_moves_a_convolution_as_it_moves_its_matrix():
    torch.manual_seed(0)
    weight = torch.nn.Parameter(torch.randn(8, 4, 3, 3))
    matrix = torch.nn.Parameter(weight.detach().clone().view(8, -1))
    flat = FlatMuon([weight], lr=0.1, weight_decay=0.02)
    direct = torch.optim.Muon([matrix], lr=0.1, momentum=0.9, weight_decay=0.02, ns_steps=3)
    for _ in range(3):
        weight.grad = torch.randn(8, 4, 3, 3).contiguous(memory_format=torch.channels_last)
        matrix.grad = weight.grad.reshape(8, -1)
        flat.step()
        direct.step()
    assert torch.equal(weight.view(8, -1), matrix)


def test_every_weight_has_one_optimiser():
    model = net()
    optimisers = Optimisers(model, CONFIG)
    assert {id(w) for w in optimisers.parameters} == {id(w) for w in model.parameters()}
    assert len(optimisers.parameters) == len(list(model.parameters()))
    before = {name: value.clone() for name, value in model.named_parameters()}
    for weight in model.parameters():
        weight.grad = torch.randn_like(weight)
    optimisers.step(1.0)
    assert all((value != before[name]).any() for name, value in model.named_parameters())


def test_optimisers_go_on_from_their_state():
    one, two = net(), net()
    a, b = Optimisers(one, CONFIG), Optimisers(two, CONFIG)
    grads = [[torch.randn_like(w) for w in one.parameters()] for _ in range(4)]

    def step(model, optimisers, number):
        for weight, grad in zip(model.parameters(), grads[number]):
            weight.grad = grad.clone()
        optimisers.step(0.5)

    step(one, a, 0), step(one, a, 1)
    two.load_state_dict(one.state_dict())
    b.load_state_dict(copy.deepcopy(a.state_dict()))
    for number in (2, 3):
        step(one, a, number), step(two, b, number)
    assert all(torch.equal(x, y) for x, y in zip(one.parameters(), two.parameters()))


def test_schedule_rises_then_falls():
    schedule = Schedule(0, 10, 1.0, 0.1)
    assert schedule.factor(0) == pytest.approx(0.02)
    assert schedule.factor(1) == pytest.approx(1.0)
    assert schedule.factor(5.5) == pytest.approx(0.5, abs=0.01)
    assert schedule.factor(10) == pytest.approx(0.005)
    assert schedule.factor(11) == schedule.factor(10)
    restart = Schedule(10, 20, 0.5, 0.1)
    assert restart.factor(11) == pytest.approx(0.5)


def test_average_follows_the_weights():
    model = net()
    average = Average(model, 0.5)
    name = "heatmaps.bias"
    start = average.state[name].clone()
    with torch.no_grad():
        model.heatmaps.bias.add_(1)
    average.update(model, step=100)
    assert torch.allclose(average.state[name], start + 0.5)
    model.trunk.stage4[0].first.norm.num_batches_tracked += 3
    average.update(model, step=101)
    assert average.state["trunk.stage4.0.first.norm.num_batches_tracked"] == 3
