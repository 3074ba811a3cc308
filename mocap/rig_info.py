# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""rig_info.json: what adopting a rig produces beside rigged.blend, and what every later step reads."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from . import __version__, files
from .errors import BadInput
from .layout import Layout
from .skeleton import Skeleton

SCHEMA = 2


@dataclass(frozen=True)
class RigInfo:
    """A skeleton, the layout fitted to it, its real height, and where it came from.

    ``digest`` covers what readers and motions depend on (skeleton and layout), not the provenance, so
    that adopting the same rig twice gives the same digest.
    """

    skeleton: Skeleton
    layout: Layout
    height_cm: float
    clips: tuple[str, ...] = ()
    """Names of the rig's own clips, baked to ``clips/<name>.json`` beside this file."""
    source: dict[str, Any] = field(default_factory=dict)
    """File, digest, the matrix from the source's world to ours, bones dropped and re-parented."""

    def __post_init__(self) -> None:
        if not self.height_cm > 0:
            raise ValueError(f"height_cm is {self.height_cm}, it must be positive")

    @cached_property
    def digest(self) -> str:
        return files.digest_json({"skeleton": self.skeleton.to_json(), "layout": self.layout.to_json()})

    @property
    def cm_per_metre(self) -> float:
        """Real centimetres per metre of the rig's world (100 where the rig is built at real size)."""
        return self.height_cm / self.skeleton.height

    def save(self, path: str | os.PathLike) -> None:
        files.write_json(
            path,
            {
                "schema": SCHEMA,
                "kind": "anymove.rig_info",
                "tool_version": __version__,
                "height_cm": self.height_cm,
                "skeleton": self.skeleton.to_json(),
                "layout": self.layout.to_json(),
                "clips": list(self.clips),
                "source": self.source,
            },
            indent=1,
        )

    @classmethod
    def load(cls, path: str | os.PathLike) -> RigInfo:
        data = files.read_json(path, "rig_info")
        files.check_schema(data, SCHEMA, "rig_info", path)
        return files.parse(
            path,
            "rig_info",
            lambda: cls(
                Skeleton.from_json(data["skeleton"]),
                Layout.from_json(data["layout"]),
                float(data["height_cm"]),
                tuple(data["clips"]),
                data["source"],
            ),
        )


@dataclass(frozen=True)
class CreaturePaths:
    """The files of one creature. ``home`` is assets/<c>, ``runs`` is runs/<c> beside assets."""

    home: Path

    @property
    def name(self) -> str:
        return self.home.name

    @property
    def runs(self) -> Path:
        return self.home.parent.parent / "runs" / self.name

    @property
    def creature(self) -> Path:
        return self.home / "creature.json"

    @property
    def rig_info(self) -> Path:
        return self.home / "rigged" / "rig_info.json"

    @property
    def rigged(self) -> Path:
        return self.home / "rigged" / "rigged.blend"

    @property
    def skin(self) -> Path:
        return self.home / "rigged" / "skin.npz"

    @property
    def dataset(self) -> Path:
        return self.runs / "dataset"

    @property
    def shifted(self) -> Path:
        """Samples that look otherwise than the dataset's, never trained on."""
        return self.runs / "shifted"

    @property
    def reader(self) -> Path:
        return self.runs / "reader.pt"

    @property
    def reference(self) -> Path:
        return self.runs / "ref" / "ref.png"


def creature_paths(creature: str | os.PathLike | None) -> CreaturePaths:
    """``creature`` is a folder such as assets/wolf, or None for the environment's MOCAP_CREATURE."""
    chosen = creature or os.environ.get("MOCAP_CREATURE")
    if not chosen:
        raise BadInput("no creature given: pass --creature assets/<name> or set MOCAP_CREATURE")
    home = Path(chosen)
    if not home.is_dir():
        raise BadInput(f"{home}: no such creature folder; make it with tools/rig.sh {home.name} FILE")
    return CreaturePaths(home.resolve())
