# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Write 8-bit RGBA pictures as PNG with numpy and zlib: several times faster than through Blender's images,
and the same bytes for the same pixels."""

from __future__ import annotations

import struct
import zlib

import numpy as np

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_RGBA = 6
_SUB = 1
"""Each pixel as the difference to its left neighbour: smooth renders pack better, and numpy does it at once."""


def encode(pixels: np.ndarray, level: int = 1) -> bytes:
    """(H, W, 4) uint8, top row first, alpha straight -> the bytes of a PNG file."""
    height, width = pixels.shape[:2]
    rows = np.empty((height, 1 + 4 * width), np.uint8)
    rows[:, 0] = _SUB
    flat = np.ascontiguousarray(pixels).reshape(height, 4 * width)
    rows[:, 1:5] = flat[:, :4]
    np.subtract(flat[:, 4:], flat[:, :-4], out=rows[:, 5:])
    header = struct.pack(">IIBBBBB", width, height, 8, _RGBA, 0, 0, 0)
    return b"".join(
        (
            _SIGNATURE,
            _chunk(b"IHDR", header),
            _chunk(b"IDAT", zlib.compress(rows.tobytes(), level)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
