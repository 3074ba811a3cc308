# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import json

import pytest
import torch

from mocap import cli, devices


def test_the_cpu_runs_a_kernel_and_is_right():
    found = devices.probe("cpu")
    assert found.works
    assert found.float32_ms > 0
    assert "kernel right" in found.detail


def test_cuda_is_never_claimed_without_running(monkeypatch):
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
