# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""A small rasteriser of the skinned, painted mesh: pictures and exact labels in a few milliseconds a view.

- ``draw``     skinning, z-buffer, colours and labels of one view (compiled)
- ``lights``   light as Workbench's studio lights give it
- ``studio``   a pose through a layout camera: cut-out, masks, joints, what is seen
- ``stream``   endless fresh training samples, each decided by its number
"""
