# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One file per act of the user. Each validates, then calls a function of rig/, studio/ or motion/, or starts a job."""

from __future__ import annotations

from . import (
    adopt_rig,
    apply_motion,
    apply_to_rig,
    bring_in,
    build_creature,
    build_rig,
    capture_clip,
    edit_rig,
    export_motion,
    jobs,
    look_over,
    look_through,
    render_dataset,
    render_poses,
    render_sheet,
    retarget_motion,
    set_up_toolkit,
    show_picture,
    sit_exam,
    train_reader,
)

CLASSES = (
    adopt_rig.ANYMOVE_OT_adopt_rig,
    look_over.ANYMOVE_OT_doctor,
    build_creature.ANYMOVE_OT_build_creature,
    build_rig.ANYMOVE_OT_build_rig,
    render_dataset.ANYMOVE_OT_render_dataset,
    render_poses.ANYMOVE_OT_render_poses,
    render_sheet.ANYMOVE_OT_render_sheet,
    train_reader.ANYMOVE_OT_train_reader,
    capture_clip.ANYMOVE_OT_capture_clip,
    sit_exam.ANYMOVE_OT_sit_exam,
    apply_motion.ANYMOVE_OT_apply_motion,
    bring_in.ANYMOVE_OT_bring_in,
    edit_rig.ANYMOVE_OT_save_rig_edits,
    edit_rig.ANYMOVE_OT_reset_rig_edits,
    edit_rig.ANYMOVE_OT_mirror_limits,
    look_through.ANYMOVE_OT_look_through,
    set_up_toolkit.ANYMOVE_OT_set_up_toolkit,
    set_up_toolkit.ANYMOVE_OT_check_toolkit,
    jobs.ANYMOVE_OT_cancel_job,
    jobs.ANYMOVE_OT_resume_job,
    jobs.ANYMOVE_OT_forget_job,
    jobs.ANYMOVE_OT_open_log,
    show_picture.ANYMOVE_OT_show_picture,
    apply_to_rig.ANYMOVE_OT_apply_to_rig,
    apply_to_rig.ANYMOVE_OT_remove_motion,
    export_motion.ANYMOVE_OT_export_motion,
    retarget_motion.ANYMOVE_OT_retarget_motion,
)
