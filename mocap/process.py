# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""How this process treats waiting threads and freed memory. Imported before torch, which reads the first once."""

from __future__ import annotations

import ctypes
import os
import sys

# Waiting threads must sleep, not spin: with another process busy on the same cores, spinning makes two
# threads many times slower than one.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

_TRIM_THRESHOLD, _TOP_PAD, _MMAP_MAX = -1, -2, -4
_NEVER = 2**31 - 1
_AHEAD = 256 * 2**20


def keep_memory() -> bool:
    """Have the C library keep freed memory for the next step instead of handing it back to the system.

    A training step on a CPU frees and takes hundreds of megabytes in large blocks, and the system clears each page
    anew: a tenth of the time. Only where the C library is glibc; returns whether it was done.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL("libc.so.6").mallopt
    except (OSError, AttributeError):
        return False
    return bool(mallopt(_MMAP_MAX, 0) and mallopt(_TRIM_THRESHOLD, _NEVER) and mallopt(_TOP_PAD, _AHEAD))
