# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One file per act of the user. Each validates, then calls a function of rig/, studio/ or motion/."""

from __future__ import annotations

from . import (
    adopt_rig,
    apply_motion,
    apply_to_rig,
    build_creature,
    build_rig,
    export_motion,
    look_over,
    render_dataset,
    render_poses,
    render_sheet,
)

CLASSES = (
    adopt_rig.ANYMOVE_OT_adopt_rig,
    look_over.ANYMOVE_OT_doctor,
    build_creature.ANYMOVE_OT_build_creature,
    build_rig.ANYMOVE_OT_build_rig,
    render_dataset.ANYMOVE_OT_render_dataset,
    render_poses.ANYMOVE_OT_render_poses,
    render_sheet.ANYMOVE_OT_render_sheet,
    apply_motion.ANYMOVE_OT_apply_motion,
    apply_to_rig.ANYMOVE_OT_apply_to_rig,
    apply_to_rig.ANYMOVE_OT_remove_motion,
    export_motion.ANYMOVE_OT_export_motion,
)
