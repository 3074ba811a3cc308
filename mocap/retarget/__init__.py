# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A motion of one rig copied to another with other proportions, names, rest pose or roll (docs/motion.md). numpy alone.

``propose`` says which bone follows which, ``Mapping`` is that as an editable file, ``transfer`` makes the motion,
``figures`` tells how well it went.
"""

from .carry import transfer
from .judgement import figures, lines
from .mapping import Mapping
from .proposal import propose

__all__ = ["Mapping", "figures", "lines", "propose", "transfer"]
