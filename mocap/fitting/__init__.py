# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Fit a skeleton to a mesh that has none, by geometry alone. Pure numpy (it runs in Blender's Python).

Stages, in order; all work in the mesh's own units, Z up, the creature facing -Y (its left is +X):

- ``voxels``      triangles -> a connected solid with its distance to the outside (the medial cue)
- ``symmetry``    the mirror plane, and how far it is turned
- ``paths``       shortest paths through the solid
- ``extremities`` ends of the body (feet, muzzle, tail) and how far each stands out
- ``curves``      centre lines, and polylines with a given number of bends along them
- ``templates``   what a quadruped, a biped, an insect ... consists of (data)
- ``slots``       which extremity is which limb of a template; which template is meant
- ``fit``         template + mesh + landmarks -> placed bones
"""
