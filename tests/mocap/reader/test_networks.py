# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import pytest
import torch
from pydantic import ValidationError

from mocap.devices import Probe
from mocap.errors import BadInput
from mocap.reader import backbones, precision
from mocap.reader.compact import CompactNet
from mocap.reader.config import CompactConfig, TrainConfig, backbone_config
from mocap.reader.parts import CrossViewBlock

CPU = Probe("cpu", "a processor", True, "")
GPU = Probe("cuda", "a GPU", True, "")


def test_one_map_a_joint_at_a_quarter():
    net = CompactNet(CompactConfig(input_size=96), 5, 2)
    assert net(torch.randn(4, 3, 96, 96), 2).shape == (4, 5, 24, 24)
    assert sum(w.numel() for w in net.parameters()) < 1_100_000


def test_a_view_changes_what_is_read_in_the_other():
    torch.manual_seed(0)
    net = CompactNet(CompactConfig(input_size=64), 3, 2).eval()
    pictures = torch.randn(4, 3, 64, 64)
    before = net(pictures, 2)
    pictures[1] += 1
    after = net(pictures, 2)
    assert (before[0] != after[0]).any()
    assert torch.allclose(before[2:], after[2:], atol=1e-5)


def test_cross_view_block_tells_the_views_apart():
    torch.manual_seed(0)
    block = CrossViewBlock(16, 4, 2)
    same = torch.randn(1, 16, 3, 3).repeat(2, 1, 1, 1)
    out = block(same, 2)
    assert (out[0] != out[1]).any()


def test_auto_takes_compact_without_a_gpu_and_says_why():
    choice = backbones.choose("auto", None, CPU)
    assert choice.config.kind == "compact"
    assert choice.weights is None
    assert "no GPU works here" in choice.why


def test_auto_takes_compact_without_weights_and_says_why(tmp_path):
    choice = backbones.choose("auto", str(tmp_path), GPU)
    assert choice.config.kind == "compact"
    assert "not on this machine" in choice.why


def test_bad_configurations_are_one_line():
    with pytest.raises(BadInput, match=r"reader\.pt: compact\.input_size: .*multiple of 32.*100"):
        backbone_config({"kind": "compact", "input_size": 100}, "reader.pt")
    with pytest.raises(BadInput, match=r"reader\.pt: .*resnet"):
        backbone_config({"kind": "resnet"}, "reader.pt")
    with pytest.raises(BadInput, match="3 attention heads do not divide 128"):
        backbone_config({"kind": "compact", "heads": 3}, "reader.pt")
    with pytest.raises(ValidationError):
        TrainConfig(batch=0, muon_lr=0.1, adamw_lr=1e-3, backbone_lr=1e-4)


def test_precision_is_measured_by_running():
    net = CompactNet(CompactConfig(input_size=64), 3, 2)
    times = precision.measure(net, 64, 2, 3, torch.device("cpu"))
    assert set(times) == {(p, last) for p in ("float32", "bfloat16") for last in (False, True)}
    assert all(0 < seconds < 60 for seconds in times.values())
    assert net.head.weight.grad is None


def test_a_small_gain_is_not_worth_leaving_float32():
    times = {
        ("float32", False): 1.0,
        ("float32", True): 0.95,
        ("bfloat16", False): 2.0,
        ("bfloat16", True): 1.5,
    }
    assert precision.fastest(times) == ("float32", False)
    assert precision.fastest(times | {("bfloat16", True): 0.5}) == ("bfloat16", True)
