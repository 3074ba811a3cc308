# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

from mocap.reader import heatmaps


def gaussian(points: torch.Tensor, size: int, stride: float, sigma: float) -> torch.Tensor:
    """Logits of a Gaussian of ``sigma`` cells at ``points`` (N, J, 2) input pixels."""
    grid = torch.arange(size) + 0.5
    dx = grid[None, None, None, :] - points[..., 0, None, None] / stride
    dy = grid[None, None, :, None] - points[..., 1, None, None] / stride
    return -(dx**2 + dy**2) / (2 * sigma**2)


@pytest.mark.parametrize("stride", [4.0, 3.5])
def test_positions_are_read_between_cells(stride):
    generator = torch.Generator().manual_seed(0)
    points = (torch.rand(4, 9, 2, generator=generator) * 36 + 6) * stride
    peaks = heatmaps.decode(gaussian(points, 48, stride, 1.0), stride)
    assert (peaks.positions - points).abs().max() < 0.03 * stride


def test_a_second_peak_lessens_the_mass_but_does_not_pull_the_position():
    near, far = torch.tensor([[[60.0, 80.0]]]), torch.tensor([[[150.0, 80.0]]])
    alone = gaussian(near, 48, 4.0, 1.0)
    both = torch.logaddexp(alone, gaussian(far, 48, 4.0, 1.0) - 0.5)
    peaks = heatmaps.decode(both, 4.0)
    assert (peaks.positions - near).abs().max() < 0.2
    assert peaks.mass.item() == pytest.approx(1 / (1 + np.exp(-0.5)), abs=0.02)
    assert heatmaps.decode(alone, 4.0).mass.item() > 0.99


def test_peaks_at_the_border():
    points = torch.tensor([[[1.0, 1.0], [191.0, 190.0]]])
    assert (heatmaps.decode(gaussian(points, 48, 4.0, 1.0), 4.0).positions - points).abs().max() < 3


def test_loss_is_cross_entropy_with_the_full_target():
    torch.manual_seed(0)
    logits, points = torch.randn(2, 3, 24, 24), torch.rand(2, 3, 2) * 96
    target = gaussian(points, 24, 4.0, 1.5).flatten(2).softmax(-1)
    wanted = -(target * logits.flatten(2).log_softmax(-1)).sum(-1)
    inside = torch.tensor([[True, False, True], [True, True, False]])
    found, peaks = heatmaps.cross_entropy(logits, points, inside, 4.0, 1.5)
    assert found.item() == pytest.approx(wanted[inside].mean().item(), rel=1e-4)
    assert all(torch.allclose(a, b, atol=1e-4) for a, b in zip(peaks, heatmaps.decode(logits, 4.0)))


def test_the_gradient_is_that_of_the_plain_formula():
    torch.manual_seed(0)
    logits, points = torch.randn(6, 3, 12, 12, requires_grad=True), torch.rand(6, 3, 2) * 48
    inside = torch.rand(6, 3) < 0.7
    heatmaps.cross_entropy(logits, points, inside, 4.0, 1.5)[0].mul(3).backward()
    plain = logits.detach().requires_grad_()
    target = gaussian(points, 12, 4.0, 1.5).flatten(2).softmax(-1)
    loss = -(target * plain.flatten(2).log_softmax(-1)).sum(-1)[inside].mean()
    (3 * loss).backward()
    assert torch.allclose(logits.grad, plain.grad, atol=1e-7)


def test_loss_of_nothing_inside_is_zero():
    logits = torch.randn(1, 2, 8, 8)
    assert heatmaps.cross_entropy(logits, torch.zeros(1, 2, 2), torch.zeros(1, 2).bool(), 4.0, 1.5)[0] == 0
