# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""From what was read in two views to the rig's motion. numpy and scipy only."""

from .settings import Settings, Stage
from .solver import Solved, solve
from .swaps import Swap

__all__ = ["Settings", "Solved", "Stage", "Swap", "solve"]
