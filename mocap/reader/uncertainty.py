# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""From the deviation that the network claims to how far the reading is off, learned on held-out samples.

Networks are over- or under-confident by an amount that only held-out data tells (Guo et al. 2017).
Readings are sorted into bins by what is claimed ("spread"); within each bin we keep a robust deviation of the error
and the share of good readings, and both are forced to be monotone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

GOOD = 0.05
"""A reading is good within this share of the creature's height: what confidence is the probability of."""
_EDGES = np.array([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.88, 0.93, 0.97, 1.0])
RAYLEIGH_MEDIAN = 1.1774
"""Median length of a 2D Gaussian error with deviation 1 an axis."""
_FLOOR = 1e-3


@dataclass(frozen=True)
class Uncertainty:
    """Piecewise linear in the logarithm of the spread; everything in units of the creature's height.

    spread (K,) increasing, sigma (K,) not decreasing, confidence (K,) not increasing.
    """

    spread: tuple[float, ...]
    sigma: tuple[float, ...]
    confidence: tuple[float, ...]

    def __post_init__(self) -> None:
        spread, sigma, confidence = (np.array(v) for v in (self.spread, self.sigma, self.confidence))
        if not (len(spread) == len(sigma) == len(confidence) > 0):
            raise ValueError("the uncertainty map has columns of different length")
        if (np.diff(spread) <= 0).any() or (np.diff(sigma) < 0).any() or (np.diff(confidence) > 0).any():
            raise ValueError("the uncertainty map is not monotone")
        if (spread <= 0).any() or (sigma <= 0).any():
            raise ValueError("the uncertainty map has values that are not positive")

    def read(self, spread: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """sigma (an axis, units of height) and confidence in [0, 1] for any shape of spreads."""
        at = np.log(np.maximum(spread, _FLOOR))
        knots = np.log(self.spread)
        sigma = np.exp(np.interp(at, knots, np.log(self.sigma)))
        return sigma, np.interp(at, knots, self.confidence)

    def to_json(self) -> dict[str, Any]:
        return {
            "spread": list(self.spread),
            "sigma": list(self.sigma),
            "confidence": list(self.confidence),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Uncertainty:
        return cls(tuple(data["spread"]), tuple(data["sigma"]), tuple(data["confidence"]))


def fit(spread: np.ndarray, error: np.ndarray) -> Uncertainty:
    """``spread`` and ``error`` (N,): the claimed deviation and the true distance, in units of height.

    sigma is the median error of a bin brought to a deviation, so that a few gross errors do not widen
    it: those are what the confidence and the solver's robust loss are for.
    """
    edges = np.unique(np.quantile(np.maximum(spread, _FLOOR), _EDGES))
    if len(edges) < 2:
        edges = np.array([edges[0], edges[0] * 1.01])
    bins = np.clip(np.searchsorted(edges, np.maximum(spread, _FLOOR), side="right") - 1, 0, len(edges) - 2)
    filled = [np.flatnonzero(bins == b) for b in range(len(edges) - 1)]
    filled = [members for members in filled if len(members)]
    counts = np.array([len(members) for members in filled])
    knots = [float(np.median(np.maximum(spread[m], _FLOOR))) for m in filled]
    sigma = [max(float(np.median(error[m])) / RAYLEIGH_MEDIAN, _FLOOR) for m in filled]
    good = [float((error[m] <= GOOD).mean()) for m in filled]
    rising = np.exp(pool_adjacent(np.log(sigma), counts))
    falling = -pool_adjacent(-np.array(good), counts)
    return Uncertainty(tuple(knots), tuple(rising.tolist()), tuple(np.clip(falling, 0, 1).tolist()))


def pool_adjacent(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The nearest sequence that does not decrease (pool adjacent violators)."""
    blocks: list[list[float]] = []
    for value, weight in zip(values, weights):
        blocks.append([float(value), float(weight), 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            value2, weight2, count2 = blocks.pop()
            value1, weight1, count1 = blocks.pop()
            total = weight1 + weight2
            blocks.append([(value1 * weight1 + value2 * weight2) / total, total, count1 + count2])
    return np.concatenate([np.full(int(count), value) for value, _, count in blocks])
