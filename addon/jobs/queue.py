# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The jobs of this Blender: one runs, the others wait their turn; ended ones are kept for a while."""

from __future__ import annotations

import itertools
import shutil
import time
from pathlib import Path

from ...mocap.errors import BadInput
from . import keeper
from .job import ENDED, FAILED, QUEUED, RUNNING, Job, Order

KEPT = 12
"""Ended jobs whose logs stay."""


class Queue:
    """``folder`` holds a folder for each job; whatever lies there from an earlier Blender is taken up."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.jobs: list[Job] = []
        self._number = itertools.count(1)

    def take_up(self) -> None:
        """Jobs that an earlier Blender left: running ones are watched on, stopped ones can be resumed."""
        if not self.folder.is_dir():
            return
        known = {job.folder for job in self.jobs}
        for folder in sorted(self.folder.iterdir()):
            if folder in known or not (folder / keeper.ORDER).is_file():
                continue
            try:
                job = Job.load(folder)
            except BadInput:
                # Written by another version: it cannot be resumed, and its log says nothing to this one.
                shutil.rmtree(folder, ignore_errors=True)
                continue
            self.jobs.append(job)
            if job.state == RUNNING:
                job.attach()
            elif job.state == QUEUED:
                job.state = FAILED
                job.progress.error = "it never began: Blender was closed; Resume starts it"

    def add(self, order: Order) -> Job:
        """Queue an order. Raises BadInput where the same is under way already."""
        for job in self.waiting():
            if job.order.command == order.command:
                raise BadInput(f"{order.title} is under way already ({job.state}); cancel it to begin anew")
        self.folder.mkdir(parents=True, exist_ok=True)
        name = f"{time.strftime('%Y%m%d-%H%M%S')}-{next(self._number):03d}-{order.step}"
        job = Job(self.folder / name, order)
        job.folder.mkdir()
        job.save()
        self.jobs.append(job)
        return job

    def tick(self) -> bool:
        """Start the next job where none runs; True while there is anything to watch."""
        waiting = self.waiting()
        if waiting and not any(job.state == RUNNING for job in waiting):
            waiting[0].start()
        elif not waiting:
            self._forget_old()
        return bool(waiting)

    def waiting(self) -> list[Job]:
        """Running and queued jobs, in the order of their turns."""
        return [job for job in self.jobs if job.state not in ENDED]

    @property
    def running(self) -> Job | None:
        return next((job for job in self.jobs if job.state == RUNNING), None)

    def resume(self, job: Job) -> Job:
        """The same order again; the ended job's record goes."""
        order = job.order
        self.forget(job)
        return self.add(order)

    def forget(self, job: Job) -> None:
        """Remove an ended job and its log."""
        if job.state in ENDED:
            self.jobs.remove(job)
            shutil.rmtree(job.folder, ignore_errors=True)

    def _forget_old(self) -> None:
        for job in [job for job in self.jobs if job.state in ENDED][:-KEPT]:
            self.forget(job)

    def close(self, leave: bool) -> None:
        """For a Blender that quits: ``leave`` the running job running, or end it. Either can be resumed."""
        for job in self.waiting():
            if job.state == RUNNING and not leave:
                job.end_now()
