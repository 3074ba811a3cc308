# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Understanding a rig: read what the user has, and make the clean copy that everything else uses.

Stages, in order; each takes plain objects and arrays, never the context:

- ``source``     may import files and add objects to a scratch scene; never changes the user's objects
- ``weights``    reads meshes only
- ``sample``     poses the source armature frame by frame; restores it afterwards
- ``hierarchy``, ``symmetry``, ``limbs``, ``limits``, ``joints``  pure numpy
- ``build``      makes the clean armature and meshes in a scene of their own
- ``adopt``      runs the stages and returns the RigInfo
- ``creature``   makes a source from our own definition (creature.json)
- ``autorig``    makes a source from meshes without armature
"""
