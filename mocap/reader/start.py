# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""start.pt: the trunk that a compact reader may begin with instead of noise (made by mocap.reader.pretrain)."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import torch
from torch import Tensor

from .. import files
from ..errors import BadInput

SCHEMA = 1
KIND = "anymove.start"


def save(path: str | os.PathLike, trunk: dict[str, Tensor], creatures: list[str], steps: int) -> None:
    """Half precision: a beginning needs no more, and the file is half as large."""
    halves = {name: value.half() if value.is_floating_point() else value for name, value in trunk.items()}
    data = {"schema": SCHEMA, "kind": KIND, "trunk": halves, "creatures": creatures, "steps": steps}
    with files.atomic_path(path) as temporary:
        torch.save(data, temporary)


def load(path: str | os.PathLike) -> dict[str, Tensor]:
    """The trunk's state in float32. Raises BadInput where the file is not one."""
    target = files.existing_file(Path(path), "start")
    try:
        data = torch.load(target, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError, KeyError, OSError) as error:
        raise BadInput(f"{path}: not a start (torch cannot load it as plain weights)") from error
    if not isinstance(data, dict) or data.get("kind") != KIND:
        raise BadInput(f"{path}: not a start (one made by mocap.reader.pretrain was expected)")
    files.check_schema(data, SCHEMA, "start", path)
    return {
        name: value.float() if value.is_floating_point() else value for name, value in data["trunk"].items()
    }
