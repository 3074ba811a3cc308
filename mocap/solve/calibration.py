# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What the views get wrong, solved along with the motion: scales, height and turn, and their drift over the clip.

Generated clips do not keep to the layout: a view is a little too large, too low or turned, and moves slowly. Each
fault is a polynomial of time (constant, slope, bend) with a prior. What the root's own place and turn can
explain is left to it: a shift of a view sideways, of both views up or down, a turn of both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre

from ..layout import Layout
from .cameras import OFFSET, SCALE, YAW, Cameras
from .observations import Observations
from .settings import Settings
from .triangulate import triangulate

_ROUNDS = 8
_BEND = 1.5
"""Where the first look's robust loss bends, in its own typical residual."""


@dataclass(frozen=True)
class Calibration:
    """Which faults of ``layout``'s views are unknown over T frames; m coefficients in all."""

    layout: Layout
    pivot: np.ndarray
    kinds: tuple[tuple[int, int], ...]
    """(view, kind) of each fault."""
    basis: np.ndarray
    """(T, K) Legendre polynomials of time."""
    deviations: np.ndarray
    """(m,) what the prior expects of each coefficient; those of one fault lie together."""

    @classmethod
    def of(cls, layout: Layout, pivot: np.ndarray, frames: int, height_px: np.ndarray, settings: Settings):
        """With one view, or where settings say so, nothing is unknown: a scale would be a distance."""
        views = range(len(layout.views)) if settings.calibrate and len(layout.views) > 1 else ()
        kinds = [(v, SCALE) for v in views] + [(v, kind) for v in views if v for kind in (OFFSET, YAW)]
        shares = settings.fault_shares[: min(frames, len(settings.fault_shares))]
        time = np.linspace(-1, 1, frames) if frames > 1 else np.zeros(1)
        usual = {SCALE: settings.scale_fault, YAW: np.radians(settings.yaw_fault_deg)}
        deviations = [
            usual.get(kind, settings.offset_fault * height_px[v]) * share
            for v, kind in kinds
            for share in shares
        ]
        return cls(
            layout, pivot, tuple(kinds), legendre.legvander(time, len(shares) - 1), np.array(deviations)
        )

    @property
    def size(self) -> int:
        return len(self.deviations)

    def errors(self, coefficients: np.ndarray) -> np.ndarray:
        """(m,) -> (T, V, 3)."""
        out = np.zeros((len(self.basis), len(self.layout.views), 3))
        for (view, kind), of_fault in zip(self.kinds, coefficients.reshape(-1, self.basis.shape[1])):
            out[:, view, kind] = self.basis @ of_fault
        return out

    def believed(self, coefficients: np.ndarray, least: float, height_px: np.ndarray) -> bool:
        """Whether a view is off by more than the share ``least`` of the height anywhere, or its error moves by half of
        that over the clip. A turn moves what lies half a height from its axis."""
        errors = np.abs(self.errors(coefficients)) if self.size else np.zeros((1, 1, 3))
        moved = np.ptp(self.errors(coefficients), axis=0) if self.size else errors[0]
        shares = np.ones((errors.shape[1], 3))
        shares[:, OFFSET] = 1 / height_px[: len(shares)]
        shares[:, YAW] = 0.5
        return bool((errors * shares).max() > least or (moved * shares).max() > least / 2)

    def cameras(self, coefficients: np.ndarray) -> Cameras:
        return self.with_errors(self.errors(coefficients))

    def with_errors(self, errors: np.ndarray) -> Cameras:
        """The layout's views as (T, V, 3) errors make them."""
        return Cameras.of(self.layout, self.pivot, errors)

    def constant(self, coefficients: np.ndarray) -> np.ndarray:
        """(m,) -> (F,): what does not change over the clip."""
        return coefficients.reshape(len(self.kinds), -1)[:, 0] if self.size else np.zeros(0)

    def coefficients(self, constant: np.ndarray) -> np.ndarray:
        """(F,) -> (m,): faults that do not change."""
        out = np.zeros((len(self.kinds), self.basis.shape[1]))
        out[:, 0] = constant
        return out.ravel()

    def cost(self, coefficients: np.ndarray) -> float:
        return float(((coefficients / self.deviations) ** 2).sum())

    def columns(self, by_view: np.ndarray) -> np.ndarray:
        """(T, V, ..., 3) by view and kind -> (T, F, ...) by fault."""
        views, kinds = (np.array(part, int) for part in zip(*self.kinds)) if self.kinds else ([], [])
        return np.moveaxis(by_view[:, views, ..., kinds], 0, 1)

    def spread(self, by_fault: np.ndarray) -> np.ndarray:
        """(T, N, F) -> (T, N, m): derivatives by the faults to derivatives by their coefficients."""
        out = by_fault[..., None] * self.basis[:, None, None]
        return out.reshape(*by_fault.shape[:-1], self.size)

    def gradient(self, by_fault: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
        """(T, F) -> (m,) of the readings and the prior."""
        return np.einsum("tf,tk->fk", by_fault, self.basis).ravel() + coefficients / self.deviations**2

    def corner(self, inner: np.ndarray) -> np.ndarray:
        """(T, V, 3, 3), how a view's faults weigh on its readings -> (m, m) with the prior. Faults of different
        views meet through the joints alone."""
        faults = np.zeros((len(inner), len(self.kinds), len(self.kinds)))
        for i, (view, kind) in enumerate(self.kinds):
            for j, (other, also) in enumerate(self.kinds):
                if view == other:
                    faults[:, i, j] = inner[:, view, kind, also]
        out = np.einsum("tfg,tk,tl->fkgl", faults, self.basis, self.basis, optimize=True)
        return out.reshape(self.size, self.size) + np.diag(self.deviations**-2.0)

    def first_look(self, observations: Observations) -> np.ndarray:
        """(m,) coefficients from what the views see alike, without the skeleton: how much larger the other views are
        than the first, and how much lower, so that joints triangulate. Robust: limbs may be exchanged."""
        coefficients = np.zeros(self.size)
        shared = [i for i, (view, kind) in enumerate(self.kinds) if view and kind in (SCALE, OFFSET)]
        if not shared:
            return coefficients
        steps = len(self.basis[0])
        which = np.array(shared) * steps
        prior = np.diag(self.deviations[which] ** -2.0)
        for _ in range(_ROUNDS):
            residual, slope = self._disagreement(observations, coefficients, which)
            size = np.abs(residual)
            scale = max(float(np.median(size)) * 1.4826, 1e-3) * _BEND
            weight = 1 / (1 + (residual / scale) ** 2) / scale**2
            hessian = (slope * weight[:, None]).T @ slope + prior
            gradient = (slope * weight[:, None]).T @ residual + prior @ coefficients[which]
            coefficients[which] -= np.linalg.solve(hessian, gradient)
        return coefficients

    def _disagreement(
        self, observations: Observations, coefficients: np.ndarray, which: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Pixels by which triangulated joints miss, flat (N,), and their slopes (N, coefficients) by differences."""

        def missed(values: np.ndarray) -> np.ndarray:
            seen = observations._replace(cameras=self.cameras(values))
            points, _ = triangulate(seen)
            pixels, _ = seen.cameras.project(points)
            apart = (pixels - observations.positions)[..., 1]
            return apart[np.isfinite(apart) & observations.read]

        base = missed(coefficients)
        slopes = []
        for index in which:
            step = 0.01 * self.deviations[index]
            ahead = coefficients.copy()
            ahead[index] += step
            slopes.append((missed(ahead) - base) / step)
        return base, np.stack(slopes, 1)
