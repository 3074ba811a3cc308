# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion onto rigs: pose one frame, write a whole Action, read back what the rig really does."""
