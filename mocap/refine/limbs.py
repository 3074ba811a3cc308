# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The limbs that pictures are compared by: those that have skin, and one for what belongs to no limb.

Limbs, not the reader's body parts: parts that are often mistaken for their neighbours pull skin the wrong way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Limbs(NamedTuple):
    """G limbs. ``members`` (G,): indices of the skeleton's limbs, -1 for what belongs to none; of_part (P + 1,) uint8:
    the limb of each body part, G for the backdrop."""

    members: tuple[int, ...]
    of_part: np.ndarray

    @classmethod
    def of(cls, part_limbs: Sequence[int]) -> Limbs:
        """From each part's limb in the skeleton (P,), -1 for none."""
        members = tuple(sorted({int(limb) for limb in part_limbs}, key=lambda limb: (limb < 0, limb)))
        of_part = [members.index(int(limb)) for limb in part_limbs]
        return cls(members, np.array([*of_part, len(members)], np.uint8))

    @property
    def backdrop(self) -> int:
        return len(self.members)

    def merged(self, masks: np.ndarray) -> np.ndarray:
        """Probabilities of parts (..., P + 1, m, m) -> of limbs (..., m, m, G + 1) uint8, 255 for certain."""
        table = np.zeros((len(self.of_part), self.backdrop + 1), np.float32)
        table[np.arange(len(table)), self.of_part] = 1
        return np.rint(255 * (np.moveaxis(masks, -3, -1).astype(np.float32) @ table)).astype(np.uint8)
