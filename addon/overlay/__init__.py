# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the 3D view shows on top of the rig: how far joints may turn, joints, the solved motion, where it looks.

- ``shapes``  limits as cones and arcs: plain numpy
- ``lines``   all of it as coloured lines and points in the world
- ``ghost``   the solved motion, read aside
- ``draw``    the handler that draws them
"""
