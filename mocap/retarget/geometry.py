# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Limbs at rest as chains of points."""

from __future__ import annotations

import numpy as np

from .. import rotations as rot
from ..interchange import leaves
from ..skeleton import Limb, Skeleton


def end(skeleton: Skeleton, limb: Limb) -> np.ndarray:
    """(3,) where the limb's last bone ends at rest: its leaf end, else the middle of what hangs on it."""
    last = limb.bones[-1]
    children = np.flatnonzero(skeleton.parents == last)
    return skeleton.heads[children].mean(0) if len(children) else leaves.ends(skeleton)[last]


def points(skeleton: Skeleton, limb: Limb) -> np.ndarray:
    """(N + 1, 3) heads of the limb's N bones, and its end."""
    return np.concatenate([skeleton.heads[list(limb.bones)], end(skeleton, limb)[None]])


def lengths(skeleton: Skeleton, limb: Limb) -> np.ndarray:
    """(N,) metres from each bone to the next."""
    return np.linalg.norm(np.diff(points(skeleton, limb), axis=0), axis=1)


def directions(skeleton: Skeleton, limb: Limb) -> np.ndarray:
    """(N, 3) unit directions of the limb's bones, world, at rest; zero for bones without length."""
    steps = np.diff(points(skeleton, limb), axis=0)
    size = np.linalg.norm(steps, axis=1, keepdims=True)
    return np.where(size > 1e-6 * skeleton.height, steps / np.maximum(size, 1e-12), 0)


def middles(skeleton: Skeleton, limb: Limb) -> np.ndarray:
    """(N, 3) the middle of each bone."""
    along = points(skeleton, limb)
    return (along[1:] + along[:-1]) / 2


def between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(..., 3, 3) the least rotation that takes direction ``a`` (..., 3) to ``b``; none where one has no length."""
    a = a / np.maximum(np.linalg.norm(a, axis=-1, keepdims=True), 1e-12)
    b = b / np.maximum(np.linalg.norm(b, axis=-1, keepdims=True), 1e-12)
    cosine = (a * b).sum(-1)
    axis = np.cross(a, b)
    sine = np.linalg.norm(axis, axis=-1)
    # Opposite directions: any axis across will do.
    across = np.cross(a, np.eye(3)[np.abs(a).argmin(-1)])
    across = across / np.maximum(np.linalg.norm(across, axis=-1, keepdims=True), 1e-12)
    axis = np.where((sine < 1e-9)[..., None], across, axis / np.maximum(sine, 1e-12)[..., None])
    return rot.exp_so3(axis * np.arctan2(sine, cosine)[..., None])
