# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Say in one line what was understood of a rig."""

from __future__ import annotations

from pathlib import Path

from ...mocap import findings
from ...mocap.findings import Finding
from ...mocap.rig_info import RigInfo


def describe(info: RigInfo, home: Path, older: Path | None) -> str:
    skeleton = info.skeleton
    sources = [bone.limits_from for bone in skeleton.bones[1:]]
    counts = ", ".join(f"{sources.count(kind)} from {kind}" for kind in dict.fromkeys(sources)) or "none"
    moved = ", ".join(f"{bone} -> {to}" for bone, to in info.source["reparented"].items()) or "none"
    aside = f"; the older rig is in {older}" if older else ""
    found = [Finding.from_json(data) for data in info.source["findings"]]
    grave = [finding for finding in found if finding.severity != "note"]
    told = f"; the doctor has {findings.summary(grave)}: tools/rig.sh --doctor FILE" if grave else ""
    return (
        f"{home / 'rigged'}: {len(skeleton.bones)} bones ({len(info.source['left_out'])} left out), "
        f"{len(skeleton.bare.joints)} joints, {int(skeleton.is_marker.sum())} markers, "
        f"{len(skeleton.limbs)} limbs, {len(info.clips)} clips, "
        f"{info.height_cm:.1f} cm tall (from {info.source['height_from']}), facing {info.source['facing']}; "
        f"limits: {counts}; re-parented: {moved}{told}{aside}"
    )
