# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Understanding a rig: read what the user has, and make the clean copy that everything else uses.

Stages, in order; each takes plain objects and arrays, never the context:

- ``importing``  may bring a file into a scene of its own, and removes all of it again
- ``source``, ``weights``, ``rest_mesh``  read meshes only; may make new mesh data, never change the user's
- ``sample``     poses the source armature frame by frame; restores it afterwards
- ``facing``, ``hierarchy``, ``attach``, ``symmetry``, ``anatomy``, ``limbs``, ``joints``, ``limits``,
  ``limb_limits``, ``shapes``, ``names``  pure numpy
- ``understand`` runs those; ``doctor`` looks over what came out; neither changes anything
- ``capsules``, ``markers``, ``sight``  pure numpy, on the clean skeleton
- ``edit_bones``, ``build``  make armatures, and the clean rig in a scene of its own
- ``adopt``      runs the stages and returns the RigInfo
- ``creature``   makes a source from our own definition (creature.json)
- ``autorig``    makes a source from meshes without armature
"""
