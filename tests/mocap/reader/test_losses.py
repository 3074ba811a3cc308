# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

from mocap.reader import backbones, heatmaps, losses
from mocap.reader.config import CompactConfig


@pytest.fixture
def net():
    torch.manual_seed(0)
    return backbones.build(CompactConfig(input_size=64), 5, 4, 2)


def truth(joints: int = 5, masked: int = 4) -> losses.Truth:
    generator = torch.Generator().manual_seed(1)
    return losses.Truth(
        torch.rand(4, joints, 2, generator=generator) * 64,
        torch.ones(4, joints, dtype=torch.bool),
        torch.rand(4, joints, generator=generator) < 0.5,
        torch.randn(4, joints, generator=generator) * 0.2,
        torch.randint(0, 5, (masked, 32, 32), generator=generator),
    )


def pictures() -> torch.Tensor:
    return torch.randn(4, 3, 64, 64, generator=torch.Generator().manual_seed(2))


def test_every_loss_falls_when_descended(net):
    optimiser, found = torch.optim.AdamW(net.parameters(), 4e-3), []
    for _ in range(30):
        step = losses.compute(net, net(pictures(), 2), truth(), 2, 1.5)
        optimiser.zero_grad()
        losses.total(step).backward()
        optimiser.step()
        found.append([value.item() for value in step])
    assert (np.array(found[-1]) < np.array(found[0])).all(), dict(
        zip(losses.Losses._fields, zip(found[0], found[-1]))
    )


def test_some_joints_cost_what_they_cost_among_all(net):
    """Chosen joints have the heatmap loss that they have where all are learned."""
    net.eval()
    chosen = torch.tensor([1, 4])
    whole = truth()
    some = whole._replace(
        points=whole.points[:, chosen],
        inside=whole.inside[:, chosen],
        visible=whole.visible[:, chosen],
        depth=whole.depth[:, chosen],
    )
    maps = net(pictures(), 2)
    alone = heatmaps.cross_entropy(maps.heatmaps[:, chosen], some.points, some.inside, net.stride, 1.5)[0]
    found = losses.compute(net, net(pictures(), 2, chosen=chosen), some, 2, 1.5, chosen)
    assert found.heatmaps.item() == pytest.approx(alone.item(), rel=1e-4)


def test_joints_outside_teach_nothing(net):
    net.eval()
    maps, given = net(pictures(), 2), truth()
    given.inside[:, 0] = False
    far = given._replace(
        points=given.points.clone(), visible=given.visible.clone(), depth=given.depth.clone()
    )
    far.points[:, 0], far.visible[:, 0], far.depth[:, 0] = 1e4, ~far.visible[:, 0], 99.0
    one, two = (losses.compute(net, maps, t, 2, 1.5) for t in (given, far))
    assert all(torch.equal(a, b) for a, b in zip(one, two))


def test_places_are_best_with_the_deviation_they_have():
    """The likelihood is largest where the claimed deviation is half the mean length of the errors."""
    torch.manual_seed(0)
    off = torch.distributions.Gamma(2.0, 1 / 1.7).sample((20000,))  # lengths under exp(-r / 1.7)
    claims = torch.linspace(-1, 2, 61)
    best = claims[torch.stack([losses._laplace(off, claim).mean() for claim in claims]).argmin()]
    assert best.exp().item() == pytest.approx(1.7, rel=0.06)


def test_masks_of_another_size_are_brought_to_the_logits():
    logits = torch.full((1, 3, 16, 16), -9.0)
    masks = torch.zeros(1, 8, 8, dtype=torch.long)
    masks[:, :, 4:] = 2
    logits[:, 0, :, :8] = logits[:, 2, :, 8:] = 9.0
    assert losses._masks(logits, masks).item() < 1e-3
    assert losses._masks(logits.flip(-1), masks).item() > 5
