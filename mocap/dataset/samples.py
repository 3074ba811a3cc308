# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Samples on disk: ``00000_front.png``, ``00000_side.png`` and ``00000_meta.json``.

The meta file is written last and holds the digest of each picture, so a sample is whole exactly when
its meta file reads and the digests agree; anything else is rendered again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import files
from ..errors import BadInput

SCHEMA = 2
_META = re.compile(r"^(\d{5,})_meta\.json$")


class ViewLabels(NamedTuple):
    """What is true of one view of one sample; J joints, in the skeleton's order."""

    positions: np.ndarray
    """(J, 2) panel pixels."""
    depth: np.ndarray
    """(J,) metres along the view."""
    visible: np.ndarray
    """(J,) bool: inside the panel, and the surface in front of the joint belongs to it."""


@dataclass(frozen=True)
class SampleMeta:
    """Labels and provenance of one sample."""

    index: int
    seed: int
    engine: str
    rig_digest: str
    blurred: bool
    root: np.ndarray
    quats: np.ndarray
    views: dict[str, ViewLabels]
    digests: dict[str, str]
    painted: bool = True
    """Limbs in the paint's colours, not in the rig's own materials."""
    shadows: bool = False
    """Cast shadows: on the creature itself and, with Cycles, on the floor (dark in the picture's alpha)."""
    skin_digest: str = ""
    """Of the mesh, its weights and its paint, as rendered (addon/studio/skin.py)."""

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "kind": "anymove.sample",
            "index": self.index,
            "seed": self.seed,
            "engine": self.engine,
            "rig_digest": self.rig_digest,
            "skin_digest": self.skin_digest,
            "blurred": self.blurred,
            "painted": self.painted,
            "shadows": self.shadows,
            "root_m": np.round(self.root, 7).tolist(),
            "rotations_wxyz": np.round(self.quats, 7).tolist(),
            "views": {
                name: {
                    "positions_px": np.round(v.positions, 4).tolist(),
                    "depth_m": np.round(v.depth, 6).tolist(),
                    "visible": [bool(x) for x in v.visible],
                    "digest": self.digests[name],
                }
                for name, v in self.views.items()
            },
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> SampleMeta:
        views = {
            name: ViewLabels(
                np.array(v["positions_px"], float).reshape(-1, 2),
                np.array(v["depth_m"], float),
                np.array(v["visible"], bool),
            )
            for name, v in data["views"].items()
        }
        return cls(
            int(data["index"]),
            int(data["seed"]),
            data["engine"],
            data["rig_digest"],
            bool(data["blurred"]),
            np.array(data["root_m"], float),
            np.array(data["rotations_wxyz"], float),
            views,
            {name: v["digest"] for name, v in data["views"].items()},
            bool(data["painted"]),
            bool(data["shadows"]),
            data["skin_digest"],
        )


def picture_path(folder: Path, index: int, view: str) -> Path:
    return folder / f"{index:05d}_{view}.png"


def meta_path(folder: Path, index: int) -> Path:
    return folder / f"{index:05d}_meta.json"


def write_meta(folder: Path, meta: SampleMeta) -> None:
    """Finish a sample whose pictures are already on disk."""
    files.write_json(meta_path(folder, meta.index), meta.to_json())


def read_meta(path: Path) -> SampleMeta:
    data = files.read_json(path, "sample")
    files.check_schema(data, SCHEMA, "sample", path)
    return files.parse(path, "sample", lambda: SampleMeta.from_json(data))


def indices(folder: Path) -> list[int]:
    """Indices that have a meta file, sorted."""
    if not folder.is_dir():
        return []
    return sorted(int(m.group(1)) for p in folder.iterdir() if (m := _META.match(p.name)))


def any_meta(folder: Path) -> SampleMeta | None:
    """The first sample of the folder whose meta file reads."""
    for index in indices(folder):
        try:
            return read_meta(meta_path(folder, index))
        except BadInput:
            continue
    return None


def fault(
    folder: Path, index: int, rig_digest: str | None = None, skin_digest: str | None = None
) -> str | None:
    """Why sample ``index`` cannot be used ("missing", "torn", "stale", "reskinned"), or None where it is
    whole."""
    path = meta_path(folder, index)
    if not path.exists():
        return "missing"
    try:
        meta = read_meta(path)
    except BadInput:
        return "torn"
    if rig_digest is not None and meta.rig_digest != rig_digest:
        return "stale"
    if skin_digest is not None and meta.skin_digest != skin_digest:
        return "reskinned"
    for view, expected in meta.digests.items():
        picture = picture_path(folder, index, view)
        if not picture.exists() or files.digest_file(picture) != expected:
            return "torn"
    return None


def load_all(folder: Path, rig_digest: str) -> list[SampleMeta]:
    """Every whole sample of this rig, in order. Raises BadInput where there is none, one is stale, or they show
    more than one skin."""
    found = indices(folder)
    if not found:
        raise BadInput(f"{folder}: no samples here; render some with tools/dataset.sh")
    metas = []
    for index in found:
        why = fault(folder, index, rig_digest)
        if why == "stale":
            raise BadInput(
                f"{meta_path(folder, index)}: rendered from another rig or layout; "
                f"move {folder} away and render it anew"
            )
        if why is None:
            metas.append(read_meta(meta_path(folder, index)))
    if not metas:
        raise BadInput(f"{folder}: every sample is torn; run tools/dataset.sh again to redo them")
    skins = {meta.skin_digest for meta in metas}
    if len(skins) > 1:
        raise BadInput(
            f"{folder}: samples of {len(skins)} meshes or paints lie together; "
            "python -m mocap.dataset.check tells which"
        )
    return metas
