# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Everything of Anymove that does not touch Blender: pure Python, numpy, torch.

The modules at this level (``skeleton``, ``layout``, ``motion``, ``poses``, ``rotations``, ``rig_info``,
``files``, ``errors``) need only numpy, because they are also imported inside Blender's own Python.
"""

__version__ = "0.1.0"
