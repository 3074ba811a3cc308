# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What all peers can do."""

from __future__ import annotations

from abc import ABC, abstractmethod

from torch import Tensor, nn


class Peer(nn.Module, ABC):
    by_gradient = True
    """Whether ``loss`` is to be descended; else calling it is all of the training."""

    @abstractmethod
    def loss(self, pictures: Tensor, points: Tensor, inside: Tensor) -> Tensor:
        """A number to make small; joints that are not inside do not count."""

    @abstractmethod
    def positions(self, pictures: Tensor) -> Tensor:
        """(N, J, 2) input pixels; the caller sets eval() and inference_mode()."""
