# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Several processes that train one network together on a CPU: each takes its share of every batch, and gradients are
averaged (synchronous data parallelism over gloo).

One thread in each of two processes trains a third faster than two threads in one: what is between the convolutions
(pictures, small tensors, Python) runs side by side, too.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing
from torch import Tensor, nn

from .. import machine
from ..errors import AnymoveError

MEMBER_MB = 1500
"""Memory that a member needs: the samples, the stream's, the network's."""
_PATIENCE = timedelta(minutes=30)


class Team:
    """The processes of a training as one of them sees it; a team of one does nothing."""

    def __init__(self, rank: int = 0, size: int = 1) -> None:
        self.rank, self.size = rank, size

    def share(self, batch: int) -> range:
        """The slots of a batch that are this member's."""
        return range(self.rank, batch, self.size)

    def average_gradients(self, weights: Sequence[nn.Parameter]) -> None:
        if self.size > 1:
            self._average([weight.grad for weight in weights if weight.grad is not None])

    def average_buffers(self, net: nn.Module) -> None:
        """Batch statistics, which each member has from its own share."""
        if self.size > 1:
            self._average([buffer for buffer in net.buffers() if buffer.dtype.is_floating_point])

    def _average(self, tensors: list[Tensor]) -> None:
        flat = torch.cat([tensor.reshape(-1) for tensor in tensors])
        dist.all_reduce(flat)
        flat /= self.size
        for tensor, part in zip(tensors, flat.split([tensor.numel() for tensor in tensors])):
            tensor.copy_(part.view(tensor.shape))


def size_for(batch: int) -> int:
    """Processes that train a batch fastest here: as many as cores, as divide the batch, and as memory holds."""
    free = machine.free_memory_mb()
    most = machine.cores()
    if free is not None:
        most = min(most, int(free / MEMBER_MB))
    return next((size for size in range(max(1, most), 1, -1) if batch % size == 0), 1)


@contextlib.contextmanager
def lead(size: int, member: Any, arguments: tuple) -> Iterator[Team]:
    """Start ``size - 1`` processes that run ``member(team, *arguments)``, and yield the leader's team."""
    if size == 1:
        yield Team()
        return
    with tempfile.TemporaryDirectory(prefix="anymove-team-") as folder:
        context = multiprocessing.get_context("spawn")
        others = [
            context.Process(target=_follow, args=(rank, size, folder, member, arguments), daemon=True)
            for rank in range(1, size)
        ]
        for other in others:
            other.start()
        try:
            _join(0, size, folder)
            yield Team(0, size)
            for other in others:
                other.join()
        except RuntimeError as error:
            # gloo's word for a member that is gone says nothing of why.
            raise AnymoveError(f"a training process ended: {_last_words(Path(folder)) or error}") from error
        finally:
            for other in others:
                if other.is_alive():
                    other.terminate()
            if dist.is_initialized():
                dist.destroy_process_group()


def _last_words(folder: Path) -> str:
    """The last line that a member left of its errors."""
    lines = [line for log in sorted(folder.glob("*.log")) for line in log.read_text("utf-8").splitlines()]
    return lines[-1].strip() if lines else ""


def _follow(rank: int, size: int, folder: str, member: Any, arguments: tuple) -> None:
    # The leader speaks for all; what ends a member is kept for it.
    with (
        open(os.devnull, "w") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        torch.set_num_threads(1)
        _join(rank, size, folder)
        try:
            member(Team(rank, size), *arguments)
        except KeyboardInterrupt:
            pass
        except BaseException as error:
            (Path(folder) / f"{rank}.log").write_text(f"{type(error).__name__}: {error}", "utf-8")
            raise
        dist.destroy_process_group()


def _join(rank: int, size: int, folder: str) -> None:
    meeting = (Path(folder) / "meeting").as_uri()
    dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=size, timeout=_PATIENCE)
