# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The logic behind the commands in tools/: environment, Blender, and the steps of the road."""
