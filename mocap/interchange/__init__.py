# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A motion for other programs, without Blender: BVH and NPZ. The other formats are Blender's own exporters
(addon/motion/export.py)."""
