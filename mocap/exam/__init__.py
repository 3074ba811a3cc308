# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The exam: make up a motion, film it, and say in centimetres how well it was read back."""
