# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The studio: a rig between two layout cameras, painted, lit and rendered; headless.

- ``stage``       opens rigged.blend beside whatever is open, and removes it afterwards
- ``cameras``, ``paint``, ``lights``, ``engines``  add to the stage's scene only;  ``devices``  for Cycles
- ``looks``, ``textures``, ``skin``  what a sample shows beside its pose, and of which skin
- ``render``      one view to pixels, with or without motion blur
- ``visibility``  which joints a view really shows
- ``dataset``     random samples to disk;  ``footage``  a whole motion to pictures
"""
