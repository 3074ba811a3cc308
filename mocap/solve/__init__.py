# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""From what was read in two views to the rig's motion. numpy and scipy only."""

from .contacts import Contact
from .result import Solved
from .settings import Settings, Stage
from .solver import solve
from .swaps import AsRead, Swap

__all__ = ["AsRead", "Contact", "Settings", "Solved", "Stage", "Swap", "solve"]
