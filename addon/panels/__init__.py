# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar tab Anymove, its panels in the order of the work. They read what is known and start operators."""

from __future__ import annotations

from . import capture, creature, dataset, exam, guide, motion, reader, rig, studio, thumbnails

CLASSES = (
    guide.ANYMOVE_PT_guide,
    creature.ANYMOVE_PT_creature,
    rig.ANYMOVE_PT_rig,
    studio.ANYMOVE_PT_studio,
    dataset.ANYMOVE_PT_dataset,
    reader.ANYMOVE_PT_reader,
    capture.ANYMOVE_PT_capture,
    exam.ANYMOVE_PT_exam,
    motion.ANYMOVE_PT_motion,
)


def unregister() -> None:
    thumbnails.forget()
