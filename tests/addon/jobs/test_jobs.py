# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs with real processes: how they end, in what order they run, what survives a Blender that is gone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from anymove.addon.jobs import job as jobs
from anymove.addon.jobs import keeper, processes
from anymove.addon.jobs.queue import Queue
from anymove.mocap.errors import BadInput

FOREVER = "import time\nwhile True: time.sleep(0.1)"
TREE = """
import subprocess, sys, pathlib, time
inner = "import os, pathlib, sys, time; pathlib.Path('grandchild').write_text(str(os.getpid())); time.sleep(600)"
subprocess.Popen([sys.executable, "-c", inner])
time.sleep(600)
"""
STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf'); time.sleep(600)"
)


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_a_job_tells_its_progress_and_ends(queue, order, until):
    telling = "print('JOB {\"progress\": %.1f}' % (k / 4)); time.sleep(0.3)"
    program = f"import time\nfor k in range(5): {telling}\nprint('done it')"
    job = queue.add(order(program))
    assert job.state == jobs.QUEUED
    assert queue.tick()
    assert job.state == jobs.RUNNING
    seen = set()
    assert until(lambda: seen.add(job.progress.share) or job.state == jobs.DONE)
    assert len(seen) >= 4
    assert (job.code, job.message) == (0, "done it")
    assert 1.0 < job.seconds < 15
    assert "done it" in job.log.read_text()
    assert json.loads((job.folder / keeper.ORDER).read_text())["state"] == jobs.DONE
    assert not queue.tick()


def test_a_failing_job_says_why(queue, order, until):
    job = queue.add(
        order("import sys; print('anymove: no such creature', file=sys.stderr); print('x'); sys.exit(2)")
    )
    queue.tick()
    assert until(lambda: job.state == jobs.FAILED)
    assert (job.code, job.message) == (2, "no such creature")


def test_a_command_that_does_not_exist_fails_with_its_name(queue, order, until):
    wanted = order("")
    wanted.command[0] = "/no/such/python"
    job = queue.add(wanted)
    queue.tick()
    assert until(lambda: job.state == jobs.FAILED)
    assert "/no/such/python cannot be started" in job.message


def test_two_jobs_take_turns(queue, order, until):
    first, second = queue.add(order("import time; time.sleep(0.5)", "A")), queue.add(order("print('b')", "B"))
    queue.tick()
    assert (first.state, second.state) == (jobs.RUNNING, jobs.QUEUED)
    queue.tick()
    assert second.state == jobs.QUEUED
    assert until(lambda: queue.tick() is False)
    assert (first.state, second.state) == (jobs.DONE, jobs.DONE)
    assert second.began >= first.ended


def test_the_same_job_is_not_queued_twice(queue, order):
    queue.add(order("print(1)"))
    with pytest.raises(BadInput, match="under way already"):
        queue.add(order("print(1)"))


@pytest.mark.skipif(os.name != "posix", reason="looks processes up in /proc")
def test_cancelling_ends_children_of_children(queue, order, until, tmp_path):
    job = queue.add(order(TREE))
    queue.tick()
    mark = tmp_path / "grandchild"
    assert until(lambda: mark.exists() and mark.read_text())
    pid = int(mark.read_text())
    assert alive(pid)
    before = time.perf_counter()
    job.cancel()
    assert time.perf_counter() - before < 0.05
    assert job.cancelling
    assert until(lambda: job.state == jobs.CANCELLED)
    assert until(lambda: not alive(pid), 5)


@pytest.mark.skipif(os.name != "posix", reason="SIGTERM can be ignored on POSIX only")
def test_what_ignores_a_request_is_killed(queue, order, until):
    job = queue.add(order(STUBBORN))
    queue.tick()
    assert until(lambda: "deaf" in job.lines)
    job.cancel()
    assert until(lambda: job.state == jobs.CANCELLED)


def test_a_queued_job_is_cancelled_at_once_and_never_runs(queue, order, until, tmp_path):
    first = queue.add(order("import time; time.sleep(0.3)"))
    second = queue.add(order("open('ran', 'w')"))
    queue.tick()
    second.cancel()
    assert second.state == jobs.CANCELLED
    assert until(lambda: not queue.tick())
    assert first.state == jobs.DONE
    assert not (tmp_path / "ran").exists()


def test_resuming_runs_the_same_order_again(queue, order, until, tmp_path):
    job = queue.add(order(f"open('count', 'a').write('x')\n{FOREVER}"))
    queue.tick()
    count = tmp_path / "count"
    assert until(lambda: count.exists() and count.read_text() == "x")
    job.cancel()
    assert until(lambda: job.state == jobs.CANCELLED)
    again = queue.resume(job)
    assert queue.jobs == [again]
    queue.tick()
    assert until(lambda: count.read_text() == "xx")


FOUR_SECONDS = """
import time
print('JOB {"progress": 0.5}', flush=True)
time.sleep(4)
print('finished alone')
"""
OTHER_BLENDER = """
import sys, time
sys.path.insert(0, {root!r} + "/blender_scripts")
import anymove_package
from pathlib import Path
from anymove.addon.jobs.queue import Queue
from anymove.addon.jobs.job import Order
queue = Queue(Path({folder!r}))
wait = {wait!r}
queue.add(Order("Left", "test", [sys.executable, "-c", wait], {folder!r} + "/.."))
queue.add(Order("Waiting", "test", [sys.executable, "-c", "print(2)"], {folder!r} + "/.."))
queue.tick()
while queue.jobs[0].progress.share is None: time.sleep(0.05)
queue.close(leave=True)
"""


def test_a_job_left_running_is_taken_up_by_the_next_blender(tmp_path, until):
    root = Path(__file__).resolve().parents[3]

    folder = tmp_path / "jobs"
    folder.mkdir()
    program = OTHER_BLENDER.format(root=str(root), folder=str(folder), wait=FOUR_SECONDS)
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
    queue = Queue(folder)
    queue.take_up()
    left, waiting = queue.jobs
    assert left.state == jobs.RUNNING
    assert until(lambda: left.progress.share == 0.5)
    assert waiting.state == jobs.FAILED
    assert "Resume" in waiting.message
    assert until(lambda: left.state == jobs.DONE)
    assert left.message == "finished alone"


def test_a_job_whose_machine_went_off_can_be_resumed(queue, order, until, monkeypatch):
    job = queue.add(order("print(1)"))
    job.state = jobs.RUNNING
    job.save()
    monkeypatch.setattr(jobs, "_DEAD_AFTER_S", 0.1)
    later = Queue(queue.folder)
    later.take_up()
    assert until(lambda: later.jobs[0].state == jobs.FAILED)
    assert "Resume goes on" in later.jobs[0].message
    job.state = jobs.FAILED


def test_quitting_ends_the_running_job(queue, order, until):
    job = queue.add(order("print('on', flush=True)\n" + FOREVER))
    queue.tick()
    assert until(lambda: "on" in job.lines)
    queue.close(leave=False)
    assert job.state == jobs.CANCELLED


def test_old_records_go_and_foreign_ones_are_not_taken_up(queue, order, monkeypatch):
    from anymove.addon.jobs import queue as module

    monkeypatch.setattr(module, "KEPT", 2)
    for number in range(4):
        queue.add(order(f"print({number})")).cancel()
    queue.tick()
    assert [job.order.command[-1] for job in queue.jobs] == ["print(2)", "print(3)"]
    (queue.jobs[0].folder / keeper.ORDER).write_text('{"schema": 99}')
    later = Queue(queue.folder)
    later.take_up()
    assert len(later.jobs) == 1


@pytest.mark.parametrize("pid", [0, -1])
def test_no_process_means_nothing_to_end(pid):
    """To the system 0 is the asking process's own group, -1 is everybody."""
    processes.end_tree(pid)
