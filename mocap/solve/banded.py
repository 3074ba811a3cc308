# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Normal equations of a whole clip: dense blocks on the diagonal, two diagonal couplings in time.

Frames couple only to the next and the next but one, and only each unknown to itself, so the matrix is
banded and its Cholesky factor costs time and memory linear in the number of frames. The few unknowns that touch
every frame, the calibration's, are eliminated by their Schur complement (Triggs et al., Bundle Adjustment, 2000, 6).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_solve, cho_solve_banded, cholesky_banded
from scipy.linalg.lapack import dtbtrs


class Coupling(NamedTuple):
    """What smoothness adds: ``here`` (T, n) on the diagonal, ``next`` (T - 1, n) towards the next frame,
    ``second`` (T - 2, n) towards the next but one."""

    here: np.ndarray
    next: np.ndarray
    second: np.ndarray


class Border(NamedTuple):
    """What couples the frames to m unknowns of the whole clip: columns (T, n, m), their own corner (m, m)."""

    columns: np.ndarray
    corner: np.ndarray


class Factor(NamedTuple):
    """Lower Cholesky factor in LAPACK's banded form."""

    bands: np.ndarray
    shape: tuple[int, int]
    """(T, n)"""

    def solve(self, right: np.ndarray) -> np.ndarray:
        """(T, n) -> (T, n), or (T, n, C) -> (T, n, C)."""
        flat = right.reshape(self.shape[0] * self.shape[1], *right.shape[2:])
        return cho_solve_banded((self.bands, True), flat, check_finite=False).reshape(right.shape)

    def solve_bordered(
        self, border: Border, right: np.ndarray, below: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """right (T, n), below (m,) -> (T, n), (m,). Raises numpy.linalg.LinAlgError where not positive definite."""
        if not len(below):
            return self.solve(right), below
        size = len(below)
        flat = border.columns.reshape(-1, size)
        both = np.concatenate([flat, right.reshape(-1, 1)], 1)
        swept = cho_solve_banded((self.bands, True), both, check_finite=False)
        rest = border.corner - flat.T @ swept[:, :size]
        lower = np.linalg.cholesky((rest + rest.T) / 2)
        found = cho_solve((lower, True), below - flat.T @ swept[:, size])
        return (swept[:, size] - swept[:, :size] @ found).reshape(self.shape), found

    def samples(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """(T, n, count) draws from the Gaussian whose inverse covariance was factored: L^-T z."""
        draws = rng.normal(size=(self.shape[0] * self.shape[1], count))
        out, _ = dtbtrs(self.bands, draws, uplo="L", trans="T")
        return out.reshape(*self.shape, count)


def factor(blocks: np.ndarray, coupling: Coupling, damping: np.ndarray) -> Factor:
    """Factor blocks (T, n, n) + coupling + damping (T,) on the diagonal.

    Raises numpy.linalg.LinAlgError where the matrix is not positive definite.
    """
    frames, width, _ = blocks.shape
    reach = min(2, frames - 1)
    bands = np.zeros((reach * width + 1 if reach else width, frames, width))
    for offset in range(width):
        bands[offset, :, : width - offset] = np.diagonal(blocks, -offset, axis1=1, axis2=2)
    bands[0] += coupling.here + damping[:, None]
    if reach > 0:
        bands[width, :-1] = coupling.next
    if reach > 1:
        bands[2 * width, :-2] = coupling.second
    flat = bands.reshape(len(bands), frames * width)
    lower = cholesky_banded(flat, overwrite_ab=True, lower=True, check_finite=False)
    return Factor(lower, (frames, width))
