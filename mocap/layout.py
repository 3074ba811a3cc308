# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The two fixed layout cameras and where their panels lie in the sheet.

Pixels count from a panel's top-left corner; the centre of pixel (0, 0) is (0.5, 0.5).
Camera axes are OpenCV's: x right, y down, z forward. A sheet shows the panels side by side.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

VIEW_NAMES = ("front", "side")
# Towards what each camera looks, in the world of a creature that faces -Y: the front camera stands
# before it, the side camera on its left.
_FORWARD = {"front": (0.0, 1.0, 0.0), "side": (-1.0, 0.0, 0.0)}


@dataclass(frozen=True)
class View:
    """A pinhole camera without distortion.

    ``rotation`` (3x3) turns world into camera axes, ``position`` is the camera's place in world metres,
    ``focal`` is in pixels, ``size`` the panel's (width, height), ``corner`` its top-left in the sheet.
    """

    name: str
    rotation: tuple[tuple[float, float, float], ...]
    position: tuple[float, float, float]
    focal: float
    size: tuple[int, int]
    corner: tuple[int, int]

    @cached_property
    def R(self) -> np.ndarray:
        return np.array(self.rotation, float)

    @cached_property
    def centre(self) -> np.ndarray:
        """(2,) principal point, panel pixels."""
        return np.array(self.size, float) / 2

    @property
    def matrix(self) -> np.ndarray:
        """(3, 4) camera matrix P: homogeneous world metres to homogeneous panel pixels."""
        k = np.array([[self.focal, 0, self.centre[0]], [0, self.focal, self.centre[1]], [0, 0, 1]])
        return k @ np.concatenate([self.R, -(self.R @ np.array(self.position))[:, None]], 1)

    def project(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(..., 3) world metres -> (..., 2) panel pixels and (...) depth in metres along the view."""
        camera = (np.asarray(points, float) - np.array(self.position)) @ self.R.T
        depth = camera[..., 2]
        return camera[..., :2] * (self.focal / depth)[..., None] + self.centre, depth

    def project_jacobian(self, points: np.ndarray) -> np.ndarray:
        """(..., 3) -> (..., 2, 3): derivative of the pixel by the world point."""
        camera = (np.asarray(points, float) - np.array(self.position)) @ self.R.T
        x, y, z = np.moveaxis(camera, -1, 0)
        jacobian = np.zeros((*camera.shape[:-1], 2, 3))
        jacobian[..., 0, 0] = jacobian[..., 1, 1] = self.focal / z
        jacobian[..., 0, 2] = -self.focal * x / z**2
        jacobian[..., 1, 2] = -self.focal * y / z**2
        return jacobian @ self.R

    def rays(self, pixels: np.ndarray) -> np.ndarray:
        """(..., 2) panel pixels -> (..., 3) unit directions in the world, from the camera outwards."""
        camera = np.concatenate(
            [(np.asarray(pixels, float) - self.centre) / self.focal, np.ones((*np.shape(pixels)[:-1], 1))], -1
        )
        world = camera @ self.R
        return world / np.linalg.norm(world, axis=-1, keepdims=True)


@dataclass(frozen=True)
class Layout:
    """The views, in the order in which every array with a view axis has them."""

    views: tuple[View, ...]

    def __post_init__(self) -> None:
        if not self.views:
            raise ValueError("a layout needs at least one view")
        for view in self.views:
            if not (view.focal > 0 and min(view.size) >= 16):
                raise ValueError(f"view {view.name}: focal {view.focal} and size {view.size} are not usable")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(view.name for view in self.views)

    @property
    def sheet_size(self) -> tuple[int, int]:
        """(width, height) of the frame that holds every panel."""
        right = max(view.corner[0] + view.size[0] for view in self.views)
        bottom = max(view.corner[1] + view.size[1] for view in self.views)
        return right, bottom

    def project(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(..., J, 3) world -> (..., V, J, 2) panel pixels and (..., V, J) depths."""
        pairs = [view.project(points) for view in self.views]
        return np.stack([uv for uv, _ in pairs], -3), np.stack([d for _, d in pairs], -2)

    def to_json(self) -> dict[str, Any]:
        return {
            "views": [
                {
                    "name": view.name,
                    "rotation": [list(row) for row in view.rotation],
                    "position": list(view.position),
                    "focal_px": view.focal,
                    "size_px": list(view.size),
                    "corner_px": list(view.corner),
                }
                for view in self.views
            ]
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Layout:
        return cls(
            tuple(
                View(
                    name=v["name"],
                    rotation=tuple(tuple(row) for row in v["rotation"]),
                    position=tuple(v["position"]),
                    focal=float(v["focal_px"]),
                    size=tuple(v["size_px"]),
                    corner=tuple(v["corner_px"]),
                )
                for v in data["views"]
            )
        )


def camera(name: str, target: np.ndarray, distance: float, focal: float, size: int, slot: int) -> View:
    """The layout camera ``name`` looking at ``target`` (world metres) from ``distance`` metres away."""
    forward = np.array(_FORWARD[name])
    down = np.array([0.0, 0.0, -1.0])
    right = np.cross(down, forward)
    position = np.asarray(target, float) - forward * distance
    return View(
        name=name,
        rotation=tuple(tuple(float(x) for x in row) for row in (right, down, forward)),
        position=tuple(float(x) for x in position),
        focal=float(focal),
        size=(size, size),
        corner=(slot * size, 0),
    )


def fit(points: np.ndarray, height: float, size: int = 384, coverage: float = 0.95) -> Layout:
    """Cameras that see ``coverage`` of the given poses whole, with one scale for both views.

    points (N, P, 3): outline points (joints, or vertices) of N poses, world metres. ``height`` is the
    creature's. The cameras stand six times the creature's larger extent away: long lenses, as on the
    sheets that video models keep best, but still with perspective.
    """
    low, high = points.min((0, 1)), points.max((0, 1))
    target = (np.quantile(points.min(1), 0.1, axis=0) + np.quantile(points.max(1), 0.9, axis=0)) / 2
    distance = 6 * max(height, float(np.median((points.max(1) - points.min(1)).max(1))))
    distance = max(distance, 2 * float((high - low).max()))
    views = [camera(name, target, distance, 1.0, size, slot) for slot, name in enumerate(VIEW_NAMES)]
    reach = [np.abs(view.project(points)[0] - view.centre).max((1, 2)) for view in views]
    focal = (size / 2) * 0.94 / max(float(np.quantile(r, coverage)) for r in reach)
    return Layout(
        tuple(camera(name, target, distance, focal, size, slot) for slot, name in enumerate(VIEW_NAMES))
    )
