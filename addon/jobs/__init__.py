# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work, out of Blender's process: commands of the toolkit, one after another, watched but never waited for.

- ``keeper``    the small process between Blender and a command: it outlives Blender, and records the end
- ``processes`` start a process tree, end a whole process tree, on every system
- ``progress``  what a command's lines tell: how far, how long still, its last word
- ``job``       one command: its folder on disk, its state, the thread that reads its log
- ``queue``     the jobs of this Blender, one running at a time; those that an earlier Blender left behind
- ``clock``     the only module that knows Blender: a timer, redraws, the status bar

All but ``clock`` are plain Python.
"""
