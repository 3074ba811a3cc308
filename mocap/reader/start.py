# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""start.pt: what a compact reader begins with instead of noise (made by mocap.reader.pretrain): the modules that fit
every creature. One comes with the toolkit."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from ..errors import BadInput
from . import backbones, plain
from .config import CompactConfig

SCHEMA = 2
KIND = "anymove.start"
_FILE = ("start", KIND, SCHEMA, "mocap.reader.pretrain")
SHIPPED = Path(__file__).with_name("compact_start.pt")
"""Trained on creatures that none of the figures in the docs are measured on; docs/reader.md lists them."""

SHIPPED_NAME, NONE = "shipped", "none"


def named(asked: str) -> str:
    """What a checkpoint remembers of a start that was asked for: an absolute path, or one of the two names."""
    return asked if asked in (SHIPPED_NAME, NONE) else str(Path(asked).absolute())


def path_of(name: str) -> Path:
    return SHIPPED if name == SHIPPED_NAME else Path(name)


def save(
    path: str | os.PathLike,
    config: CompactConfig,
    common: dict[str, Tensor],
    creatures: list[str],
    steps: int,
    earlier: list[dict[str, Any]],
) -> None:
    """Half precision: a beginning needs no more, and the file is half as large. ``common``: the state of
    ``ReaderNet.common``, with its names in the network; ``earlier``: the history of the start that it went on from."""
    halves = {name: value.half() if value.is_floating_point() else value for name, value in common.items()}
    data = {
        "backbone": config.model_dump(mode="json"),
        "common": halves,
        "history": [*earlier, {"creatures": creatures, "steps": steps}],
    }
    plain.save(path, KIND, SCHEMA, data)


def load(path: str | os.PathLike, config: CompactConfig, views: int) -> dict[str, Tensor]:
    """The state in float32. Raises BadInput where the file is not one, or is for another network."""
    data = plain.load(path, *_FILE)
    common = data.get("common", {})
    wanted = _shapes(config, views)
    if data.get("backbone") != config.model_dump(mode="json") or wanted != _shapes_of(common):
        raise BadInput(
            f"{path}: this start is for a network of another shape; make one anew with mocap.reader.pretrain"
        )
    return {name: value.float() if value.is_floating_point() else value for name, value in common.items()}


def history(path: str | os.PathLike) -> list[dict[str, Any]]:
    """How a start was made: creatures and steps of each stretch."""
    return plain.load(path, *_FILE)["history"]


def state_of(net: backbones.ReaderNet) -> dict[str, Tensor]:
    """The state of the modules that fit every creature, with their names in the network."""
    kept = tuple(f"{name}." for name in net.common())
    return {name: value for name, value in net.state_dict().items() if name.startswith(kept)}


def _shapes(config: CompactConfig, views: int) -> dict[str, tuple[int, ...]]:
    with torch.device("meta"):
        return _shapes_of(state_of(backbones.build(config, 1, 1, views)))


def _shapes_of(state: dict[str, Tensor]) -> dict[str, tuple[int, ...]]:
    return {name: tuple(value.shape) for name, value in state.items()}
