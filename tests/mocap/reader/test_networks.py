# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch
from pydantic import ValidationError

from mocap import framing
from mocap.devices import Probe
from mocap.errors import BadInput
from mocap.reader import backbones, heatmaps, precision
from mocap.reader.blocks import CrossViewBlock, applied
from mocap.reader.config import CompactConfig, TrainConfig, backbone_config
from mocap.reader.heads import Maps, whole

CPU = Probe("cpu", "a processor", True, "")
GPU = Probe("cuda", "a GPU", True, "")


def net(size: int = 64, joints: int = 3, parts: int = 4) -> backbones.ReaderNet:
    torch.manual_seed(0)
    return backbones.build(CompactConfig(input_size=size), joints, parts, 2)


def test_what_a_network_gives():
    model = net(96, 5, 7)
    maps = model(torch.randn(4, 3, 96, 96), 2)
    assert maps.heatmaps.shape == (4, 5, 24, 24)
    assert maps.masks.shape == (4, 8, 48, 48)
    traits = model.read(maps, 2)
    assert traits.positions.shape == (4, 5, 2)
    assert traits.visible.shape == traits.log_sigma.shape == traits.depth.shape == (4, 5)
    assert sum(w.numel() for w in model.parameters()) < 1_100_000


def test_masks_are_made_for_as_many_pictures_as_asked():
    model = net().eval()
    pictures = torch.randn(4, 3, 64, 64)
    assert model(pictures, 2, masked=0).masks.numel() == 0
    assert torch.allclose(model(pictures, 2, masked=2).masks, model(pictures, 2).masks[:2], atol=1e-5)


def test_a_view_changes_what_is_read_in_the_other():
    model = net().eval()
    pictures = torch.randn(4, 3, 64, 64)
    before = model(pictures, 2).heatmaps
    pictures[1] += 1
    after = model(pictures, 2).heatmaps
    assert (before[0] != after[0]).any()
    assert torch.allclose(before[2:], after[2:], atol=1e-5)


def test_a_joints_traits_are_those_at_its_peak_and_what_joints_told_each_other():
    """Features at a joint's peak change its own visibility and depth; those of others, in both views, only through
    what the joints tell each other."""
    model = net()
    maps = Maps(torch.zeros(0), torch.zeros(0), torch.zeros(2, 64, 16, 16), whole(torch.zeros(2, 3, 64, 64)))
    peaks = heatmaps.Peaks(torch.tensor([[[10.0, 10.0], [50.0, 50.0], [50.0, 10.0]]] * 2), torch.ones(2, 3))
    changed = maps._replace(features=maps.features.clone())
    changed.features[0, :, 12, 12] = 1.0

    def moved() -> list[list[list[bool]]]:
        before, after = model.at_peaks(maps, peaks, 2), model.at_peaks(changed, peaks, 2)
        return [(getattr(before, name) != getattr(after, name)).tolist() for name in ("depth", "visible")]

    assert moved() == [[[True] * 3] * 2] * 2
    torch.nn.init.zeros_(model.traits.context.weight)
    assert moved() == [[[False, True, False], [False] * 3]] * 2


def test_joints_and_views_look_at_each_other():
    """A change at one joint's peak moves the others, in the other view too; the features get no gradient of it."""
    model = net()
    torch.nn.init.normal_(model.joints.out.weight)
    features = torch.zeros(2, 64, 16, 16, requires_grad=True)
    peaks = heatmaps.Peaks(torch.tensor([[[10.0, 10.0], [50.0, 50.0], [50.0, 10.0]]] * 2), torch.ones(2, 3))
    before = model.at_peaks(
        Maps(torch.zeros(0), torch.zeros(0), features, whole(torch.zeros(2, 3, 64, 64))), peaks, 2
    )
    changed = features.detach().clone()
    changed[0, :, 12, 12] = 1.0
    after = model.at_peaks(
        Maps(torch.zeros(0), torch.zeros(0), changed, whole(torch.zeros(2, 3, 64, 64))), peaks, 2
    )
    assert ((before.positions - after.positions).abs().sum(-1) > 0).all()
    before.positions.sum().backward()
    assert features.grad is None


def test_the_joint_head_starts_as_the_peaks_are():
    model = net()
    maps = model(torch.randn(4, 3, 64, 64), 2)
    peaks = heatmaps.decode(maps.heatmaps, model.stride)
    assert torch.equal(model.read(maps, 2).positions, peaks.positions)


def test_the_joint_head_moves_in_the_panels_own_coordinates():
    """Two framings of one panel, turned and scaled: the same output moves to the same place in the panel."""
    model = net()
    panel, size = np.array([200, 200]), np.array([80.0, 60.0])
    views = np.stack(
        [framing.place(np.array([90.0, 110.0]), size * k, 64, a) for k, a in ((1, 0.4), (2, -0.2))]
    )
    framings = torch.tensor(framing.in_panel(views, panel)).float()
    peaks = heatmaps.Peaks(torch.tensor([[[10.0, 10.0], [50.0, 50.0], [50.0, 10.0]]] * 2), torch.ones(2, 3))
    model.joints.out.bias.data = torch.tensor([0.2, -0.1, 0.0])
    read = model.at_peaks(
        Maps(torch.zeros(0), torch.zeros(0), torch.zeros(2, 64, 16, 16), framings), peaks, 2
    )
    moved = applied(framings, read.positions) - applied(framings, peaks.positions)
    assert torch.allclose(moved, moved[:1, :1].expand_as(moved), atol=1e-5)
    assert torch.allclose(moved[0, 0], torch.tensor([0.05, -0.025]), atol=1e-5)


def test_cross_view_block_sees_where_a_picture_lies_in_its_panel():
    torch.manual_seed(0)
    block = CrossViewBlock(16, 4, 2)
    maps, framings = torch.randn(2, 16, 3, 3), whole(torch.zeros(2, 3, 12, 12)).clone()
    before = block(maps, 2, framings, 4)
    framings[1, 1, 2] += 0.5
    assert torch.equal(block(maps, 2, framings, 4), before), "starts without it"
    torch.nn.init.normal_(block.panel.weight)
    assert (block(maps, 2, framings, 4) != block(maps, 2, whole(torch.zeros(2, 3, 12, 12)), 4)).any()


def test_cross_view_block_tells_the_views_apart():
    torch.manual_seed(0)
    block = CrossViewBlock(16, 4, 2)
    same = torch.randn(1, 16, 3, 3).repeat(2, 1, 1, 1)
    out = block(same, 2, whole(torch.zeros(2, 3, 12, 12)), 4)
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
        TrainConfig(batch=0, pairs=1, muon_lr=0.1, adamw_lr=1e-3, backbone_lr=1e-4)


def test_precision_is_measured_by_running():
    model = net()
    times = precision.measure(model, 64, 2, 3, torch.device("cpu"))
    assert set(times) == {(p, last) for p in ("float32", "bfloat16") for last in (False, True)}
    assert all(0 < seconds < 60 for seconds in times.values())
    assert model.heatmaps.weight.grad is None


def test_a_small_gain_is_not_worth_leaving_float32():
    times = {
        ("float32", False): 1.0,
        ("float32", True): 0.95,
        ("bfloat16", False): 2.0,
        ("bfloat16", True): 1.5,
    }
    assert precision.fastest(times) == ("float32", False)
    assert precision.fastest(times | {("bfloat16", True): 0.5}) == ("bfloat16", True)
