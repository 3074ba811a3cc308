# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A trained reader from its file, whatever runs it."""

from __future__ import annotations

import os
from pathlib import Path

from . import onnx_file
from .reading import Card, Reader


def open_reader(path: str | os.PathLike, threads: int | None = None) -> tuple[Card, Reader, str]:
    """The reader's card, the reader, and what runs it. reader.onnx needs no torch."""
    if Path(path).suffix == ".onnx":
        card, reader = onnx_file.load(path, threads)
        return card, reader, "in onnxruntime on the CPU"
    # torch takes seconds to import, and reader.onnx does without it.
    from .. import devices
    from . import checkpoint

    loaded = checkpoint.load(path)
    devices.limit_threads(threads)
    device = devices.best()
    return loaded.card, loaded.reader(device.kind), f"on {device.kind} ({device.name})"
