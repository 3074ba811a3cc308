# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Rendered samples: on disk (``samples``), seen at once (``sheet``), and prepared for training."""
