# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Which bone of the target follows which of the source: an editable file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from .. import __version__, files
from ..errors import BadInput
from ..rig_info import RigInfo

SCHEMA = 1
KIND = "anymove.retarget"


@dataclass(frozen=True)
class Mapping:
    """``bones``: target bone -> {source bone: weight}; a target bone that is not in it keeps its rest pose on its
    parent. ``legs``: target limb -> source limb whose foot it sets down. ``aligned``: target limbs whose rest pose
    counts as another pose, not as the same: their bones point where the source's point."""

    source: str
    target: str
    """Digests of the two rig_infos."""
    bones: dict[str, dict[str, float]]
    legs: dict[str, str]
    aligned: tuple[str, ...] = ()

    def check(self, source: RigInfo, target: RigInfo, where: str | os.PathLike) -> None:
        """Raises BadInput, naming the entry and what to write instead."""
        for digest, info, role in ((self.source, source, "source"), (self.target, target, "target")):
            if digest != info.digest:
                raise BadInput(
                    f"{where}: made for another {role} rig ({digest[:8]}, not {info.digest[:8]}); delete it to have "
                    "it proposed anew"
                )
        _known(self.bones, target.skeleton.bone_names, "bones", "target bone", where)
        for bone, weights in self.bones.items():
            _known(weights, source.skeleton.bone_names, f"bones, {bone}", "source bone", where)
            if not weights or not all(weight > 0 for weight in weights.values()):
                raise BadInput(
                    f"{where}: bones, {bone}: weights must be positive; leave the bone out to keep it still"
                )
        limbs = [limb.name for limb in target.skeleton.limbs]
        _known(self.legs, limbs, "legs", "target limb", where)
        _known(
            self.legs.values(), [limb.name for limb in source.skeleton.limbs], "legs", "source limb", where
        )
        _known(self.aligned, limbs, "aligned", "target limb", where)

    def save(self, path: str | os.PathLike) -> None:
        files.write_json(
            path,
            {
                "schema": SCHEMA,
                "kind": KIND,
                "tool_version": __version__,
                "source": self.source,
                "target": self.target,
                "legs": self.legs,
                "aligned": list(self.aligned),
                "bones": self.bones,
            },
            indent=1,
        )

    @classmethod
    def load(cls, path: str | os.PathLike) -> Mapping:
        data = files.read_json(path, "mapping")
        files.check_schema(data, SCHEMA, "mapping", path)
        return files.parse(path, "mapping", lambda: _parsed(data))


def _parsed(data: dict[str, Any]) -> Mapping:
    bones = {
        bone: {name: float(weight) for name, weight in weights.items()}
        for bone, weights in data["bones"].items()
    }
    return Mapping(data["source"], data["target"], bones, dict(data["legs"]), tuple(data["aligned"]))


def _known(names, there, place: str, what: str, where: str | os.PathLike) -> None:
    for name in names:
        if name not in there:
            raise BadInput(f"{where}: {place}: there is no {what} {name!r} (there is: {', '.join(there)})")
