# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Say in one line what was made of a mesh without armature."""

from __future__ import annotations

from pathlib import Path

from ....mocap.rig_info import RigInfo
from .make import Made


def describe(made: Made, info: RigInfo, home: Path, older: Path | None) -> str:
    fit, bound = made.fit, made.bound
    by_source = {
        source: [name for name, placed in fit.joints.items() if placed.source == source]
        for source in ("landmark", "kept")
    }
    parts = [
        f"{home / 'rigged'}: {fit.template} ({fit.why}), {len(fit.bones)} bones, "
        f"{len(info.skeleton.bare.joints)} joints, {int(info.skeleton.is_marker.sum())} markers, "
        f"{len(fit.limbs)} limbs, {info.height_cm:.1f} cm tall "
        f"(from {info.source['height_from']}), facing {made.body.facing}",
        f"weights: {bound.way}"
        + (f" ({'; '.join(bound.refused)})" if bound.refused else "")
        + (f", {bound.riding} loose parts ride on what they touch" if bound.riding else ""),
    ]
    if fit.left_out:
        parts.append(f"not found: {', '.join(fit.left_out)}")
    for source, names in by_source.items():
        if names:
            parts.append(f"{'landmarks' if source == 'landmark' else source}: {', '.join(names)}")
    if older:
        parts.append(f"the older rig is in {older}")
    return "; ".join(parts)
