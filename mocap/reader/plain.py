# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Files of plain values and tensors: loaded with ``weights_only=True``, so that one from elsewhere cannot run code."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import torch

from .. import files
from ..errors import BadInput


def load(
    path: str | os.PathLike,
    what: str,
    kind: str,
    schema: int,
    made_by: str,
    where: str | torch.device = "cpu",
) -> dict[str, Any]:
    """The dict in a file of ``kind`` and ``schema``; ``what`` names it in the one line of BadInput that anything else
    ends in, ``made_by`` where such files come from."""
    target = files.existing_file(Path(path), what)
    try:
        data = torch.load(target, map_location=where, weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError, KeyError, OSError) as error:
        raise BadInput(f"{path}: not a {what} (torch cannot load it as plain weights)") from error
    if not isinstance(data, dict) or data.get("kind") != kind:
        raise BadInput(f"{path}: not a {what} (one made by {made_by} was expected)")
    files.check_schema(data, schema, what, path)
    return data


def save(path: str | os.PathLike, kind: str, schema: int, values: dict[str, Any]) -> None:
    """Write plain ``values`` as a file of ``kind`` and ``schema``, whole or not at all."""
    with files.atomic_path(path) as temporary:
        torch.save({"schema": schema, "kind": kind, **values}, temporary)
