# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Choosing and building a backbone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from torch import Tensor

from ..devices import Probe
from .compact import CompactTrunk
from .config import DINOV2_SIZES, CompactConfig, Dinov2Config
from .heads import ReaderNet

NAMES = ("auto", "compact", "dinov2")


class Choice(NamedTuple):
    """A backbone's configuration, its pretrained weights (None: from scratch), and why it was chosen."""

    config: CompactConfig | Dinov2Config
    weights: dict[str, Tensor] | None
    why: str


def choose(name: str, weights: str | None, device: Probe) -> Choice:
    """``name`` is one of NAMES. "auto" takes dinov2 only where a GPU works and its weights are here.

    Raises BadInput where dinov2 is asked for and its weights cannot be had.
    """
    source = source_of(weights)
    if name == "compact":
        return Choice(CompactConfig(), None, "asked for")
    if name == "dinov2":
        return _pretrained(source, "asked for")
    if device.kind == "cpu":
        return Choice(CompactConfig(), None, "no GPU works here, and dinov2 is too slow on a CPU")
    if not weights_present(source):
        return Choice(CompactConfig(), None, f"the weights of {source} are not on this machine")
    return _pretrained(source, f"{device.name} works and the weights of {source} are here")


def source_of(weights: str | None) -> str:
    """A hub name or folder; "small", "base" (the default) and "large" are short for the hub's."""
    return DINOV2_SIZES.get(weights or "base", weights)


def _pretrained(source: str, why: str) -> Choice:
    # transformers takes seconds to import: only where it is used.
    from . import dinov2

    here = weights_present(source)
    config, weights = dinov2.load_pretrained(Dinov2Config(weights=source), offline=here or _offline())
    return Choice(config, weights, why)


def weights_present(source: str) -> bool:
    """Whether ``source`` is a folder with a model, or a hub name that the local cache holds."""
    if Path(source).is_dir():
        return (Path(source) / "config.json").is_file()
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        return isinstance(try_to_load_from_cache(source, "model.safetensors"), str)
    except HFValidationError:
        return False


def _offline() -> bool:
    return any(
        os.environ.get(name, "0") not in ("", "0") for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
    )


def build(config: CompactConfig | Dinov2Config, joints: int, parts: int, views: int) -> ReaderNet:
    """The network, its own part initialised at random (seed torch first)."""
    if config.kind == "compact":
        return ReaderNet(CompactTrunk(config, views), joints, parts, views)
    from .dinov2 import Dinov2Trunk

    return ReaderNet(Dinov2Trunk(config, views), joints, parts, views)
