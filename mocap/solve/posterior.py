# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""How sure the solver is of each joint, from the equations that it solved last.

The inverse of their matrix would be the covariance if readings erred independently from frame to frame. A reader's
errors last, and the solve takes what lasts for motion: less is left over than was wrong. So errors are made up, of
several autocorrelations, and solved like real ones; those that leave over what the clip's readings left over are
believed (indirect inference; Gourieroux, Monfort & Renault 1993), and what they do to the joints is the spread.

What a reader gets wrong alike in every frame of a clip leaves nothing over at all. Of that the settings say how much to
expect; it is solved like the rest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..skeleton import Posed, Skeleton
from . import twists
from .banded import Factor
from .residuals import Pulls

_ALIKE = (0.0, 0.5, 0.75, 0.9, 0.97)
"""Autocorrelations (lag 1) that are tried."""
_TRIED = 4
"""Made-up clips of each."""
_SAMPLES = 24


class Linear(NamedTuple):
    """The last equations, as they answer to small errors of the readings."""

    skeleton: Skeleton
    posed: Posed
    factor: Factor
    slope: np.ndarray
    """(T, V, J, 2, 3): residuals, times the root of their weight, per metre of a joint."""

    @classmethod
    def of(cls, skeleton: Skeleton, posed: Posed, factor: Factor, pulls: Pulls) -> Linear:
        return cls(skeleton, posed, factor, pulls.slope * np.sqrt(pulls.weights)[..., None, None])

    def moved(self, errors: np.ndarray) -> np.ndarray:
        """errors (T, V, J, 2, C), times the root of their weight -> (T, J, 3, C) metres by which joints move."""
        pull = np.einsum("tvjai,tvjac->tjic", self.slope, errors, optimize=True)
        steps = self.factor.solve(-twists.gradients(self.skeleton, self.posed, pull))
        return twists.moves(self.skeleton, self.posed, steps)

    def left_over(self, errors: np.ndarray) -> np.ndarray:
        """What the solve does not explain of such errors, alike in shape."""
        return errors + np.einsum("tvjai,tjic->tvjac", self.slope, self.moved(errors), optimize=True)


class Errors(NamedTuple):
    """The readings' errors as they seem to be."""

    alike: float
    """Autocorrelation from one frame to the next."""
    scale: float
    """Standard deviation against that of a typical reading."""


def joint_spread(
    linear: Linear, pulls: Pulls, constant: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, Errors]:
    """(T, J) standard deviation of each joint along an axis, metres, and what it was made of. constant (V,): standard
    deviation of what each joint's readings have in common all the time, in those of a reading."""
    errors = infer(linear, pulls, rng)
    fresh = rng.normal(size=(*pulls.residuals.shape, _SAMPLES))
    independent = twists.moves(linear.skeleton, linear.posed, linear.factor.samples(rng, _SAMPLES))
    usual, lasting = (linear.moved(lasts(fresh, alike)) for alike in (0.0, errors.alike))
    prior = np.maximum(_variance(independent) - _variance(usual), 0)
    common = rng.normal(size=fresh.shape[1:]) * constant[:, None, None, None]
    common = linear.moved(np.broadcast_to(common, fresh.shape))
    return np.sqrt(prior + errors.scale**2 * _variance(lasting) + _variance(common)), errors


def infer(linear: Linear, pulls: Pulls, rng: np.random.Generator) -> Errors:
    """The autocorrelation and size of errors that leave over what was left over."""
    found = pulls.residuals * np.sqrt(pulls.weights)[..., None]
    read = pulls.weights > 0
    if len(found) < 3 or not read.any():
        return Errors(0.0, 1.0)
    fresh = rng.normal(size=(*found.shape, _TRIED))
    expected = [linear.left_over(lasts(fresh, alike)) for alike in _ALIKE]
    correlations = np.maximum.accumulate([correlation(one, read) for one in expected])
    alike = float(np.interp(correlation(found[..., None], read), correlations, _ALIKE))
    size = float(np.interp(alike, _ALIKE, [_size(one, read) for one in expected]))
    return Errors(alike, _size(found[..., None], read) / max(size, 1e-9))


def lasts(fresh: np.ndarray, alike: float) -> np.ndarray:
    """Independent standard normals (T, ...) -> a first-order autoregression of the same variance."""
    out = fresh.copy()
    for frame in range(1, len(out)):
        out[frame] = alike * out[frame - 1] + np.sqrt(1 - alike**2) * fresh[frame]
    return out


def correlation(errors: np.ndarray, read: np.ndarray) -> float:
    """Autocorrelation at lag 1 of (T, V, J, 2, C) where (T, V, J) were read in both frames."""
    both = (read[1:] & read[:-1])[..., None, None]
    ahead, behind = errors[1:] * both, errors[:-1] * both
    size = ((ahead**2).sum() + (behind**2).sum()) / 2
    return float((ahead * behind).sum() / size) if size > 0 else 0.0


def _size(errors: np.ndarray, read: np.ndarray) -> float:
    """Median length of (T, V, J, 2, C): blind to stray readings."""
    return float(np.median(np.sqrt((errors[read] ** 2).sum(1))))


def _variance(moved: np.ndarray) -> np.ndarray:
    """(T, J, 3, C) -> (T, J) along an axis."""
    return (moved**2).mean((2, 3))
