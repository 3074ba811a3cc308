# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""start.pt: the trunk that a compact reader may begin with instead of noise (made by mocap.reader.pretrain)."""

from __future__ import annotations

import os

import torch
from torch import Tensor

from .. import files
from ..errors import BadInput
from . import plain
from .config import CompactConfig

SCHEMA = 1
KIND = "anymove.start"


def save(
    path: str | os.PathLike,
    config: CompactConfig,
    trunk: dict[str, Tensor],
    creatures: list[str],
    steps: int,
) -> None:
    """Half precision: a beginning needs no more, and the file is half as large."""
    halves = {name: value.half() if value.is_floating_point() else value for name, value in trunk.items()}
    data = {
        "schema": SCHEMA,
        "kind": KIND,
        "backbone": config.model_dump(mode="json"),
        "trunk": halves,
        "creatures": creatures,
        "steps": steps,
    }
    with files.atomic_path(path) as temporary:
        torch.save(data, temporary)


def load(path: str | os.PathLike, config: CompactConfig) -> dict[str, Tensor]:
    """The trunk's state in float32. Raises BadInput where the file is not one, or is for another network."""
    data = plain.load(path, "start", KIND, SCHEMA, "mocap.reader.pretrain")
    if data.get("backbone") != config.model_dump(mode="json"):
        raise BadInput(
            f"{path}: this start is for a network of another shape; make one anew with mocap.reader.pretrain"
        )
    return {
        name: value.float() if value.is_floating_point() else value for name, value in data["trunk"].items()
    }
