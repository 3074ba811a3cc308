# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Render-and-compare: a solve is drawn, compared with the clip's pictures, and pulled towards them.

``evidence`` is what a reader saw besides joints; ``drawing`` draws a pose in the same squares; ``beliefs`` says which
limb each pixel shows; ``contours`` and ``coverage`` turn what differs into pulls at points of the skin; ``surface`` is
their term in the solver's equations, ``looker`` what the solver calls.
"""

from .evidence import Evidence
from .looker import Looker

__all__ = ["Evidence", "Looker"]
