# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import pytest
import torch
from transformers import Dinov2WithRegistersConfig, Dinov2WithRegistersModel

from mocap import cli
from mocap.devices import Probe
from mocap.reader import backbones, checkpoint, dinov2, heatmaps, train
from mocap.reader.config import Dinov2Config
from tests.mocap.synthetic import TRAIN


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A tiny random model, saved as the real one is."""
    torch.manual_seed(0)
    config = Dinov2WithRegistersConfig(
        hidden_size=32,
        num_hidden_layers=4,
        num_attention_heads=2,
        mlp_ratio=2,
        image_size=56,
        patch_size=14,
        num_register_tokens=2,
    )
    path = tmp_path_factory.mktemp("dinov2")
    Dinov2WithRegistersModel(config).save_pretrained(path)
    return path


def test_local_weights_arrive_in_the_network(folder):
    config, weights = dinov2.load_pretrained(Dinov2Config(weights=str(folder)), offline=True)
    assert config.architecture["hidden_size"] == 32
    net = backbones.build(config, 5, 2)
    net.transformer.load_state_dict(weights)
    assert torch.equal(net.transformer.embeddings.cls_token, weights["embeddings.cls_token"])
    assert net.layers == [1, 2, 3, 4]


def test_forward_and_a_training_step(folder):
    config, weights = dinov2.load_pretrained(
        Dinov2Config(weights=str(folder), input_size=56, neck=16, heads=2), offline=True
    )
    net = backbones.build(config, 3, 2)
    net.transformer.load_state_dict(weights)
    assert net.stride == 3.5
    optimiser = torch.optim.AdamW(net.parameters(), 1e-2)
    pictures, points = torch.randn(4, 3, 56, 56), torch.rand(4, 3, 2) * 56
    losses = []
    for _ in range(6):
        logits = net(pictures, 2)
        assert logits.shape == (4, 3, 16, 16)
        loss = heatmaps.cross_entropy(logits, points, torch.ones(4, 3).bool(), net.stride, 1.5)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
    used = [name for name, w in net.named_parameters() if w.grad is not None and w.grad.abs().sum() > 0]
    assert any(name.startswith("transformer.encoder.layer.0") for name in used)


def test_pretrained_weights_learn_more_slowly(folder):
    config, _ = dinov2.load_pretrained(Dinov2Config(weights=str(folder)), offline=True)
    muon, own, pretrained = backbones.build(config, 5, 2).groups()
    assert muon == []
    assert len(pretrained) > 20
    assert len(own) > 10


def test_train_command_and_checkpoint_round_trip(folder, stick, capsys):
    arguments = ["1", *TRAIN, "--creature", str(stick.home), "--weights", str(folder)]
    arguments[arguments.index("compact")] = "dinov2"
    assert cli.run(train.main, arguments) == 0
    assert "backbone: dinov2 (asked for)" in capsys.readouterr().out
    loaded = checkpoint.load(stick.reader)
    assert loaded.backbone.kind == "dinov2"
    # Rebuilt from the checkpoint alone: the pretrained folder is not needed any more.
    elsewhere = loaded.backbone.model_copy(update={"weights": "/gone"})
    net = backbones.build(elsewhere, len(loaded.joint_names), 2)
    net.load_state_dict(loaded.weights)
    assert loaded.reader().net.stride == 3.5


def test_missing_weights_are_one_line(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for source in ("facebook/no-such-model-here", str(tmp_path / "none")):
        with pytest.raises(Exception, match="use --backbone compact, which needs none") as caught:
            backbones.choose("dinov2", source, Probe("cpu", "x", True, ""))
        assert caught.value.exit_code == 2
        assert "hf download" in str(caught.value)
        assert "\n" not in str(caught.value)


def test_auto_takes_it_where_a_gpu_works_and_weights_are_here(folder):
    choice = backbones.choose("auto", str(folder), Probe("cuda", "a GPU", True, ""))
    assert choice.config.kind == "dinov2"
    assert "a GPU works" in choice.why


def test_input_must_fit_the_patches(folder):
    config, _ = dinov2.load_pretrained(Dinov2Config(weights=str(folder), input_size=60), offline=True)
    with pytest.raises(Exception, match="60 is not a multiple of the patch size 14"):
        backbones.build(config, 3, 2)
