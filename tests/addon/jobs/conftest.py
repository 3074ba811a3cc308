# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Orders that run small Python programs, and a queue in a folder of its own."""

from __future__ import annotations

import sys
import time

import pytest
from anymove.addon.jobs.job import Order
from anymove.addon.jobs.queue import Queue


@pytest.fixture
def order(tmp_path):
    def make(program: str, title: str = "Test", **more) -> Order:
        return Order(title, "test", [sys.executable, "-u", "-c", program], str(tmp_path), **more)

    return make


@pytest.fixture
def queue(tmp_path):
    made = Queue(tmp_path / "jobs")
    yield made
    made.close(leave=False)


@pytest.fixture
def until():
    """until(condition): wait for it, at most 20 seconds; False where it never came."""

    def wait(condition, seconds=20.0) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition():
                return True
            time.sleep(0.02)
        return bool(condition())

    return wait
