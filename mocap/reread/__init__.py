# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A second reading: the reader reads a drawing of the solve, and what it gets wrong there is taken off the clip.

A reader draws what it is unsure of towards what it has mostly seen, much alike in every frame, and no residual shows
it. But it does the same to a picture whose joints are known. ``appearance`` takes the creature's colours and the
backdrop from the clip, ``drawing`` draws the solved motion with them, ``correct`` takes the errors off: the parametric
bootstrap's correction of bias (Efron & Tibshirani, An Introduction to the Bootstrap, 1993, 10).
"""
