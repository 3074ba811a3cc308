# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""The reader: a network that finds one creature's joints in the two views of a frame."""

from .. import process as process  # first, because it decides how torch's threads wait
