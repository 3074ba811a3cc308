# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import json
import time

import pytest
import torch

from mocap import cli, devices


def test_the_cpu_runs_a_kernel_and_is_right():
    found = devices.probe("cpu")
    assert found.works
    assert found.float32_ms > 0
    assert "kernel right" in found.detail


def test_cuda_is_never_claimed_without_running(monkeypatch, capsys):
    """torch says there is a GPU, but nothing runs on it."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)

    def no_kernel(kind, dtype):
        raise RuntimeError("no kernel image is available")

    monkeypatch.setattr(devices, "_describe", lambda kind: ("Some GPU", 8.0))
    kernel = devices._kernel
    monkeypatch.setattr(devices, "_kernel", lambda k, d: no_kernel(k, d) if k == "cuda" else kernel(k, d))
    found = devices.probe("cuda")
    assert not found.works
    assert "no kernel image" in found.detail
    assert devices.best().kind != "cuda"
    assert capsys.readouterr().out.count("\n") == 1


def test_an_old_torch_for_a_new_gpu_is_told(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (12, 0))
    monkeypatch.setattr(torch.cuda, "get_arch_list", lambda: ["sm_80", "sm_90"])
    monkeypatch.setattr(devices, "_describe", lambda kind: ("Some GPU", 8.0))

    def no_kernel(kind, dtype):
        raise RuntimeError("no kernel image is available")

    monkeypatch.setattr(devices, "_kernel", no_kernel)
    detail = devices.probe("cuda").detail
    assert f"the GPU is sm_120, torch {torch.__version__} was built for sm_80, sm_90" in detail


def test_a_wrong_result_is_refused(monkeypatch):
    monkeypatch.setattr(devices, "_kernel", lambda kind, dtype: (0.5, 1.0))
    found = devices.probe("cpu")
    assert not found.works
    assert "wrong by" in found.detail


@pytest.mark.parametrize(("bf16", "pays"), [(None, False), (9.5, False), (5.0, True)])
def test_bfloat16_must_be_faster_by_a_margin(bf16, pays):
    assert devices.Probe("cpu", "x", True, "", None, 10.0, bf16).bfloat16_pays is pays


def test_command_prints_and_writes_json(tmp_path, capsys):
    assert cli.run(devices.main, ["--json", str(tmp_path / "d.json")]) == 0
    data = json.loads((tmp_path / "d.json").read_text())
    assert data["used"] in devices.KINDS
    assert {d["kind"] for d in data["devices"]} == set(devices.KINDS)
    assert data["versions"]["torch"] == torch.__version__
    assert "free disk" in capsys.readouterr().out


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("one", "two", "chosen"), [(0.05, 0.03, 2), (0.05, 1.0, 1), (0.05, 0.049, 1), (0.05, 0.05, 1)]
)
def test_threads_are_chosen_by_what_a_step_takes(monkeypatch, capsys, two_threads, one, two, chosen):
    monkeypatch.setattr(devices, "_step_times", lambda candidates, step: {1: one, 2: two})
    devices.limit_threads(None)
    assert torch.get_num_threads() == chosen
    assert capsys.readouterr().out.startswith(f"torch threads: {chosen} (a step took with 1: 50 ms")


def test_each_number_of_threads_takes_turns(monkeypatch, two_threads):
    seen = []
    times = devices._step_times([1, 2], lambda: seen.append(torch.get_num_threads()))
    assert seen[:4] == [1, 2, 1, 2]
    assert set(times) == {1, 2}
    assert torch.get_num_threads() == 2
    monkeypatch.setattr(devices, "_SECONDS", 0.0)
    seen.clear()
    assert set(devices._step_times([1, 2], lambda: seen.append(1))) == {1, 2}
    assert len(seen) == 4


def test_finding_the_threads_is_quick(two_threads):
    start = time.perf_counter()
    count, why = devices.choose_threads()
    assert count in (1, 2)
    assert "ms" in why
    # 1.2 s of measuring; a busy machine may make the last turn long.
    assert time.perf_counter() - start < 5


def test_given_threads_are_not_questioned(monkeypatch, two_threads):
    monkeypatch.setattr(devices, "choose_threads", lambda: pytest.fail("measured"))
    devices.limit_threads(1)
    assert torch.get_num_threads() == 1
