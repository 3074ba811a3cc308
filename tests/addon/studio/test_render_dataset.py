# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator: sets, devices, what it tells."""

from __future__ import annotations

import re
import shutil
import sys

import bpy
import pytest
from anymove.addon.studio import devices, engines
from anymove.mocap import machine
from anymove.mocap.dataset import samples
from anymove.mocap.errors import BadInput
from anymove.mocap.rig_info import CreaturePaths, RigInfo

from tests.addon.studio.test_truth import smaller

pytestmark = [pytest.mark.bpy, pytest.mark.rigs]


@pytest.fixture
def fox(adopt, tmp_path):
    """A fox of 64 px in a folder of its own."""
    rig = adopt("KhronosFox")
    home = tmp_path / "assets" / "fox"
    shutil.copytree(rig.home, home)
    paths = CreaturePaths(home)
    smaller(RigInfo.load(paths.rig_info), 64).save(paths.rig_info)
    return paths


def render(paths, **options):
    return bpy.ops.anymove.render_dataset(creature=str(paths.home), **options)


def test_it_tells_speed_memory_and_disk(fox, outcome, capfd, monkeypatch):
    monkeypatch.setenv("ANYMOVE_PROGRESS", "json")
    render(fox, count=2, engine="workbench")
    assert "2 samples rendered with workbench" in outcome().message
    assert re.search(r"ms a view \(\d+ ms of a core\), peak memory \d+ MB", outcome().message)
    assert "MB on disk" in outcome().message
    assert '"figures": {"samples": 2, "views": 4' in capfd.readouterr().out
    render(fox, count=2, engine="workbench")
    assert outcome().message.endswith("0 samples rendered with workbench, 2 were there")


def test_the_shifted_set_takes_the_other_engine(fox, outcome):
    with pytest.raises(RuntimeError, match="no samples to shift from; render them first"):
        render(fox, count=1, set="shifted")
    assert outcome().code == 2
    render(fox, count=2, engine="workbench")
    with pytest.raises(RuntimeError, match="a shifted set needs the other one"):
        render(fox, count=1, set="shifted", engine="workbench")
    render(fox, count=2, set="shifted", device="cpu")
    for index in (0, 1):
        trained = samples.read_meta(samples.meta_path(fox.dataset, index))
        shifted = samples.read_meta(samples.meta_path(fox.shifted, index))
        assert (trained.engine, shifted.engine) == ("workbench", "cycles")
        assert shifted.seed != trained.seed
        assert shifted.shadows
        assert shifted.skin_digest == trained.skin_digest
        assert abs(shifted.quats - trained.quats).max() > 0.01


def test_a_workbench_set_can_be_the_shifted_one(fox):
    render(fox, count=1, engine="cycles", device="cpu")
    render(fox, count=1, set="shifted")
    assert samples.read_meta(samples.meta_path(fox.shifted, 0)).engine == "workbench"


def test_a_plan_renders_nothing(fox, outcome, capfd, monkeypatch):
    monkeypatch.setenv("ANYMOVE_PROGRESS", "json")
    render(fox, plan=True, engine="cycles", device="cpu")
    assert outcome().message == "renders with cycles (asked for, on the CPU)"
    assert '"plan": {"engine": "cycles", "gpu": false, "device": "cpu"}' in capfd.readouterr().out
    assert not fox.dataset.exists()


@pytest.mark.skipif(sys.platform == "darwin", reason="Metal may be there")
def test_a_named_device_that_does_not_render_is_refused(fox, outcome):
    with pytest.raises(RuntimeError, match="--device metal: nothing renders on it here"):
        render(fox, count=1, engine="cycles", device="metal")
    assert outcome().code == 2
    assert not fox.dataset.exists()
    with pytest.raises(RuntimeError, match="Workbench knows no devices"):
        render(fox, count=1, engine="workbench", device="cpu")


def test_auto_takes_what_renders(monkeypatch):
    monkeypatch.setattr(devices, "rendering_gpu", lambda kinds=None: "CUDA" if "CUDA" in kinds else None)
    assert engines.choose("auto") == ("cycles", "CUDA renders here")
    assert engines.choose("cycles", "cuda") == ("cycles", "asked for, on CUDA")
    monkeypatch.setattr(devices, "rendering_gpu", lambda kinds=None: None)
    assert engines.choose("auto") == ("workbench", "no GPU renders here")
    assert engines.choose("auto", "cpu") == ("workbench", "the CPU was asked for")
    with pytest.raises(BadInput, match="renders on the CPU only"):
        devices.use("optix")


def test_under_wsl_cuda_comes_first(monkeypatch):
    monkeypatch.setattr(machine, "is_wsl", lambda: False)
    assert devices.gpu_types()[0] == "OPTIX"
    monkeypatch.setattr(machine, "is_wsl", lambda: True)
    assert devices.gpu_types()[:2] == ("CUDA", "OPTIX")
    assert {kind.lower() for kind in devices.gpu_types()} | {"auto", "cpu"} == set(devices.CHOICES)
