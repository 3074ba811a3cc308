# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What lines tell: shares of stages, time left, the line that says why."""

from __future__ import annotations

import pytest
from anymove.addon.jobs.progress import Progress, clock_text


def test_stages_share_the_whole():
    progress = Progress()
    progress.take('JOB {"stage": "film", "from": 0.2, "to": 0.6}', 0)
    assert (progress.share, progress.message) == (pytest.approx(0.2), "film")
    progress.take('JOB {"progress": 0.5, "message": "film: 5/10"}', 1)
    assert (progress.share, progress.message) == (pytest.approx(0.4), "film: 5/10")
    progress.take('JOB {"progress": 1.7}', 1)
    assert progress.share == pytest.approx(0.6)


def test_time_left_counts_from_where_this_run_began():
    progress = Progress()
    progress.take('JOB {"stage": "epoch 9", "from": 0.8, "to": 0.9}', 100)
    assert progress.seconds_left(101) is None
    progress.take('JOB {"progress": 1.0}', 110)
    assert progress.seconds_left(110) == pytest.approx(10)


def test_lines_for_people_and_torn_ones_are_no_events():
    progress = Progress()
    progress.take("wrote reader.pt", 0)
    progress.take('JOB {"progress": 0.', 0)
    assert progress.share is None
    assert progress.message == 'JOB {"progress": 0.'
    progress.take("00:00.024  color_management | Using OCIO=/usr/share/config.ocio", 0)
    assert progress.message == 'JOB {"progress": 0.'
    progress.take("anymove: no space left", 0)
    assert progress.error == "no space left"
    progress.take('JOB {"error": "no such file", "code": 2}', 0)
    assert progress.error == "no such file"


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (90.4, "1:30"), (3700, "1:01:40")])
def test_times_read_like_a_clock(seconds, text):
    assert clock_text(seconds) == text
