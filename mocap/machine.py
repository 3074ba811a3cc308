# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What the machine has: cores, free memory, what this process took. Python's own library alone, so that the
commands and Blender's Python can ask, too."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def free_memory_mb() -> float | None:
    """Memory that can be taken without swapping; None where the system does not tell."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    if sys.platform == "win32":
        return _windows_free_mb()
    names = getattr(os, "sysconf_names", {})
    if "SC_AVPHYS_PAGES" in names:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**20
    # macOS tells what is built in, not what is free: half of it is a careful guess.
    if "SC_PHYS_PAGES" in names:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**21
    return None


def _windows_free_mb() -> float | None:
    class Status(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ulong), ("load", ctypes.c_ulong)] + [
            (name, ctypes.c_ulonglong)
            for name in ("total", "free", "page", "page_free", "virtual", "virtual_free", "extended")
        ]

    status = Status(length=ctypes.sizeof(Status))
    if not ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return None
    return status.free / 2**20


def peak_memory_mb() -> float | None:
    """The most memory this process held at once; None where the system does not tell."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts kilobytes, macOS bytes.
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def is_wsl(version_file: Path = Path("/proc/version")) -> bool:
    """Linux inside Windows: CUDA comes through, OptiX often does not."""
    try:
        return "microsoft" in version_file.read_text(encoding="utf-8", errors="replace").lower()
    except OSError:
        return False
