# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a creature is on its road, found out from its files. Plain Python.

- ``step``     one step's state, and why
- ``road``     all steps of a creature, one after another
- ``hindrances`` why a step cannot be taken now
- ``watcher``  the same for panels: answers at once with what was known last, looks again in a thread
"""
