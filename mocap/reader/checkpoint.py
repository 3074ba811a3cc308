# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""reader.pt: a trained reader and, for going on with its training, the training's state.

One ``torch.save`` of plain values and tensors; loaded with ``weights_only=True``, so that a file from
elsewhere cannot run code.
"""

from __future__ import annotations

import os
import pickle
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .. import __version__, files
from ..errors import BadInput
from ..layout import Layout
from . import backbones
from .config import CompactConfig, Dinov2Config, TrainConfig, backbone_config, train_config
from .predict import Reader
from .uncertainty import Uncertainty

SCHEMA = 3
KIND = "anymove.reader"


@dataclass(frozen=True)
class Checkpoint:
    """Everything in reader.pt.

    ``weights`` are the averaged ones, which read; ``state`` holds what training goes on from (raw
    weights, optimisers, epoch, step, schedule, random state); ``figures`` the held-out errors.
    """

    creature: str
    rig_digest: str
    joint_names: tuple[str, ...]
    joint_kinds: tuple[str, ...]
    joint_colours: tuple[tuple[float, float, float], ...]
    part_names: tuple[str, ...]
    """The body parts of the masks; the backdrop comes after them."""
    part_limbs: tuple[int, ...]
    """Each part's limb, an index into the skeleton's, -1 where it belongs to none."""
    layout: Layout
    height_px: tuple[float, ...]
    backbone: CompactConfig | Dinov2Config
    why: str
    """Why this backbone was chosen."""
    train: TrainConfig
    weights: dict[str, Tensor]
    uncertainty: Uncertainty
    figures: dict[str, Any] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)

    def save(self, path: str | os.PathLike) -> None:
        data = {
            "schema": SCHEMA,
            "kind": KIND,
            "tool_version": __version__,
            "creature": self.creature,
            "rig_digest": self.rig_digest,
            "joints": list(self.joint_names),
            "joint_kinds": list(self.joint_kinds),
            "joint_colours": [list(colour) for colour in self.joint_colours],
            "parts": list(self.part_names),
            "part_limbs": list(self.part_limbs),
            "layout": self.layout.to_json(),
            "height_px": list(self.height_px),
            "backbone": self.backbone.model_dump(mode="json"),
            "why": self.why,
            "train": self.train.model_dump(mode="json"),
            "weights": {name: value.detach().cpu() for name, value in self.weights.items()},
            "uncertainty": self.uncertainty.to_json(),
            "figures": self.figures,
            "state": self.state,
        }
        with files.atomic_path(path) as temporary:
            torch.save(data, temporary)

    @property
    def is_marker(self) -> np.ndarray:
        """(J,) bool."""
        return np.array([kind == "marker" for kind in self.joint_kinds], bool)

    def reader(self, device: str = "cpu") -> Reader:
        """The network with the averaged weights, ready to read on ``device`` (a kind: "cuda", "cpu")."""
        net = backbones.build(
            self.backbone, len(self.joint_names), len(self.part_names), len(self.layout.views)
        )
        net.load_state_dict(self.weights)
        return Reader(
            net.to(device).eval(),
            self.backbone.input_size,
            self.layout,
            np.array(self.height_px),
            self.uncertainty,
            torch.device(device),
            self.train.precision,
            self.train.channels_last,
        )

    def check_rig(self, rig_digest: str, path: str | os.PathLike) -> None:
        if self.rig_digest != rig_digest:
            raise BadInput(
                f"{path}: this reader was trained on another rig or layout "
                f"({self.rig_digest[:8]}, not {rig_digest[:8]}); train one for this rig"
            )


def load(path: str | os.PathLike, map_location: str | torch.device = "cpu") -> Checkpoint:
    """Read reader.pt. Raises BadInput with one line where it is not one."""
    target = files.existing_file(Path(path), "reader")
    try:
        data = torch.load(target, map_location=map_location, weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError, KeyError, OSError) as error:
        raise BadInput(f"{path}: not a reader (torch cannot load it as plain weights)") from error
    if not isinstance(data, dict) or data.get("kind") != KIND:
        raise BadInput(f"{path}: not a reader (a reader.pt made by mocap.reader.train was expected)")
    files.check_schema(data, SCHEMA, "reader", path)
    return files.parse(path, "reader", lambda: _from(data, str(path)))


def _from(data: dict[str, Any], where: str) -> Checkpoint:
    return Checkpoint(
        data["creature"],
        data["rig_digest"],
        tuple(data["joints"]),
        tuple(data["joint_kinds"]),
        tuple(tuple(colour) for colour in data["joint_colours"]),
        tuple(data["parts"]),
        tuple(int(limb) for limb in data["part_limbs"]),
        Layout.from_json(data["layout"]),
        tuple(data["height_px"]),
        backbone_config(data["backbone"], where),
        data["why"],
        train_config(data["train"], where),
        data["weights"],
        Uncertainty.from_json(data["uncertainty"]),
        data["figures"],
        data["state"],
    )
