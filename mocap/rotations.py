# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Batched rotations. Quaternions are wxyz (Blender's order), matrices act on column vectors.

Own code rather than scipy's ``Rotation`` because Blender's Python has no scipy; tested against scipy.
"""

from __future__ import annotations

import numpy as np

Array = np.ndarray
_TINY = 1e-12


def hat(v: Array) -> Array:
    """Cross-product matrix: ``hat(v) @ w == cross(v, w)``. (..., 3) -> (..., 3, 3)."""
    out = np.zeros((*v.shape, 3))
    out[..., 2, 1], out[..., 0, 2], out[..., 1, 0] = v[..., 0], v[..., 1], v[..., 2]
    return out - np.swapaxes(out, -1, -2)


def exp_so3(v: Array) -> Array:
    """Rotation vector (radians) to matrix, Rodrigues' formula. (..., 3) -> (..., 3, 3)."""
    v = np.asarray(v, float)
    angle2 = (v * v).sum(-1)[..., None, None]
    angle = np.sqrt(angle2)
    small = angle < 1e-4
    safe = np.where(small, 1.0, angle)
    a = np.where(small, 1 - angle2 / 6, np.sin(safe) / safe)
    b = np.where(small, 0.5 - angle2 / 24, (1 - np.cos(safe)) / (safe * safe))
    k = hat(v)
    return np.eye(3) + a * k + b * (k @ k)


def log_so3(matrix: Array) -> Array:
    """Matrix to the shortest rotation vector (radians). (..., 3, 3) -> (..., 3)."""
    return quat_to_rotvec(matrix_to_quat(matrix))


def quat_normalize(q: Array) -> Array:
    return q / np.maximum(np.linalg.norm(q, axis=-1, keepdims=True), _TINY)


def quat_multiply(a: Array, b: Array) -> Array:
    """Hamilton product: the rotation ``a @ b`` (first b, then a)."""
    aw, ax, ay, az = np.moveaxis(np.asarray(a, float), -1, 0)
    bw, bx, by, bz = np.moveaxis(np.asarray(b, float), -1, 0)
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        -1,
    )


def quat_conjugate(q: Array) -> Array:
    return np.asarray(q, float) * np.array([1.0, -1.0, -1.0, -1.0])


def quat_to_matrix(q: Array) -> Array:
    w, x, y, z = np.moveaxis(quat_normalize(np.asarray(q, float)), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, -1) for row in rows], -2)


def matrix_to_quat(m: Array) -> Array:
    """Matrix to quaternion with w >= 0. Shepperd's method: the largest of the four candidates is kept."""
    m = np.asarray(m, float)
    d0, d1, d2 = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    a, b, c = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    d, e, f = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
    diagonal = np.stack([1 + d0 + d1 + d2, 1 + d0 - d1 - d2, 1 - d0 + d1 - d2, 1 - d0 - d1 + d2], -1)
    rows = [
        [diagonal[..., 0], a, b, c],
        [a, diagonal[..., 1], d, e],
        [b, d, diagonal[..., 2], f],
        [c, e, f, diagonal[..., 3]],
    ]
    candidates = np.stack([np.stack(row, -1) for row in rows], -2)
    best = np.argmax(diagonal, -1)[..., None, None]
    q = quat_normalize(np.take_along_axis(candidates, best, -2)[..., 0, :])
    return np.where(q[..., :1] < 0, -q, q)


def quat_to_rotvec(q: Array) -> Array:
    q = np.where(q[..., :1] < 0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(sine, q[..., :1])
    small = sine < 1e-8
    return q[..., 1:] * np.where(small, 2.0, angle / np.where(small, 1.0, sine))


def rotvec_to_quat(v: Array) -> Array:
    v = np.asarray(v, float)
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.concatenate([np.cos(angle / 2), 0.5 * v * np.sinc(angle / (2 * np.pi))], -1)


def quat_continuous(q: Array) -> Array:
    """Flip signs along axis 0 so that neighbouring frames lie in one hemisphere. (T, ..., 4)."""
    q = np.array(q, float)
    if len(q) < 2:
        return q
    flips = np.where((q[1:] * q[:-1]).sum(-1) < 0, -1.0, 1.0)
    q[1:] *= np.cumprod(flips, axis=0)[..., None]
    return q


def quat_slerp(a: Array, b: Array, t: Array) -> Array:
    """Spherical interpolation along the shorter arc; ``t`` broadcasts against the batch shape."""
    step = quat_to_rotvec(quat_multiply(quat_conjugate(a), b))
    return quat_multiply(a, rotvec_to_quat(step * np.asarray(t)[..., None]))


def euler_to_matrix(e: Array) -> Array:
    """Blender's XYZ Euler (radians): ``Rz @ Ry @ Rx``. (..., 3) -> (..., 3, 3)."""
    e = np.asarray(e, float)
    (cx, cy, cz), (sx, sy, sz) = np.moveaxis(np.cos(e), -1, 0), np.moveaxis(np.sin(e), -1, 0)
    out = np.empty((*e.shape, 3))
    out[..., 0, 0], out[..., 0, 1], out[..., 0, 2] = cy * cz, sx * sy * cz - cx * sz, cx * sy * cz + sx * sz
    out[..., 1, 0], out[..., 1, 1], out[..., 1, 2] = cy * sz, sx * sy * sz + cx * cz, cx * sy * sz - sx * cz
    out[..., 2, 0], out[..., 2, 1], out[..., 2, 2] = -sy, sx * cy, cx * cy
    return out


def matrix_to_euler(m: Array) -> Array:
    """Matrix to Blender's XYZ Euler (radians), y in [-90, 90] degrees; at the poles x is 0."""
    m = np.asarray(m, float)
    y = np.arcsin(np.clip(-m[..., 2, 0], -1, 1))
    pole = np.abs(m[..., 2, 0]) > 1 - 1e-9
    x = np.where(pole, 0.0, np.arctan2(m[..., 2, 1], m[..., 2, 2]))
    z = np.where(pole, np.arctan2(-m[..., 0, 1], m[..., 1, 1]), np.arctan2(m[..., 1, 0], m[..., 0, 0]))
    return np.stack([x, y, z], -1)


def euler_near(e: Array, low: Array, high: Array) -> Array:
    """Of the two XYZ Euler triples of one rotation, the one that breaks [low, high] less. Radians."""
    other = np.stack([e[..., 0] + np.pi, np.pi - e[..., 1], e[..., 2] + np.pi], -1)
    middle = (low + high) / 2
    wrap = lambda angles: middle + (angles - middle + np.pi) % (2 * np.pi) - np.pi  # noqa: E731
    first, second = wrap(e), wrap(other)
    breach = lambda a: (np.maximum(low - a, 0) + np.maximum(a - high, 0)).sum(-1, keepdims=True)  # noqa: E731
    return np.where(breach(second) < breach(first) - 1e-9, second, first)


def euler_continuous(e: Array) -> Array:
    """Of all XYZ Euler triples of each rotation, those nearest to the frame before, along axis 0. (T, ..., 3),
    radians: no jump by a turn, none to the other triple."""
    out = np.array(e, float)
    for frame in range(1, len(out)):
        x, y, z = np.moveaxis(out[frame], -1, 0)
        both = np.stack([out[frame], np.stack([x + np.pi, np.pi - y, z + np.pi], -1)])
        both -= 2 * np.pi * np.round((both - out[frame - 1]) / (2 * np.pi))
        far = np.abs(both - out[frame - 1]).sum(-1)
        out[frame] = np.where((far[1] < far[0] - 1e-9)[..., None], both[1], both[0])
    return out


def swing_twist(q: Array, axis: Array) -> tuple[Array, Array]:
    """Split ``q = swing * twist``, twist about the unit ``axis``. Returns two quaternions."""
    along = (q[..., 1:] * axis).sum(-1, keepdims=True)
    twist = np.concatenate([q[..., :1], along * axis], -1)
    norm = np.linalg.norm(twist, axis=-1, keepdims=True)
    identity = np.zeros_like(twist)
    identity[..., 0] = 1
    twist = np.where(norm > 1e-9, twist / np.maximum(norm, 1e-9), identity)
    return quat_multiply(q, quat_conjugate(twist)), twist


def angle_between(a: Array, b: Array) -> Array:
    """Geodesic distance in radians between rotation matrices."""
    trace = np.einsum("...ij,...ij->...", a, b)
    return np.arccos(np.clip((trace - 1) / 2, -1, 1))
