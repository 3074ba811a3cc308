# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The creature's skin: mesh, weights and colours at rest, kept beside the rig as skin.npz."""

from __future__ import annotations

import os
import zipfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from . import files
from .errors import BadInput
from .skeleton import Skeleton

SCHEMA = 1
_GRID = 1e-6
"""Metres, and shares of weight: differences below are not differences."""
_LEAST_TOP = 0.25
"""A bone that nowhere has this much weight owns no skin that another bone holds more of."""


@dataclass(frozen=True)
class Skin:
    """V vertices, F triangles, at rest in world metres; bones are the skeleton's.

    points (V, 3); triangles (F, 3) int32; bones (V, K) int32 and weights (V, K), strongest first, K as many as any
    vertex has, rows of weights sum to one; smooth (F,) bool: shaded smoothly; albedo (V, 3) uint8: the unpainted
    look, sRGB.
    """

    points: np.ndarray
    triangles: np.ndarray
    bones: np.ndarray
    weights: np.ndarray
    smooth: np.ndarray
    albedo: np.ndarray

    def __post_init__(self) -> None:
        count = len(self.points)
        shapes = {
            "points": (self.points, (count, 3)),
            "triangles": (self.triangles, (len(self.triangles), 3)),
            "bones": (self.bones, (count, *self.bones.shape[1:2])),
            "weights": (self.weights, self.bones.shape),
            "smooth": (self.smooth, (len(self.triangles),)),
            "albedo": (self.albedo, (count, 3)),
        }
        for name, (array, shape) in shapes.items():
            if array.shape != shape:
                raise ValueError(f"{name} has shape {array.shape}, {shape} expected")
        if count == 0 or len(self.triangles) == 0:
            raise ValueError("the skin is empty")
        if self.triangles.min() < 0 or self.triangles.max() >= count:
            raise ValueError("a triangle names a vertex that does not exist")
        if not np.isfinite(self.points).all() or np.abs(self.weights.sum(1) - 1).max() > 1e-4:
            raise ValueError("points must be finite, and weights of a vertex sum to one")

    @classmethod
    def build(
        cls,
        points: np.ndarray,
        triangles: np.ndarray,
        table: np.ndarray,
        smooth: np.ndarray | None = None,
        albedo: np.ndarray | None = None,
    ) -> Skin:
        """From dense weights ``table`` (V, B). Rows without any weight ride on the root."""
        dense = np.array(table, np.float64)
        dense[dense.sum(1) <= 1e-6, 0] = 1.0
        most = int((dense > 0).sum(1).max(initial=1))
        order = np.argsort(-dense, axis=1, kind="stable")[:, :most]
        weights = np.take_along_axis(dense, order, 1)
        order[weights == 0] = 0
        return cls(
            np.asarray(points, np.float64),
            np.asarray(triangles, np.int32),
            order.astype(np.int32),
            (weights / weights.sum(1, keepdims=True)).astype(np.float32),
            np.ones(len(triangles), bool) if smooth is None else np.asarray(smooth, bool),
            np.full((len(points), 3), 204, np.uint8) if albedo is None else np.asarray(albedo, np.uint8),
        )

    @cached_property
    def owner(self) -> np.ndarray:
        """(V,) the bone that each vertex belongs to (owners)."""
        table = np.zeros((len(self.points), int(self.bones.max()) + 1), np.float32)
        for bone, weight in zip(self.bones.T, self.weights.T):
            table[np.arange(len(table)), bone] += weight
        return owners(table)

    @cached_property
    def welded(self) -> np.ndarray:
        """(V,) index of each vertex's place: vertices in one place share it, so that seams shade smoothly."""
        step = 1e-6 * max(float(np.ptp(self.points, axis=0).max()), 1e-9)
        _, place = np.unique(np.round(self.points / step).astype(np.int64), axis=0, return_inverse=True)
        return place.ravel().astype(np.int32)

    @cached_property
    def digest(self) -> str:
        """Of the shape and its weights, to a millionth: what poses depend on."""
        places, shares = (np.rint(array / _GRID).astype("<i8") for array in (self.points, self.weights))
        parts = (places, self.triangles, self.bones, shares, self.smooth)
        return files.digest_bytes(b"".join(np.ascontiguousarray(part).tobytes() for part in parts))

    def save(self, path: str | os.PathLike) -> None:
        with files.atomic_path(path) as temporary:
            np.savez_compressed(
                temporary,
                schema=np.int64(SCHEMA),
                points=self.points.astype(np.float32),
                triangles=self.triangles,
                bones=self.bones.astype(np.int16),
                weights=self.weights,
                smooth=self.smooth,
                albedo=self.albedo,
            )


def owners(weights: np.ndarray) -> np.ndarray:
    """(V,) the bone that each vertex belongs to. weights (V, B): each bone's are measured against its own largest, so
    that an ear that shares all of its skin with the head, half and half, has skin of its own."""
    top = weights.max(0)
    return (weights / np.where(top >= _LEAST_TOP, top, 1)).argmax(1)


def load(path: str | os.PathLike, skeleton: Skeleton) -> Skin:
    """Read skin.npz. Raises BadInput where it is missing, malformed, or for another skeleton."""
    target = Path(path)
    if not target.exists():
        raise BadInput(
            f"{target}: no such file (the rig's skin); adopt the rig again: tools/rig.sh --replace"
        )
    try:
        with np.load(target, allow_pickle=False) as data:
            held = {name: data[name] for name in data.files}
    except (ValueError, OSError, zipfile.BadZipFile, EOFError) as error:
        raise BadInput(f"{target}: not a skin file ({error})") from error
    files.check_schema({"schema": int(held.get("schema", -1))}, SCHEMA, "skin", target)
    skin = files.parse(target, "skin", lambda: _from(held))
    if skin.bones.min() < 0 or skin.bones.max() >= len(skeleton.bones):
        raise BadInput(
            f"{target}: belongs to another rig (it names bone {skin.bones.max()}); adopt the rig again"
        )
    return skin


def _from(held: dict[str, np.ndarray]) -> Skin:
    return Skin(
        held["points"].astype(np.float64),
        held["triangles"].astype(np.int32),
        held["bones"].astype(np.int32),
        held["weights"].astype(np.float32),
        held["smooth"].astype(bool),
        held["albedo"].astype(np.uint8),
    )
