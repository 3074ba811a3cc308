# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The banded system against a dense one."""

import numpy as np
import pytest

from mocap.solve.banded import Border, Coupling, factor
from mocap.solve.kinematics import State
from mocap.solve.settings import Settings
from mocap.solve.smoothness import Smoothness, accelerations


def system(frames: int, width: int):
    rng = np.random.default_rng(frames)
    root = rng.normal(size=(frames, width, width))
    blocks = root @ np.swapaxes(root, -1, -2) + 0.1 * np.eye(width)
    groups = width // 3
    smoothness = Smoothness(
        rng.uniform(0.5, 2, groups), rng.uniform(0.5, 1.5, (max(frames - 2, 0), groups)), 1.0
    )
    return blocks, smoothness


def dense(blocks: np.ndarray, smoothness: Smoothness) -> np.ndarray:
    """Blocks plus D^T W D with D the second difference in time."""
    frames, width, _ = blocks.shape
    matrix = np.zeros((frames * width, frames * width))
    for frame, block in enumerate(blocks):
        part = slice(frame * width, (frame + 1) * width)
        matrix[part, part] = block
    if frames > 2:
        difference = np.diff(np.eye(frames), 2, axis=0)
        spread = np.kron(difference, np.eye(width))
        matrix += spread.T @ (smoothness.precision.ravel()[:, None] * spread)
    return matrix


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 11])
def test_solution_is_the_dense_ones(frames):
    blocks, smoothness = system(frames, 6)
    damping = np.linspace(0.1, 0.5, frames)
    lower = factor(blocks, smoothness.coupling(frames), damping)
    right = np.random.default_rng(1).normal(size=(frames, 6))
    matrix = dense(blocks, smoothness) + np.diag(np.repeat(damping, 6))
    np.testing.assert_allclose(lower.solve(right).ravel(), np.linalg.solve(matrix, right.ravel()), rtol=1e-8)


@pytest.mark.parametrize("frames", [1, 5])
def test_unknowns_of_the_whole_clip_are_solved_along(frames):
    rng = np.random.default_rng(7)
    blocks, smoothness = system(frames, 6)
    lower = factor(blocks, smoothness.coupling(frames), np.zeros(frames))
    columns, corner = rng.normal(size=(frames, 6, 3)), 50 * np.eye(3)
    right, below = rng.normal(size=(frames, 6)), rng.normal(size=3)
    found, turn = lower.solve_bordered(Border(columns, corner), right, below)
    flat = columns.reshape(-1, 3)
    matrix = np.block([[dense(blocks, smoothness), flat], [flat.T, corner]])
    expected = np.linalg.solve(matrix, np.concatenate([right.ravel(), below]))
    np.testing.assert_allclose(np.concatenate([found.ravel(), turn]), expected, rtol=1e-7)


def test_samples_have_the_inverse_as_covariance():
    blocks, smoothness = system(4, 3)
    lower = factor(blocks, smoothness.coupling(4), np.zeros(4))
    draws = lower.samples(np.random.default_rng(0), 40000).reshape(12, -1)
    expected = np.linalg.inv(dense(blocks, smoothness))
    scale = np.sqrt(np.diag(expected))
    assert np.abs((np.cov(draws) - expected) / np.outer(scale, scale)).max() < 0.05


def test_an_indefinite_matrix_is_reported():
    blocks = np.tile(-np.eye(3), (2, 1, 1))
    coupling = Coupling(np.zeros((2, 3)), np.zeros((1, 3)), np.zeros((0, 3)))
    with pytest.raises(np.linalg.LinAlgError):
        factor(blocks, coupling, np.zeros(2))


def test_learning_finds_the_scale_of_accelerations():
    """A root that really accelerates by a known amount, measured precisely: the scale is found."""
    rng = np.random.default_rng(0)
    frames, true = 200, 0.004
    root = np.cumsum(np.cumsum(rng.normal(0, true, (frames, 3)), 0), 0)
    quats = np.zeros((frames, 1, 4))
    quats[..., 0] = 1
    state = State(root, quats)
    smoothness = Smoothness.start(Settings(), frames, 1, 24.0, 1.0)
    blocks = np.tile(np.eye(6) * 1e8, (frames, 1, 1))
    for _ in range(3):
        lower = factor(blocks, smoothness.coupling(frames), np.zeros(frames))
        smoothness = smoothness.learned(state, lower, rng)
    found = np.linalg.norm(accelerations(state)[:, :3]) / np.sqrt(3 * (frames - 2))
    assert found == pytest.approx(true, rel=0.1)
    # Student-t weights make the scale that of the bulk, a little under the root mean square.
    assert 0.6 * true < smoothness.sigma[0] < 1.1 * true
    assert smoothness.sigma[1] == pytest.approx(np.radians(0.05)), "a still bone goes to the bound"
