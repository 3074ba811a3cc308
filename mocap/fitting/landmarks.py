# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Joints that the user knows: NAME=x,y,z."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..errors import BadInput
from .fit import Placed


def parse(texts: Iterable[str]) -> dict[str, Placed]:
    """Each text is NAME=x,y,z in the units of the mesh. Raises BadInput."""
    out: dict[str, Placed] = {}
    for text in texts:
        name, equals, place = text.partition("=")
        try:
            values = [float(word) for word in place.split(",")]
        except ValueError:
            values = []
        if not name or not equals or len(values) != 3 or not np.isfinite(values).all():
            raise BadInput(f"--landmark {text}: not of the form NAME=x,y,z (three numbers, no blanks)")
        if name in out:
            raise BadInput(f"--landmark {name}: given twice")
        out[name] = Placed(np.array(values), "landmark", 1.0)
    return out
