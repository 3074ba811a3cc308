# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make a rig for meshes that have none: what mocap/fitting places becomes an armature with weights.

- ``frame``     reads the meshes as one body; turns it so that the creature faces -Y, at a size of its own
- ``armature``  makes the armature in the given scene
- ``bind``      finds the weights: heat, heat on a remesh, or geodesic distances
- ``kept``      joints that the user moved in the rig that is already there
- ``make``      runs the stages and returns a Source, to be adopted like any other rig
"""
