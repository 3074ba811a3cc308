# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""reader.onnx: a trained reader that runs without torch, in onnxruntime. Its card is in the file's metadata."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np

from .. import files
from ..errors import BadInput
from .reading import Card, Outputs, Reader

SCHEMA = 2
CARD_KEY = "anymove.reader"
INPUTS = ("pictures", "framings")
OUTPUTS = ("positions", "sigma", "visible", "depth", "masks")


class OnnxEngine:
    """A reading.Engine: onnxruntime on the CPU."""

    def __init__(self, session, views: int) -> None:
        self.session, self.views = session, views

    def __call__(self, pictures: np.ndarray, framings: np.ndarray, masks: bool) -> Outputs:
        frames = pictures.reshape(-1, self.views, *pictures.shape[1:])
        where = framings.reshape(-1, self.views, 2, 3).astype(np.float32)
        wanted = OUTPUTS if masks else OUTPUTS[:-1]
        found = self.session.run(list(wanted), dict(zip(INPUTS, (frames, where))))
        numbers = (array.astype(np.float64) for array in found[:4])
        return Outputs(*numbers, found[4].astype(np.float16) if masks else None)


def load(path: str | os.PathLike, threads: int | None = None) -> tuple[Card, Reader]:
    """Raises BadInput with one line where the file is no reader, or onnxruntime is not installed."""
    target = files.existing_file(Path(path), "reader")
    try:
        import onnxruntime
    except ImportError as error:
        raise BadInput(
            f"{path}: onnxruntime is not installed; pip install onnxruntime, or use reader.pt"
        ) from error
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    if threads:
        options.intra_op_num_threads = threads
    try:
        session = onnxruntime.InferenceSession(str(target), options, ["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's own exceptions share no other base
        raise BadInput(f"{path}: not a reader (onnxruntime cannot load it)") from error
    kept = session.get_modelmeta().custom_metadata_map.get(CARD_KEY)
    if kept is None:
        raise BadInput(f"{path}: not a reader (a reader.onnx made by mocap.reader.export was expected)")
    data = json.loads(kept)
    files.check_schema(data, SCHEMA, "reader", path)
    card = files.parse(path, "reader", lambda: Card.from_json(data["card"]))
    return card, Reader.of(OnnxEngine(session, len(card.layout.views)), card)
