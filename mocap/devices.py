# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""Which device really computes: every one is made to run a kernel, and its result is checked.

python -m mocap.devices [--json PATH]
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from . import process as process  # before torch

# isort: split
import torch
import torch.nn.functional as F

from . import __version__, cli
from .errors import AnymoveError

KINDS = ("cuda", "mps", "cpu")
PACKAGES = ("torch", "numpy", "opencv-python-headless", "opencv-python", "av", "transformers", "bpy", "scipy")
_REPEATS = 9
_ROUNDS = 7
_SECONDS = 1.2
"""At most this long is spent on finding the number of threads."""
_GAIN = 0.9
"""More threads must take less than this share of the time: they also take cores from others."""


@dataclass(frozen=True)
class Probe:
    """What came of running a kernel on a device. Times in milliseconds, memory in GiB."""

    kind: str
    name: str
    works: bool
    detail: str
    memory_gb: float | None = None
    float32_ms: float | None = None
    bfloat16_ms: float | None = None

    @property
    def bfloat16_pays(self) -> bool:
        """Whether bfloat16 ran, gave the right result, and was faster by a margin."""
        return self.bfloat16_ms is not None and self.bfloat16_ms * 1.15 < self.float32_ms


def probe(kind: str) -> Probe:
    """Allocate on ``kind``, run a convolution, a matrix product and a sum there, in float32 and bfloat16, and
    compare with float64 on the CPU."""
    if not _announced(kind):
        return Probe(kind, "-", False, "torch finds none")
    try:
        name, memory = _describe(kind)
        error, float32_ms = _kernel(kind, torch.float32)
    except (RuntimeError, AssertionError, NotImplementedError) as failure:
        return Probe(kind, "-", False, f"found, but its kernel fails: {_line(failure)}{_built_for(kind)}")
    if error > 1e-2:
        return Probe(kind, name, False, f"found, but its kernel is wrong by {error:.1e}", memory)
    try:
        bfloat_error, bfloat16_ms = _kernel(kind, torch.bfloat16)
    except (RuntimeError, NotImplementedError):
        return Probe(kind, name, True, f"kernel right to {error:.0e}, no bfloat16", memory, float32_ms)
    if bfloat_error > 5e-2:
        return Probe(kind, name, True, f"kernel right to {error:.0e}, bfloat16 wrong", memory, float32_ms)
    return Probe(kind, name, True, f"kernel right to {error:.0e}", memory, float32_ms, bfloat16_ms)


def best() -> Probe:
    """The first of cuda, mps and cpu whose kernel runs and is right. Says why where a GPU is there but not
    used."""
    for kind in KINDS:
        found = probe(kind)
        if found.works:
            return found
        if _announced(kind):
            cli.say(f"{kind} is not used: {found.detail}; computing on the CPU")
    raise AnymoveError("not even the CPU computes rightly here; python -m mocap.devices tells more")


def limit_threads(count: int | None) -> None:
    """Let torch use ``count`` threads on the CPU; None measures what is fastest here now, and says so."""
    if count:
        torch.set_num_threads(count)
        return
    most = torch.get_num_threads()
    chosen, why = choose_threads()
    torch.set_num_threads(chosen)
    if most > 1:
        cli.say(f"torch threads: {chosen} ({why}; --threads N sets them)")


def choose_threads() -> tuple[int, str]:
    """How many threads train fastest on this machine as busy as it is now, and why. At most torch's own choice,
    which OMP_NUM_THREADS sets."""
    most = torch.get_num_threads()
    if most == 1:
        return 1, "torch has one"
    candidates = sorted({1, max(1, most // 2), most})
    times = _step_times(candidates, _training_step())
    fastest = min(candidates, key=lambda count: times[count])
    chosen = next(count for count in candidates if times[fastest] > _GAIN * times[count])
    told = ", ".join(f"{count}: {1000 * times[count]:.0f} ms" for count in candidates)
    return chosen, f"a step took with {told}"


def _step_times(candidates: Sequence[int], step: Callable[[], None]) -> dict[int, float]:
    """Median seconds of ``step`` with each number of threads. They take turns, so that a load which comes and
    goes hits all of them; the median, because a lucky step among slow ones is not what training gets."""
    before = torch.get_num_threads()
    taken: dict[int, list[float]] = {count: [] for count in candidates}
    end = time.perf_counter() + _SECONDS
    try:
        for turn in range(1 + _ROUNDS):
            for count in candidates:
                torch.set_num_threads(count)
                start = time.perf_counter()
                step()
                # The first turn warms up.
                if turn:
                    taken[count].append(time.perf_counter() - start)
            if turn and time.perf_counter() > end:
                break
    finally:
        torch.set_num_threads(before)
    return {count: statistics.median(seconds) for count, seconds in taken.items()}


def _training_step() -> Callable[[], None]:
    """Forward and backward through a few convolutions of the compact reader's size."""
    generator = torch.Generator().manual_seed(0)
    picture = torch.randn(4, 32, 48, 48, generator=generator)
    weights = [
        (torch.randn(64, channels, 3, 3, generator=generator) / 24).requires_grad_() for channels in (32, 64)
    ]

    def step() -> None:
        hidden = picture
        for weight in weights:
            hidden = torch.relu(F.conv2d(hidden, weight, padding=1))
        torch.autograd.grad(hidden.square().mean(), weights)

    return step


def _built_for(kind: str) -> str:
    """What the GPU is and what this torch was built for: the usual reason why no kernel runs."""
    if kind != "cuda":
        return ""
    try:
        major, minor = torch.cuda.get_device_capability(0)
        built = ", ".join(torch.cuda.get_arch_list()) or "none"
    except (RuntimeError, AssertionError):
        return ""
    return f" (the GPU is sm_{major}{minor}, torch {torch.__version__} was built for {built})"


def _announced(kind: str) -> bool:
    if kind == "cuda":
        return torch.cuda.is_available()
    if kind == "mps":
        return torch.backends.mps.is_available()
    return True


def _describe(kind: str) -> tuple[str, float | None]:
    if kind == "cuda":
        properties = torch.cuda.get_device_properties(0)
        return properties.name, properties.total_memory / 2**30
    if kind == "mps":
        return platform.processor() or "Apple GPU", torch.mps.recommended_max_memory() / 2**30
    return f"{_processor()}, {os.cpu_count()} cores, {torch.get_num_threads()} torch threads", _ram_gb()


def _kernel(kind: str, dtype: torch.dtype) -> tuple[float, float]:
    """Relative error and milliseconds of a 3x3 convolution (64 channels, 64 px), a product (512) and a sum."""
    generator = torch.Generator().manual_seed(0)
    picture = torch.randn(2, 64, 64, 64, generator=generator)
    weight = torch.randn(64, 64, 3, 3, generator=generator) / 24
    matrix = torch.randn(512, 512, generator=generator)
    wanted = _operations(picture.double(), weight.double(), matrix.double())
    picture, weight, matrix = (tensor.to(kind, dtype) for tensor in (picture, weight, matrix))
    best_ms = float("inf")
    for _ in range(1 + _REPEATS):
        start = time.perf_counter()
        found = tuple(tensor.cpu() for tensor in _operations(picture, weight, matrix))
        best_ms = min(best_ms, (time.perf_counter() - start) * 1000)
    errors = [((f.double() - w).norm() / w.norm()).item() for f, w in zip(found, wanted)]
    return max(errors), best_ms


def _operations(
    picture: torch.Tensor, weight: torch.Tensor, matrix: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    allocated = torch.zeros_like(matrix)
    return F.conv2d(picture, weight, padding=1), matrix @ matrix, allocated + matrix


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:160]


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as handle:
            names = [line.split(":", 1)[1].strip() for line in handle if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def _ram_gb() -> float | None:
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return None
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30


def versions() -> dict[str, str]:
    """Versions of what is installed of the toolkit's packages, without importing them; torch, which this
    module runs anyway, also names its build (+cpu, +cu130)."""
    found = {"anymove": __version__, "python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found | {"torch": torch.__version__}


def main(argv: Sequence[str]) -> None:
    parser = cli.Parser(prog="python -m mocap.devices", description="Which device really runs a kernel.")
    cli.add_json_option(parser)
    arguments = parser.parse_args(argv)
    probes = [probe(kind) for kind in KINDS]
    chosen = next(found for found in probes if found.works)
    threads, why = choose_threads()
    rows = [
        (p.kind, p.name, "yes" if p.works else "no", _number(p.float32_ms), _number(p.bfloat16_ms), p.detail)
        for p in probes
    ]
    cli.table("Devices", ("device", "name", "runs", "float32 ms", "bfloat16 ms", "kernel"), rows)
    free_gb = shutil.disk_usage(".").free / 2**30
    memory = "" if chosen.memory_gb is None else f" ({chosen.memory_gb:.1f} GiB of memory)"
    cli.say(f"used: {chosen.kind}{memory}; free disk here: {free_gb:.1f} GiB")
    cli.say(f"torch threads for training on the CPU: {threads} ({why})")
    cli.say("versions: " + ", ".join(f"{name} {version}" for name, version in versions().items()))
    cli.write_figures(
        arguments.json,
        {
            "used": chosen.kind,
            "threads": threads,
            "devices": [asdict(p) | {"bfloat16_pays": p.bfloat16_pays} for p in probes],
            "free_disk_gb": free_gb,
            "platform": platform.platform(),
            "versions": versions(),
        },
    )


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


if __name__ == "__main__":
    sys.exit(cli.run(main))
