# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

from bench.peers import PEERS, MeanPose, SimCC, UNet
from bench.peers.unet import gaussians, peaks

JOINTS, SIZE = 3, 64


def batch(count: int = 4) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Pictures with a soft spot of another colour at each joint."""
    rng = np.random.default_rng(0)
    points = torch.from_numpy(rng.uniform(6, SIZE - 6, (count, JOINTS, 2))).float()
    spots = gaussians((points - 0.5) / 2, SIZE // 2)
    pictures = torch.nn.functional.interpolate(spots, scale_factor=2.0, mode="bilinear")
    return pictures * 2 - 1, points, torch.ones(count, JOINTS, dtype=torch.bool)


@pytest.mark.parametrize(("peer", "steps", "wanted"), [(UNet, 80, 1.5), (SimCC, 100, 1.5)])
def test_overfits_a_batch(peer, steps, wanted):
    torch.manual_seed(0)
    net, (pictures, points, inside) = peer(JOINTS, SIZE), batch()
    optimiser = torch.optim.Adam(net.parameters(), 3e-3)
    before = (net.positions(pictures) - points).norm(dim=-1).mean()
    for _ in range(steps):
        optimiser.zero_grad()
        net.loss(pictures, points, inside).backward()
        optimiser.step()
    with torch.inference_mode():
        read = net.positions(pictures)
    assert read.shape == points.shape
    assert before > 10
    assert (read - points).norm(dim=-1).mean() < wanted


def test_the_mean_pose_is_the_mean_of_what_was_inside():
    pictures, points, inside = batch()
    inside[2:, 0] = False
    inside[:, 2] = False
    peer = MeanPose(JOINTS, SIZE)
    peer.loss(pictures[:3], points[:3], inside[:3])
    loss = peer.loss(pictures[3:], points[3:], inside[3:])
    read = peer.positions(pictures)
    assert read.shape == points.shape
    assert torch.allclose(read[3, 0], points[:2, 0].mean(0))
    assert torch.allclose(read[0, 1], points[:, 1].mean(0))
    assert read[0, 2].tolist() == [SIZE / 2, SIZE / 2]
    assert loss == pytest.approx(float((points[3:, 1] - points[:, 1].mean(0)).norm(dim=-1).mean()), rel=1e-5)


@pytest.mark.parametrize("name", PEERS)
def test_joints_outside_do_not_count(name):
    torch.manual_seed(0)
    peer = PEERS[name](JOINTS, SIZE).eval()
    pictures, points, inside = batch()
    inside[:, 1] = False
    moved = points.clone()
    moved[:, 1] = 1e3
    losses = []
    for places in (points, moved):
        fresh = PEERS[name](JOINTS, SIZE).eval()
        fresh.load_state_dict(peer.state_dict())
        losses.append(fresh.loss(pictures, places, inside).item())
    assert losses[0] == losses[1] > 0
    assert peer.loss(pictures, points, torch.zeros_like(inside)).item() == 0


@pytest.mark.parametrize("name", ["unet, mse", "simcc"])
def test_peers_are_about_as_large_as_the_compact_network(name):
    weights = sum(weight.numel() for weight in PEERS[name](45, 192).parameters())
    assert 0.7e6 < weights < 1.3e6


def test_peaks_are_found_between_cells():
    cells = torch.tensor([[[10.3, 20.6], [15.45, 3.1]], [[7.0, 9.0], [30.0, 1.2]]])
    assert torch.allclose(peaks(gaussians(cells, 32)), cells, atol=1e-3)
    on_the_border = torch.tensor([[[0.2, 12.3], [31.0, 0.0]]])
    found = peaks(gaussians(on_the_border, 32))
    assert torch.allclose(found, torch.tensor([[[0.0, 12.3], [31.0, 0.0]]]), atol=1e-3)
    assert torch.isfinite(peaks(torch.zeros(1, 1, 8, 8))).all()


def test_every_loss_that_is_descended_has_gradients():
    pictures, points, inside = batch(2)
    for peer in PEERS.values():
        assert peer(JOINTS, SIZE).loss(pictures, points, inside).requires_grad == peer.by_gradient
