# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a sample looks like beside its pose: paint or the rig's own materials, cast shadows or none."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

PAINTS = ("painted", "mixed", "unpainted")
UNPAINTED_SHARE = 0.25
"""Of the samples of a mixed set."""
SHADOW_SHARES = {"workbench": 0.3, "cycles": 0.5}
"""Workbench draws the volume of each shadow, for three times a picture's price: of its sharp samples only."""
_STREAM = 0x100C


class Looks(NamedTuple):
    painted: bool
    shadows: bool


def of_sample(seed: int, index: int, engine: str, paint: str, shifted: bool, blurred: bool) -> Looks:
    """Decided by seed and index, from a stream of its own, so that pose and lights do not depend on it."""
    bare, shadow = np.random.default_rng([seed, index, _STREAM]).random(2)
    painted = {"painted": True, "unpainted": False, "mixed": bool(bare >= UNPAINTED_SHARE)}[paint]
    cast = bool(shadow < SHADOW_SHARES[engine]) and not (blurred and engine == "workbench")
    return Looks(painted, shifted or cast)
