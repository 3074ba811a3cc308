# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""From motion file to motion file, with the mapping beside the target's rig_info.json."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from ..errors import BadInput
from ..motion import Motion
from ..rig_info import RigInfo
from .carry import transfer
from .judgement import figures
from .mapping import Mapping
from .proposal import propose


class Order(NamedTuple):
    source: Path
    """rig_info.json that the motion is for."""
    motion: Path
    target: Path
    """rig_info.json of the other rig."""
    out: Path
    mapping: Path | None = None
    """None: ``default_mapping``. Used as it is where it exists, else proposed and written there."""
    align: str | None = None
    """One of ``proposal.ALIGN``; None: auto, or as the mapping that exists has it."""
    set_feet: bool = True


class Copied(NamedTuple):
    motion: Motion
    mapping: Path
    proposed: bool
    """The mapping is new."""
    figures: dict[str, Any]


def default_mapping(source: RigInfo, target: Path) -> Path:
    return target.parent / f"from_{source.skeleton.name}.mapping.json"


def copy(order: Order) -> Copied:
    """Write ``order.out`` and, where there is none yet, the mapping. Raises BadInput."""
    source, target = RigInfo.load(order.source), RigInfo.load(order.target)
    motion = Motion.load(order.motion)
    motion.check_rig(source.digest, order.motion)
    if order.out.resolve() == order.motion.resolve():
        raise BadInput(f"{order.out}: is the motion to copy; give the result another name")
    path = order.mapping or default_mapping(source, order.target)
    proposed = not path.exists()
    if proposed:
        mapping = propose(source, target, order.align or "auto")
        mapping.save(path)
    else:
        if order.align:
            raise BadInput(
                f"{path}: exists already, and --align is for proposing one; edit its 'aligned' or delete the file"
            )
        mapping = Mapping.load(path)
    mapping.check(source, target, path)
    made = transfer(source, motion, target, mapping, order.set_feet)
    made.save(order.out)
    return Copied(made, path, proposed, figures(source, motion, target, made, mapping))
