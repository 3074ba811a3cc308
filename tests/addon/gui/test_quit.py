# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A job when its Blender loads another file and quits: it ends, or runs on, as chosen; either is seen afterwards."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.addon.gui.outside import Installed

SEEN = """
import {module}.addon.session as session
session.begin()
job = session.queue.jobs[-1]
print("FOUND", job.state, job.wait(20), job.state, job.code)
"""


@pytest.mark.parametrize(("choice", "finished"), [("LEAVE", True), ("END", False)])
def test_quitting_with_a_job(tmp_path, choice, finished):
    installed = Installed(tmp_path)
    installed.install()
    steps = Path(__file__).resolve().parent / "steps_quit.py"
    said = installed.show(steps, tmp_path, 120, ANYMOVE_ON_QUIT=choice)
    assert "passed" in said
    record = next((tmp_path / "user").rglob("jobs/*/job.json"))
    assert json.loads(record.read_text())["state"] == ("running" if finished else "cancelled")
    assert not (tmp_path / "finished").exists()
    if finished:
        # The next Blender takes it up while it runs, and sees how it ends.
        assert "FOUND running True done 0" in installed.python(SEEN.format(module=installed.module))
    else:
        time.sleep(8)
    assert (tmp_path / "finished").exists() == finished
